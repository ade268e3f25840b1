import Foundation
package import MessageBus
package import Observability
package import VigilSchema

/// Checks the requests to one service, message by message. Threading: from anywhere.
package final class RequestGuard: Sendable {
    /// The outcome for some messages.
    package struct Checked: Sendable {
        /// Those to be handled.
        package fileprivate(set) var messages: [IncomingMessage] = []
        /// Answers to those that are refused.
        package fileprivate(set) var refusals: [Reply] = []
        /// Lines for the audit trail.
        package fileprivate(set) var audit: [AuditEntry] = []
        /// Indicates whether a message was refused or rewritten.
        package fileprivate(set) var isChanged = false
    }

    /// A request as it came.
    private struct Asked {
        let message: IncomingMessage
        /// The account in the topic; nil if it is not a valid name.
        let account: String?
        /// The members of the payload; nil if it is not a JSON object.
        let fields: [String: Any]?
        let answer: ReplyTopic?
    }

    private let service: String
    private let control: AccessControl
    private let log: Logger
    private let refusal: @Sendable (String) -> [UInt8]
    private let now: @Sendable () -> Double
    private let refusals = RefusalCount()

    /// - Parameters:
    ///   - service: As in the topic: `timeline`, `alert`, `stress`, …
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
            guard message.topic.hasPrefix(Self.requestPrefix) else {
                checked.messages.append(message)
                continue
            }
            take(message, into: &checked)
        }
        return checked
    }

    private static let requestPrefix = "\(Topic.prefix)requests/"

    private func take(_ message: IncomingMessage, into checked: inout Checked) {
        // A retained request is an old one. The service refuses it.
        guard !message.retained else { return checked.messages.append(message) }
        let asked = read(message)
        do throws(AccessControl.Refusal) {
            guard let account = asked.account else { throw AccessControl.Refusal(description: "the account is no name") }
            guard let fields = asked.fields else { throw AccessControl.Refusal(description: "the request is no JSON object") }
            try control.check(request(account, fields))
            checked.messages.append(try signed(asked, fields, by: account))
            checked.isChanged = true
            // The timeline audits its own answers. The importer audits files, not each of their pieces.
            if service != "timeline", service != "import" { checked.audit.append(entry(asked, outcome: "taken")) }
        } catch {
            checked.isChanged = true
            log.notice("a request was refused", ["account": asked.account ?? "-", "reason": "\(error)"])
            if let omitted = refusals.note() { checked.audit.append(entry(asked, outcome: "refused", omitted: omitted)) }
            guard let answer = asked.answer else { return }
            let payload = refusal("\(error)")
            checked.refusals.append(Reply(to: answer.path, correlation: answer.correlation) { payload })
        }
    }

    private func read(_ message: IncomingMessage) -> Asked {
        let account = Topic.requester(of: message.topic, service: service)
        let fields = (try? JSONSerialization.jsonObject(with: Data(message.payload))) as? [String: Any]
        let topic = message.properties.responseTopic ?? fields?["responseTopic"] as? String
        // Without a name there is no answer: it could be sent to somebody else.
        let answer = topic.flatMap { topic in
            account.flatMap { try? ReplyTopic(topic, correlation: message.properties.correlationData, of: .named($0)) }
        }
        return Asked(message: message, account: account, fields: fields, answer: answer)
    }

    private func request(_ account: String, _ fields: [String: Any]) -> AccessControl.Request {
        let operation = operation(fields)
        return .init(
            account: account, service: service, operation: operation, participant: fields["participant"] as? String,
            silence: operation == "silence" ? silence(fields) : nil)
    }

    private func operation(_ fields: [String: Any]?) -> String { fields?[service == "timeline" ? "query" : "command"] as? String ?? "" }

    /// The length of a silence in seconds; endless where it cannot be told.
    private func silence(_ fields: [String: Any]) -> Double {
        if let until = fields["until"] as? Double { return until - now() }
        return (fields["duration"] as? String).flatMap(RoleTable.seconds) ?? .infinity
    }
}

extension RequestGuard {
    /// The request as the service receives it: the sender's members, signed, with a checked response topic.
    private func signed(_ asked: Asked, _ fields: [String: Any], by account: String) throws(AccessControl.Refusal) -> IncomingMessage {
        var fields = fields
        fields["responseTopic"] = nil
        limit(&fields, account)
        sign(&fields, account)
        if service == "alert" || service == "stress" {
            let names = ["participant", "rule"].compactMap { fields[$0] as? String }
            guard names.allSatisfy(Name.isValid) else { throw AccessControl.Refusal(description: "participant or rule is no name") }
        }
        return try message(asked.message, fields, answeredOn: asked.answer?.path)
    }

    /// Tells vigil-alert how far this account may ease a threshold, whatever the sender says about it.
    private func limit(_ fields: inout [String: Any], _ account: String) {
        guard service == "alert" else { return }
        fields["easeAtMost"] = operation(fields) == "set-threshold" ? control.thresholdEasing(of: account) : nil
    }

    /// Signs a request. Where accounts are checked, nobody signs with another name than the own, but for those who may.
    private func sign(_ fields: inout [String: Any], _ account: String) {
        guard !control.signsForOthers(account) else {
            if fields["actor"] == nil { fields["actor"] = account }
            return
        }
        fields["actor"] = account
        fields["address"] = nil
        if let lines = fields["audit"] as? [[String: Any]] {
            fields["audit"] = lines.map { $0.merging(["actor": account]) { $1 } }
        }
    }

    private func message(
        _ message: IncomingMessage, _ fields: [String: Any], answeredOn answer: String?
    ) throws(AccessControl.Refusal) -> IncomingMessage {
        guard let payload = try? JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys]) else {
            throw AccessControl.Refusal(description: "the request cannot be handed on")
        }
        var properties = message.properties
        properties.responseTopic = answer
        return IncomingMessage(
            topic: message.topic, payload: [UInt8](payload), retained: false, qos: message.qos, properties: properties,
            packetID: message.packetID, isRepeat: message.isRepeat)
    }

    /// The line that tells the audit trail of a request. Of an erasure it does not say whose: by the time that it is written nobody knows the name.
    private func entry(_ asked: Asked, outcome: String, omitted: Int = 0) -> AuditEntry {
        let fields = asked.fields ?? [:], operation = operation(fields)
        let account = asked.account ?? "unknown"
        let signed = control.signsForOthers(account) ? fields["actor"] as? String : nil
        let isErasure = operation == "erase"
        var words = isErasure ? [] : ["rule", "duration"].compactMap { fields[$0] as? String }
        if omitted > 0 { words.append("and \(omitted) more refused before") }
        let participant = (fields["participant"] as? String).flatMap { isErasure || !Name.isValid($0) ? nil : $0 }
        return AuditEntry(
            time: Timestamp(seconds: now()), actor: Self.text(signed, 128) ?? account,
            address: signed == nil ? nil : Self.text(fields["address"] as? String, 128),
            operation: Self.text("\(service)-\(operation.isEmpty ? "unknown" : operation)", 64) ?? service, participant: participant,
            detail: Self.text(words.joined(separator: " "), 256), outcome: outcome)
    }

    /// A text that somebody chose, as the audit trail takes it: short, plain and not empty.
    private static func text(_ text: String?, _ most: Int) -> String? {
        guard let text else { return nil }
        var plain = String(text.unicodeScalars.lazy.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(most).map(Character.init))
        while plain.utf8.count > most { plain.removeLast() }
        return plain.isEmpty ? nil : plain
    }
}
