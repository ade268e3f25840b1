import Foundation
package import MessageBus
package import Observability
import Synchronization
import VigilSchema

/// A service's batches with every request in them checked: what an account may not ask for is answered with a refusal and taken out, and what it
/// may is handed on.
///
/// Requests come on `requests/<account>/<service>`, where the account is who asks: an answer goes below its own `responses/<account>`, and a
/// command's actor is the account. Requests of the alerting and the stress analysis are handed on as their commands for one participant; all
/// other messages pass as they are. Batches are settled as before.
package struct GuardedRequests<Batches: AsyncSequence & Sendable>: AsyncSequence, Sendable where Batches.Element == MessageBatch {
    package typealias Element = MessageBatch

    private let batches: Batches
    private let requests: RequestGuard
    private let replies: ReplyPublisher?

    /// - Parameter replies: Takes the refusals; nil for a service that only listens to another's requests.
    package init(_ batches: Batches, _ requests: RequestGuard, replies: ReplyPublisher?) {
        (self.batches, self.requests, self.replies) = (batches, requests, replies)
    }

    package func makeAsyncIterator() -> Iterator { Iterator(batches: batches.makeAsyncIterator(), requests: requests, replies: replies) }

    /// Checks one batch after the other.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate var batches: Batches.AsyncIterator
        fileprivate let requests: RequestGuard
        fileprivate let replies: ReplyPublisher?

        package mutating func next() async throws -> MessageBatch? { try await next(isolation: #isolation) }

        package mutating func next(isolation actor: isolated (any Actor)?) async throws -> MessageBatch? {
            while let batch = try await batches.next(isolation: actor) {
                let checked = requests.check(batch.messages)
                if !checked.refusals.isEmpty { try await replies?.publish(checked.refusals) }
                if !checked.isChanged { return batch }
                if !checked.messages.isEmpty { return MessageBatch(messages: checked.messages) { batch.settle($0) } }
                batch.settle(.committed)
            }
            return nil
        }
    }
}

/// Checks the requests to one service, message by message. Threading: from anywhere.
package final class RequestGuard: Sendable {
    /// The outcome for some messages.
    package struct Checked: Sendable {
        /// Those to be handled.
        package fileprivate(set) var messages: [IncomingMessage] = []
        /// Answers to those that are refused.
        package fileprivate(set) var refusals: [Reply] = []
        /// Indicates whether a message was refused or rewritten.
        package fileprivate(set) var isChanged = false
    }

    private let service: String
    private let control: AccessControl
    private let log: Logger
    private let refusal: @Sendable (String) -> [UInt8]
    private let now: @Sendable () -> Double
    /// When a former topic was warned of last.
    private let warned = Mutex<ContinuousClock.Instant?>(nil)

    /// - Parameters:
    ///   - service: `timeline`, `alert` or `stress`.
    ///   - now: The time in Unix seconds.
    ///   - refusal: Makes the answer of a refused request out of its reason.
    package init(
        service: String, control: AccessControl, log: Logger, now: @escaping @Sendable () -> Double = { Date.now.timeIntervalSince1970 },
        refusal: @escaping @Sendable (String) -> [UInt8] = RequestGuard.plainRefusal
    ) {
        (self.service, self.control, self.log, self.now, self.refusal) = (service, control, log, now, refusal)
    }

    /// `{"ok":false,"error":"…"}`.
    package static func plainRefusal(_ reason: String) -> [UInt8] {
        // Two plain members always encode.
        [UInt8]((try? JSONSerialization.data(withJSONObject: ["ok": false, "error": reason], options: [.sortedKeys])) ?? Data())
    }

    package func check(_ messages: [IncomingMessage]) -> Checked {
        var checked = Checked()
        for message in messages {
            guard message.topic.hasPrefix(Self.requestPrefix) || isFormer(message.topic) else {
                checked.messages.append(message)
                continue
            }
            take(message, into: &checked)
        }
        return checked
    }

    private static let requestPrefix = "\(Topic.prefix)requests/"

    /// Indicates whether it is one of the topics of the former version, on which nobody knows who asks.
    private func isFormer(_ topic: String) -> Bool {
        switch service {
        case "timeline": topic == Topic.timelineQueries.path
        case "alert": topic.hasPrefix("\(Topic.prefix)alert-commands/")
        default: topic.hasPrefix("\(Topic.prefix)stress-commands/")
        }
    }

    private func take(_ message: IncomingMessage, into checked: inout Checked) {
        // What the broker had kept is nobody's request of now; the service tells so.
        guard !message.retained else { return checked.messages.append(message) }
        let account = Topic.requester(of: message.topic, service: service)
        if account == nil { warnOfFormerTopic() }
        var fields = (try? JSONSerialization.jsonObject(with: Data(message.payload))) as? [String: Any]
        let asked = message.properties.responseTopic ?? fields?["responseTopic"] as? String
        let answer = asked.flatMap {
            try? ReplyTopic($0, correlation: message.properties.correlationData, of: account.map { .named($0) } ?? .account)
        }
        do throws(AccessControl.Refusal) {
            guard let known = fields else { throw AccessControl.Refusal(description: "the request is no JSON object") }
            try control.check(request(account, message.topic, known))
            guard let account else { return checked.messages.append(message) }
            fields?["responseTopic"] = nil
            checked.isChanged = true
            checked.messages.append(try rewritten(message, fields ?? [:], account: account, answer: answer))
        } catch {
            checked.isChanged = true
            log.notice("a request was refused", ["account": account ?? "-", "reason": "\(error)"])
            guard let answer else { return }
            let payload = refusal("\(error)")
            checked.refusals.append(Reply(to: answer.path, correlation: answer.correlation) { payload })
        }
    }

    /// Warns once a minute.
    private func warnOfFormerTopic() {
        let isDue = warned.withLock { last in
            if let last, last.duration(to: .now) < .seconds(60) { return false }
            last = .now
            return true
        }
        if isDue { log.warning("a request came on a former topic, which tells no account", ["instead": "requests/<account>/\(service)"]) }
    }

    private func request(_ account: String?, _ topic: String, _ fields: [String: Any]) -> AccessControl.Request {
        let operation = fields[service == "timeline" ? "query" : "command"] as? String ?? ""
        let named = topic.dropFirst(Topic.prefix.count).split(separator: "/", omittingEmptySubsequences: false).dropFirst().first.map(
            String.init)
        let participant = account == nil && service != "timeline" ? named : fields["participant"] as? String
        return .init(
            account: account, service: service, operation: operation, participant: participant,
            silence: operation == "silence" ? silence(fields) : nil)
    }

    /// The length of a silence in seconds; endless where it cannot be told.
    private func silence(_ fields: [String: Any]) -> Double {
        if let until = fields["until"] as? Double { return until - now() }
        return (fields["duration"] as? String).flatMap(RoleTable.seconds) ?? .infinity
    }

    /// The message as the service takes it: the sender's own words, but for the actor and for where the answer goes.
    private func rewritten(
        _ message: IncomingMessage, _ fields: [String: Any], account: String, answer: ReplyTopic?
    ) throws(AccessControl.Refusal) -> IncomingMessage {
        var (fields, topic, properties) = (fields, message.topic, message.properties)
        properties.responseTopic = answer?.path
        if service != "timeline" {
            let participant = fields["participant"] as? String ?? "all", rule = fields["rule"] as? String ?? "all"
            guard Name.isValid(participant), Name.isValid(rule) else {
                throw AccessControl.Refusal(description: "participant or rule is no name")
            }
            topic =
                service == "alert"
                ? Topic.alertCommand(participant: participant, rule: rule).path : Topic.stressCommand(participant: participant).path
            // Where accounts are checked, nobody signs with another name.
            if control.isGuarded || fields["actor"] == nil { fields["actor"] = account }
        }
        guard let payload = try? JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys]) else {
            throw AccessControl.Refusal(description: "the request cannot be handed on")
        }
        return IncomingMessage(
            topic: topic, payload: [UInt8](payload), retained: false, qos: message.qos, properties: properties, packetID: message.packetID)
    }
}
