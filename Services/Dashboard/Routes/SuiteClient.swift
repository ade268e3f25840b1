import Foundation
package import MessageBus
import Observability
import ServiceKit
import Settings
import VigilSchema

/// Asks the suite's other services over the bus and awaits their answers.
///
/// Requests come from the dashboard's account, which may sign with the name of whoever is signed in (`deploy/roles.json5`).
package struct SuiteClient: Sendable {
    /// The name and address of whoever is signed in, as commands and the audit trail tell it.
    private struct Caller: Sendable {
        let actor: String
        let address: String
    }

    /// Makes a message from the topic on which it is answered.
    private typealias Request = @Sendable (_ responseTopic: String) -> OutgoingMessage

    private let client: TimelineClient
    private let ask: @Sendable (Duration, Request) async throws -> [UInt8]
    private var caller: Caller?

    /// Over a connection of its own, under the account that its response topics name.
    package init(_ requester: Requester) {
        client = TimelineClient(requester)
        ask = { timeout, request in try await requester.request(timeout: timeout, request).payload }
    }

    /// For tests: answers without a bus.
    package init(answering answer: @escaping @Sendable (Duration, OutgoingMessage) async throws -> [UInt8]) {
        let topic = "\(Topic.prefix)responses/dashboard/1"
        ask = { timeout, request in try await answer(timeout, request(topic)) }
        client = TimelineClient { request, timeout in
            try await answer(timeout, ServiceRequest(request, to: "timeline").message(answeredOn: topic))
        }
    }

    /// The same for somebody who is signed in.
    func acting(for actor: String, from address: String) -> SuiteClient {
        var client = self
        client.caller = Caller(actor: actor, address: address)
        return client
    }

    /// The timeline's answer: the JSON of `result`; of a list that comes in several answers all of it.
    func timeline(_ query: TimelineQuery, after: String? = nil) async throws -> [UInt8] {
        var request = TimelineRequest(query, after: after)
        (request.actor, request.address) = (caller?.actor, caller?.address)
        var list: [UInt8] = []
        while true {
            let answer: [UInt8]
            do {
                answer = try await client.answer(to: request)
            } catch {
                throw APIError.away("the timeline does not answer; what is live goes on")
            }
            let result = try Self.result(answer)
            guard let (part, next) = Self.part(result) else { return list.isEmpty ? result : list + result.dropFirst() }
            list += list.isEmpty ? part : part.dropFirst()
            list.append(UInt8(ascii: ","))
            request.after = next
        }
    }

    /// The beginning of a list that goes on in another answer, `[…],"next":"…"`, without its last bracket; nil where it is all.
    private static func part(_ result: [UInt8]) -> (part: ArraySlice<UInt8>, next: String)? {
        guard result.first == UInt8(ascii: "["), result.last == UInt8(ascii: "\""), let end = result.lastIndex(of: UInt8(ascii: "]"))
        else { return nil }
        let mark = Array(",\"next\":\"".utf8), rest = result[(end + 1)...]
        guard end > 1, rest.starts(with: mark) else { return nil }
        return (result[..<end], String(decoding: rest.dropFirst(mark.count).dropLast(), as: UTF8.self))
    }

    /// Everybody, with what is known of each; nil where the timeline does not answer soon.
    func people() async -> [KnownPerson]? { try? await client.list(.people, within: .seconds(2)) }

    /// The same, decoded.
    func timeline<Result: Codable & Sendable>(_ query: TimelineQuery, as type: Result.Type) async throws -> Result {
        try JSONDecoder().decode(type, from: Data(try await timeline(query)))
    }

    /// Sends a command or question to `vigil-alert` and returns the answer.
    func alert(_ command: some Encodable & Sendable, participant: String, rule: String) async throws -> [UInt8] {
        try await confirmed(try request("alert", command, participant, rule: rule), by: "vigil-alert")
    }

    /// Sends a command to `vigil-stress` and returns the answer.
    func stress(_ command: some Encodable & Sendable, participant: String) async throws -> [UInt8] {
        try await confirmed(try request("stress", command, participant), by: "vigil-stress")
    }

    /// Sends a command that is about no participant, for whoever is signed in, and returns the answer.
    func send(_ command: some Encodable & Sendable, to service: String, within limit: Duration) async throws -> [UInt8] {
        try await ask(limit, try request(service, command, nil))
    }

    /// Has a service other than the timeline forget a participant, and returns what it removed.
    func erase(_ participant: String, from service: String, imports: [String]) async throws -> [String: Int] {
        struct Order: Encodable, Sendable {
            let command = "erase"
            let imports: [String]?
        }
        let order = Order(imports: imports.isEmpty ? nil : imports)
        let answer = try await confirmed(try request(service, order, participant), by: "vigil-\(service)", within: .seconds(60))
        struct Confirmation: Decodable {
            let ok: Bool?
            let removed: [String: Int]?
            let error: String?
        }
        let said = try? JSONDecoder().decode(Confirmation.self, from: Data(answer))
        guard let said, said.ok == true else {
            throw APIError(status: 502, code: "failed", reason: said?.error ?? "its answer cannot be read")
        }
        return said.removed ?? [:]
    }

    func eraseFromTimeline(_ participant: String) async throws -> ErasureReport {
        var request = TimelineRequest(.erase(participant: participant))
        (request.actor, request.address) = (caller?.actor, caller?.address)
        guard let answer = try? await client.answer(to: request, within: .seconds(300)) else {
            throw APIError.notConfirmed("the timeline has not answered: ask again")
        }
        return try JSONDecoder().decode(ErasureReport.self, from: Data(try Self.result(answer)))
    }

    private func request(
        _ service: String, _ command: some Encodable & Sendable, _ participant: String?, rule: String? = nil
    ) throws -> Request {
        let addressed = AddressedCommand(
            command: command, participant: participant, rule: rule, actor: caller?.actor, address: caller?.address)
        let request = try ServiceRequest(addressed, to: service)
        return { request.message(answeredOn: $0) }
    }

    /// Publishes measurements that the caller typed in, and returns the receipt, which comes after the commit.
    /// - Parameter account: under whose name they stand, where it is not the caller.
    /// - Throws: `APIError.notConfirmed` where none came in time: whether they are stored is not known.
    func enter(_ observations: some Encodable & Sendable, participant: String, as account: String? = nil) async throws -> Receipt {
        let topic = Topic.manual(participant: participant, account: account ?? caller?.actor ?? "").path
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let payload = try encoder.encode(observations)
        let answer = try await confirmed(
            { responseTopic in
                // At a broker of MQTT 3.1.1 the payload itself says where the receipt goes.
                let message = Array("{\"responseTopic\":\"\(responseTopic)\",\"observations\":".utf8) + payload + Array("}".utf8)
                return OutgoingMessage(topic: topic, payload: message, properties: MessageProperties(contentType: MediaType.json))
            }, by: "vigil-ingest", within: .seconds(10))
        do {
            return try Receipt(decoding: answer)
        } catch {
            throw APIError(status: 502, code: "failed", reason: "the receipt cannot be read")
        }
    }

    /// A module's parameter, read or, with a value, set.
    /// - Parameter participant: the person whose value is meant, for what every person has of their own.
    func parameter(
        _ name: String, of service: String, participant: String? = nil, set value: ParameterValue? = nil
    ) async throws -> [UInt8] {
        let topic = value == nil ? Topic.moduleGet(service: service) : Topic.moduleSet(service: service)
        let request = try ServiceRequest(ParameterRequest(name: name, participant: participant, value: value), to: service)
        return try await confirmed({ request.message(answeredOn: $0, to: topic) }, by: service)
    }

    private func confirmed(_ request: Request, by service: String, within limit: Duration = .seconds(3)) async throws -> [UInt8] {
        do {
            return try await ask(limit, request)
        } catch {
            throw APIError.notConfirmed("\(service) has not answered within \(limit.components.seconds) s: not confirmed")
        }
    }

    /// The JSON under `result`, without reading all of it: a page of a decade is large.
    private static func result(_ answer: [UInt8]) throws -> [UInt8] {
        let start = Array("{\"result\":".utf8)
        if answer.starts(with: start), answer.last == UInt8(ascii: "}") { return Array(answer[start.count..<(answer.count - 1)]) }
        struct Answer: Decodable {
            struct Failure: Decodable {
                let code: String
                let reason: String
            }
            let error: Failure?
        }
        guard let failure = try? JSONDecoder().decode(Answer.self, from: Data(answer)).error else {
            throw APIError(status: 502, code: "failed", reason: "the timeline's answer cannot be read")
        }
        switch failure.code {
        case "bad-request": throw APIError.malformed(failure.reason)
        case "unavailable": throw APIError.away(failure.reason)
        default: throw APIError(status: 502, code: "failed", reason: failure.reason)
        }
    }
}

/// A module's parameter that is asked for, or set.
private struct ParameterRequest: Encodable {
    let name: String
    let participant: String?
    let value: ParameterValue?
}

/// A command with whom and what it is about, and who gives it, as one JSON object.
private struct AddressedCommand<Command: Encodable & Sendable>: Encodable {
    let command: Command
    let participant: String?
    let rule: String?
    let actor: String?
    let address: String?

    private enum CodingKeys: String, CodingKey { case participant, rule, actor, address }

    func encode(to encoder: any Encoder) throws {
        try command.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(participant, forKey: .participant)
        try members.encodeIfPresent(rule, forKey: .rule)
        try members.encodeIfPresent(actor, forKey: .actor)
        try members.encodeIfPresent(address, forKey: .address)
    }
}
