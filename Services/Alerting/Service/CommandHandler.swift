import AlertRules
import Foundation
import MessageBus
import VigilSchema

/// One command message, and the way to answer its sender.
struct CommandHandler: Sendable {
    /// The prefix of every command's identity, which no batch has.
    static let identityPrefix = "command "
    private static let longest = 65_536

    let message: IncomingMessage
    /// The participant and the rule that the command names; `all` where it names none.
    let (participant, rule): (String, String)
    /// The command, or the reason why it cannot be read.
    let command: Result<CommandMessage, CommandRefusal>
    /// The checked response topic; nil: none, or one that the sender may not use.
    private let replyTopic: ReplyTopic?

    init(message: IncomingMessage) {
        self.message = message
        command = Self.read(message.payload)
        let read = try? command.get()
        (participant, rule) = (read?.participant ?? "all", read?.rule ?? "all")
        replyTopic = message.properties.responseTopic.flatMap {
            try? ReplyTopic($0, correlation: message.properties.correlationData, of: .account)
        }
    }

    /// Anybody may publish here, so anything but a command is refused.
    private static func read(_ payload: [UInt8]) -> Result<CommandMessage, CommandRefusal> {
        guard payload.count <= longest else { return .failure(CommandRefusal("the command is longer than \(longest) bytes")) }
        do {
            return .success(try JSONDecoder().decode(CommandMessage.self, from: Data(payload)))
        } catch let error as DecodingError {
            return .failure(CommandRefusal(words(error)))
        } catch {
            return .failure(CommandRefusal("the command is no JSON object with \"command\" and \"actor\""))
        }
    }

    private static func words(_ error: DecodingError) -> String {
        switch error {
        case .typeMismatch(_, let context) where !context.codingPath.isEmpty, .dataCorrupted(let context) where !context.codingPath.isEmpty:
            "\"\(context.codingPath.map(\.stringValue).joined(separator: "."))\": \(context.debugDescription)"
        default: "the command is no JSON object with \"command\" and \"actor\""
        }
    }

    /// A question, which changes nothing.
    var query: CommandMessage? { (try? command.get()).flatMap { CommandMessage.asking.contains($0.command) ? $0 : nil } }

    /// The requested change, or the reason for its refusal.
    func request(now: Int64) -> Result<AlertRequest, CommandRefusal> {
        command.flatMap { $0.request(now: now) }
    }

    /// The identity of the command: its content and, without id or time, the number of its delivery, which a redelivery
    /// keeps. Nil at QoS 0, which is never redelivered.
    var identity: String? {
        guard let isNamed else { return nil }
        guard isNamed || message.packetID != 0 else { return nil }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        let number = isNamed ? 0 : message.packetID
        for byte in [UInt8(number & 0xFF), UInt8(number >> 8)] + Array(message.topic.utf8) + message.payload {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return Self.identityPrefix + String(hash, radix: 16)
    }

    /// Whether it has an id or a time; nil: it is no command.
    private var isNamed: Bool? { (try? command.get()).map { $0.id != nil || $0.time != nil } }

    /// Whether it is a new command although its number was used before. A broker that reuses numbers at once, such as
    /// NATS, marks redeliveries itself.
    var isNumberedAnew: Bool { isNamed == false && message.isRepeat == false }

    /// The answer to the sender; empty: there is no response topic.
    func reply(_ text: String) -> [Reply] { reply { Array(text.utf8) } }

    /// A refusal, as an answer or, if the sender cannot be answered, as an event that others see too.
    ///
    /// Nobody is notified of an unknown participant, because a stranger could otherwise create participants in the
    /// timeline.
    /// - Parameter isRepeated: whether it was refused before and is not judged again.
    func refuse(_ reason: String, _ engine: AlertEngine, now: Int64, isRepeated: Bool = false) -> [Reply] {
        guard replyTopic == nil else {
            let answer: [String: Any] = isRepeated ? ["ok": false, "error": reason, "repeated": true] : ["ok": false, "error": reason]
            return reply { [UInt8](try JSONSerialization.data(withJSONObject: answer, options: [.sortedKeys])) }
        }
        guard engine.knownIndex(of: participant) != nil else { return [] }
        let event = refusal(reason, engine.rules, now: now)
        return [Reply(to: Topic.alertEvent(participant: participant, rule: rule).path) { try event.encoded() }]
    }

    private func reply(_ payload: () throws -> [UInt8]) -> [Reply] {
        replyTopic.map { [Reply(to: $0.path, correlation: $0.correlation, payload)] } ?? []
    }

    /// An event without a number, because it is no transition.
    private func refusal(_ reason: String, _ rules: RuleSet, now: Int64) -> AlertMessage {
        let definition = rules.rule(named: rule).map { rules.rules[$0] }
        let command = try? command.get()
        let time = Double(now) / 1e6
        var event = AlertMessage(
            participant: participant, rule: rule, sequence: 0, transition: "command-refused", cause: "command", time: time, decided: time,
            state: "none", severity: "none", priority: "low", kind: definition?.kind.rawValue ?? "technical",
            group: definition?.group ?? "technical", since: time, title: definition?.title.byLanguage ?? ["en": rule],
            message: ["en": "Command refused: \(reason).", "de": "Befehl abgelehnt: \(reason).", "ru": "Команда отклонена: \(reason)."])
        event.actor = command?.actor.flatMap { CommandMessage.isPlain($0) ? $0.kept(200) : nil }
        event.reason = reason
        return event
    }
}

extension AlertCore {
    /// Processes a command or a question.
    func takeCommand(_ message: IncomingMessage, now: ClockSample) {
        let handler = CommandHandler(message: message)
        guard !message.retained else { return refuseRetained(handler, now: now) }
        if let query = handler.query { return transaction.questions.append((query, handler)) }
        switch handler.request(now: now.wall) {
        case .failure(let refusal): refuse(handler, refusal.reason, now)
        case .success(let request): carryOut(request, handler, now: now)
        }
    }

    /// A retained command is old. Its sender is informed once.
    private func refuseRetained(_ handler: CommandHandler, now: ClockSample) {
        guard warned.count < 1000, warned.insert(handler.message.topic).inserted else { return }
        refuse(
            handler,
            "a retained command is not carried out: publish it without the retain flag, and an empty retained message to remove it", now)
    }

    private func refuse(_ handler: CommandHandler, _ reason: String, _ now: ClockSample) {
        transaction.answers += handler.refuse(reason, memory.engine, now: now.wall)
    }

    /// Carries a command out once. A repetition gets the first answer, even if it was refused: an acknowledgement that
    /// was refused without an alert must not silence a later one.
    private func carryOut(_ request: AlertRequest, _ handler: CommandHandler, now: ClockSample) {
        if let identity = handler.identity, !handler.isNumberedAnew, let verdict = memory.batches.verdict(on: identity) {
            return transaction.answers +=
                verdict.refusal.map { handler.refuse($0, memory.engine, now: now.wall, isRepeated: true) }
                ?? handler.reply(#"{"ok":true,"repeated":true}"#)
        }
        let refusal = refusal(of: request, handler, now: now)
        if let identity = handler.identity {
            transaction.record.batches.append(memory.batches.note(identity, refusal: refusal))
        }
        if let refusal { return refuse(handler, refusal, now) }
        transaction.answers += handler.reply(#"{"ok":true}"#)
    }

    /// Carries a command out. Returns the reason for a refusal; for rule `all` the first reason of a rule.
    private func refusal(of request: AlertRequest, _ handler: CommandHandler, now: ClockSample) -> String? {
        // A question may be about everybody; a change is about one person. Otherwise a person called "all" would be
        // created, and the sender would expect a change for everybody.
        guard handler.participant != "all" || memory.engine.knownIndex(of: "all") != nil else {
            return "the command does not say whose alert: \"participant\" is missing"
        }
        let (rules, isAll) = (memory.engine.rules, handler.rule == "all")
        let indices = isAll ? Array(rules.rules.indices) : rules.rule(named: handler.rule).map { [$0] } ?? []
        guard let first = indices.first else { return rules.unknownRule(handler.rule).description }
        let easeAtMost = try? handler.command.get().easeAtMost
        if let problem = rules.problem(with: request, rule: first, isAll: isAll, easeAtMost: easeAtMost, now: now.wall) { return problem }
        var refusal: String?
        for index in indices {
            let known = memory.engine.knownIndex(of: handler.participant)
            guard let request = isAll ? memory.engine.limited(request, ofAll: known, rule: index) : request else { continue }
            do throws(AlertCommandError) {
                try apply(request, handler.participant, index, now: wall(now))
            } catch {
                // For all rules, one without an alert cannot be meant.
                guard !isAll || error != .nothingActive else { continue }
                refusal = refusal ?? (isAll ? "\(rules.rules[index].id): \(error)" : error.description)
            }
        }
        return refusal
    }

    private func apply(_ request: AlertRequest, _ participant: String, _ rule: Int, now: Int64) throws(AlertCommandError) {
        guard let index = index(of: participant) else { throw .tooManyParticipants(capacity) }
        try memory.engine.apply(request, to: index, rule: rule, now: now, into: &transaction.output)
        memory.dirty.insert(index)
        let name = memory.engine.rules.rules[rule].id
        transaction.record.entries.append(.command(participant: participant, rule: name, request, now: now))
    }
}

extension RuleSet {
    /// The longest silences, in microseconds.
    private static let longestSilence: [Rule.Kind: Int64] = [.medical: 24 * 3600 * 1_000_000, .technical: 7 * 86_400 * 1_000_000]

    /// The reason why a command exceeds the limits; nil: it does not.
    func problem(with request: AlertRequest, rule index: Int, isAll: Bool, easeAtMost: Double?, now: Int64) -> String? {
        switch request.command {
        case .silence(let end, _):
            let kind = isAll ? Rule.Kind.medical : rules[index].kind
            guard let most = Self.longestSilence[kind], end - now > most else { return nil }
            return "a silence of a \(kind.rawValue) alert lasts at most \(DurationText.text(microseconds: most))"
        case .setThreshold(let severity, let value):
            if isAll { return "a threshold is set for one rule at a time" }
            guard let value, let easeAtMost else { return nil }
            return easing(of: index, severity, atMost: easeAtMost)?.problem(with: value)
        case .acknowledge, .unsilence, .clear, .setProfile: return nil
        }
    }
}
