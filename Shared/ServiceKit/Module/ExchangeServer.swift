import Foundation
import MessageBus
import VigilSchema

/// Publishes a service's exchange list, retained, and answers to its get and set topics.
struct ExchangeServer: Service {
    private struct Item: Encodable {
        let name: String
        let keypath: String
        let type: Parameter.Kind
        let readonly: Bool
        let description: String
    }

    private struct Request: Decodable {
        let name: String
        let value: ParameterValue?
        /// For MQTT 3.1.1, which has no properties.
        let responseTopic: String?
        let id: String?
    }

    private struct Answer: Encodable {
        let service: String
        let instance: String
        var id: String?
        var name: String?
        var value: ParameterValue?
        var error: String?
    }

    let service: String
    let instance: String
    let exchange: Exchange
    let publisher: any MessagePublisher
    let consumer: ServiceConsumer
    let logger: Logger

    /// What it must be subscribed to.
    static func subscriptions(_ service: String) -> [Subscription] {
        [Topic.moduleGet(service: service), Topic.moduleSet(service: service)].map { Subscription($0.path) }
    }

    func run() async throws {
        try await publishList()
        for try await batch in consumer.batches {
            for message in batch.messages { await answer(message) }
            batch.settle(.committed)
        }
    }

    private func publishList() async throws {
        let items = exchange.list.map {
            Item(name: $0.name, keypath: $0.keypath, type: $0.kind, readonly: $0.write == nil, description: $0.description)
        }
        try await publisher.publish(message(Topic.moduleExchange(service: service).path, items, retained: true))
    }

    private func answer(_ message: IncomingMessage) async {
        let request = try? JSONDecoder().decode(Request.self, from: Data(message.payload))
        var answer = Answer(service: service, instance: instance, id: request?.id)
        do {
            guard let request else { throw ExchangeError.request("it must be {\"name\": …} or {\"name\": …, \"value\": …}") }
            answer.name = request.name
            try await set(request, asked: message.topic)
            answer.value = try await exchange.value(of: request.name)
        } catch {
            answer.error = "\(error)"
        }
        await send(answer, to: message.properties.responseTopic ?? request?.responseTopic, message)
    }

    private func set(_ request: Request, asked topic: String) async throws {
        guard topic == Topic.moduleSet(service: service).path else { return }
        guard let value = request.value else { throw ExchangeError.request("to set a parameter it needs a value") }
        try await exchange.set(request.name, value)
        logger.notice("parameter set over the bus", ["name": request.name])
    }

    private func send(_ answer: Answer, to topic: String?, _ request: IncomingMessage) async {
        guard let topic else { return }
        do {
            var reply = try message(topic, answer, retained: false)
            reply.properties.correlationData = request.properties.correlationData
            try await publisher.publish(reply)
        } catch {
            // The asker chose the topic; that it cannot be published to is the asker's trouble, not this service's.
            logger.warning("answer not published", ["error": "\(error)"])
        }
    }

    private func message(_ topic: String, _ content: some Encodable, retained: Bool) throws -> OutgoingMessage {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return OutgoingMessage(
            topic: topic, payload: [UInt8](try encoder.encode(content)), retained: retained,
            properties: MessageProperties(contentType: "application/json"))
    }
}
