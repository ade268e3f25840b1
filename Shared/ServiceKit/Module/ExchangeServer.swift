import Foundation
import MessageBus
import Observability
import VigilSchema

/// Publishes a service's exchange list, retained, and answers to its get and set topics.
///
/// Of replicas each hears every request. One that names an instance is that one's. What names none is answered by one of them; each sets what is to
/// be set.
struct ExchangeServer<Batches: AsyncSequence & Sendable>: Service where Batches.Element == MessageBatch {
    let service: String
    let instance: String
    let exchange: Exchange
    let publisher: any MessagePublisher
    let batches: Batches
    let logger: Logger
    private var replies: ReplyPublisher { ReplyPublisher(publisher) }

    func run() async throws {
        try await publishList()
        for try await batch in batches {
            for message in batch.messages { await answer(message) }
            batch.settle(.committed)
        }
    }

    private func publishList() async throws {
        let items = exchange.list.map {
            ExchangeItem(name: $0.name, keypath: $0.keypath, type: $0.kind, readonly: $0.write == nil, description: $0.description)
        }
        let own = exchange.participantExchange.list.map {
            ExchangeItem(
                name: $0.name, keypath: $0.keypath, type: $0.kind, readonly: $0.isReadOnly, description: $0.description, unit: $0.unit,
                participant: true)
        }
        try await publisher.publish(
            OutgoingMessage(
                topic: Topic.moduleExchange(service: service).path, payload: try encoded(items + own), retained: true,
                properties: MessageProperties(contentType: MediaType.json)))
    }

    private func answer(_ message: IncomingMessage) async {
        let request = try? JSONDecoder().decode(ExchangeRequest.self, from: Data(message.payload))
        if let asked = request?.instance, asked != instance { return }
        let isOurs = request?.instance != nil || exchange.answersForAll
        if !isOurs, message.topic != Topic.moduleSet(service: service).path { return }
        var answer = ExchangeAnswer(service: service, instance: instance, id: request?.id)
        do {
            guard let request else { throw ExchangeError.request("it must be {\"name\": …} or {\"name\": …, \"value\": …}") }
            (answer.name, answer.participant) = (request.name, request.participant)
            switch try await content(request, asked: message.topic) {
            case .value(let value): answer.value = value
            case .document(let document): answer.document = document
            }
        } catch {
            answer.error = "\(error)"
        }
        guard isOurs else {
            if let error = answer.error { logger.warning("parameter not set", ["name": answer.name ?? "", "error": error]) }
            return
        }
        await send(answer, to: message.properties.responseTopic ?? request?.responseTopic, message)
    }

    /// The value that was asked for, after it was set where that was asked.
    private func content(_ request: ExchangeRequest, asked topic: String) async throws -> ExchangeContent {
        if topic == Topic.moduleSet(service: service).path {
            guard let value = request.value else { throw ExchangeError.request("to set a parameter it needs a value") }
            try await set(request, value)
            logger.notice("parameter set over the bus", ["name": request.name])
        }
        guard let participant = request.participant else { return .value(try await exchange.value(of: request.name)) }
        do {
            return try await exchange.participantExchange.value(of: request.name, participant: participant)
        } catch ExchangeError.notKnown where topic == Topic.moduleSet(service: service).path && request.value == .text("") {
            // Taken back, and without an initial value: the empty text is what was asked for.
            return .value(.text(""))
        }
    }

    private func set(_ request: ExchangeRequest, _ value: ParameterValue) async throws {
        guard let participant = request.participant else {
            return try await exchange.set(request.name, value, forAll: request.instance == nil)
        }
        guard Name.isValid(participant) else { throw ExchangeError.request("a participant has 1 to 64 of A-Z a-z 0-9 _ . -") }
        try await exchange.participantExchange.set(request.name, value, participant: participant)
    }

    private func send(_ answer: ExchangeAnswer, to asked: String?, _ request: IncomingMessage) async {
        guard let asked else { return }
        do {
            let topic = try ReplyTopic(asked, correlation: request.properties.correlationData, of: .account)
            try await replies.publish([Reply(to: topic.path, correlation: topic.correlation) { try encoded(answer) }])
        } catch {
            logger.warning("answer not published", ["error": "\(error)"])
        }
    }

    private func encoded(_ content: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(content))
    }
}

/// One item of the list that is published under `modules/<service>/exchange`.
struct ExchangeItem: Encodable {
    let name: String
    let keypath: String
    let type: Parameter.Kind
    let readonly: Bool
    let description: String
    /// The UCUM unit, where the value has one.
    var unit: String?
    /// True where every participant has a value of their own: the request must name one.
    var participant: Bool?
}

/// A request on `modules/<service>/get` or `/set`.
struct ExchangeRequest: Decodable {
    let name: String
    /// To be set; ignored by `get`.
    let value: ParameterValue?
    /// The participant whose value is meant, for what every participant has of their own.
    let participant: String?
    /// The replica that is meant, where it is one only.
    let instance: String?
    /// The topic of the answer, for MQTT 3.1.1, which has no properties.
    let responseTopic: String?
    /// Comes back in the answer, for MQTT 3.1.1.
    let id: String?
}

/// The answer: the value, or what is wrong.
struct ExchangeAnswer: Encodable {
    let service: String
    let instance: String
    var id: String?
    var name: String?
    var participant: String?
    var value: ParameterValue?
    /// The value, where it is a document.
    var document: JSONValue?
    var error: String?
}
