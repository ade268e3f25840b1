import Foundation
import VigilSchema

/// A command as it comes on `requests/<account>/alert`.
package struct CommandMessage: Codable, Hashable, Sendable {
    /// `acknowledge`, `silence`, `unsilence`, `clear`, `set-threshold`, `set-profile`, `why`, `history`, `rules`, `reload`, `notify-test`, `notifiers`, `export` or
    /// `erase`.
    package var command: String
    /// The person; everybody, for a question, where missing.
    package var participant: String?
    /// The rule; all of them where missing.
    package var rule: String?
    /// Anything unique: a command that carries it, or a `time`, is carried out once, however often the broker sends it.
    package var id: String?
    /// The name of whoever gives it; required where something changes.
    package var actor: String?
    package var reason: String?
    /// Unix seconds; the time of its receiving where missing.
    package var time: Double?
    /// The time, by the suite's clock, at which the sender was told of the alert, in Unix seconds: an alert that was raised, became worse or
    /// was reminded of later is not answered.
    package var seen: Double?
    /// The end of a silence or clearance in Unix seconds, or …
    package var until: Double?
    /// … its length: `30m`.
    package var duration: String?
    /// The severity of the alert that is acknowledged or cleared, as its sender saw it; the worst severity that a silence hides, or the level whose
    /// threshold is set.
    package var severity: String?
    /// The threshold; missing takes the person's own back.
    package var value: Double?
    /// The share of the way from the rule's limit to the end of what is believable by which the sender may ease the threshold; set by the check of
    /// rights, never by the sender.
    package var easeAtMost: Double?
    package var profile: Profile?
    /// The notifier to be tested.
    package var notifier: String?
    /// The part of an export, from 0.
    package var part: Int?

    /// The facts about a person that rules and scores need.
    package struct Profile: Codable, Hashable, Sendable {
        /// Unix seconds, may be negative; in messages also an ISO date such as `1948-03-01`.
        package var born: Double?
        package var pregnant: Bool?
        /// The date on which the person gave birth, written like `born`: what holds in pregnancy holds for six weeks after.
        package var delivered: Double?
        /// 1 or 2.
        package var saturationScale: Int?
        /// In centimetres.
        package var height: Double?

        package init(
            born: Double? = nil, pregnant: Bool? = nil, delivered: Double? = nil, saturationScale: Int? = nil, height: Double? = nil
        ) {
            self.born = born
            self.pregnant = pregnant
            self.delivered = delivered
            self.saturationScale = saturationScale
            self.height = height
        }
    }

    package init(command: String, actor: String? = nil, reason: String? = nil) {
        self.command = command
        self.actor = actor
        self.reason = reason
    }

    package static let changing = ["acknowledge", "silence", "unsilence", "clear", "set-threshold", "set-profile"]
    package static let asking = ["why", "history", "rules", "reload", "notify-test", "notifiers", "export", "erase"]

    /// The change that it asks for, or why it cannot be understood.
    package func request(now: Int64) -> Result<AlertRequest, CommandRefusal> {
        guard let actor, !actor.isEmpty else { return .failure(CommandRefusal("\"actor\" is missing: who gives the command")) }
        guard actor.utf8.count <= 200 else {
            return .failure(CommandRefusal("\"actor\" is \(actor.utf8.count) bytes long; a name has 200 at most"))
        }
        for (name, text) in [("actor", actor), ("reason", reason ?? "")] where !Self.isPlain(text) {
            return .failure(CommandRefusal("\"\(name)\" holds a control character"))
        }
        let given = time.flatMap { Self.microseconds($0) } ?? now
        guard time == nil || (Self.earliest...now + AlertEngine.commandTolerance).contains(given) else {
            return .failure(CommandRefusal("\"time\" must be in Unix seconds, and not in the future"))
        }
        let severity = severity.flatMap(Severity.init(name:))
        if self.severity != nil, severity == nil { return .failure(CommandRefusal("\"severity\" must be notice, warning or critical")) }
        return parsed(given, severity, now).map {
            AlertRequest(
                command: $0, actor: actor, reason: reason.map { $0.kept(characters: 500) }, time: given,
                seen: SeenAlert(
                    severity: severity, time: seen.flatMap { Self.microseconds($0) } ?? (time == nil ? nil : given), isExact: seen != nil))
        }
    }

    private func parsed(_ given: Int64, _ severity: Severity?, _ now: Int64) -> Result<AlertCommand, CommandRefusal> {
        switch command {
        case "acknowledge": return .success(.acknowledge)
        case "unsilence": return .success(.unsilence)
        case "clear":
            guard hasReason else { return .failure(CommandRefusal("clear needs a \"reason\"")) }
            return end(given).map { .clear(until: $0 ?? AlertCommand.asLongAsAllowed) }
        case "set-threshold":
            guard hasReason else { return .failure(CommandRefusal("a threshold needs a \"reason\"")) }
            guard value?.isFinite ?? true else { return .failure(CommandRefusal("\"value\" must be a number")) }
            return .success(.setThreshold(severity, value))
        case "silence":
            guard hasReason else { return .failure(CommandRefusal("a silence needs a \"reason\"")) }
            return end(given).flatMap { end in
                guard let end else { return .failure(CommandRefusal("a silence needs \"until\" or \"duration\"")) }
                return .success(.silence(until: end, upTo: severity))
            }
        case "set-profile":
            guard let profile else { return .failure(CommandRefusal("\"profile\" is missing")) }
            if let problem = profile.problem(now: now) { return .failure(CommandRefusal(problem)) }
            return .success(.setProfile(profile.engineProfile))
        default:
            return .failure(
                CommandRefusal(
                    "there is no command \"\(command.prefix(40))\"; there are \((Self.changing + Self.asking).joined(separator: ", "))")
            )
        }
    }

    private var hasReason: Bool { reason?.contains { !$0.isWhitespace } ?? false }

    /// The end of a silence or clearance; nil where none is given.
    private func end(_ given: Int64) -> Result<Int64?, CommandRefusal> {
        if let until {
            return Self.microseconds(until).map { .success($0) } ?? .failure(CommandRefusal("\"until\" must be in Unix seconds"))
        }
        guard let duration else { return .success(nil) }
        guard let length = DurationText.microseconds(duration), length > 0 else {
            return .failure(CommandRefusal("\"duration\" must be one: \"30s\", \"5m\", \"1h30m\""))
        }
        return .success(given + length)
    }

    /// The year 2000, before which nobody gave a command.
    private static let earliest: Int64 = 946_684_800_000_000

    /// True for a text without control characters and without marks that turn the direction of writing.
    package static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: false
            default: true
            }
        }
    }

    /// Nil for what no time can be.
    static func microseconds(_ seconds: Double) -> Int64? {
        seconds.isFinite && abs(seconds) < 1e11 ? Int64(seconds * 1e6) : nil
    }
}

/// The reason why a command is refused, in words.
package struct CommandRefusal: Error, Hashable, Sendable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

extension CommandMessage.Profile {
    /// Reads a profile; dates may be numbers or ISO dates.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        born = try Self.date(.born, members)
        delivered = try Self.date(.delivered, members)
        pregnant = try members.decodeIfPresent(Bool.self, forKey: .pregnant)
        saturationScale = try members.decodeIfPresent(Int.self, forKey: .saturationScale)
        height = try members.decodeIfPresent(Double.self, forKey: .height)
    }

    private static func date(_ key: CodingKeys, _ members: KeyedDecodingContainer<CodingKeys>) throws -> Double? {
        guard let text = try? members.decode(String.self, forKey: key) else { return try members.decodeIfPresent(Double.self, forKey: key) }
        guard let date = try? Date(text, strategy: .iso8601.year().month().day()), date.formatted(.iso8601.year().month().day()) == text
        else {
            throw DecodingError.dataCorruptedError(forKey: key, in: members, debugDescription: "a date is written as 1948-03-01")
        }
        return date.timeIntervalSince1970
    }

    /// Returns the problem with what the command asks; nil: there is none.
    fileprivate func problem(now: Int64) -> String? {
        if let born {
            guard let time = CommandMessage.microseconds(born), time <= now, now - time < 130 * 31_556_952_000_000 else {
                return "\"born\" must lie within the last 130 years"
            }
        }
        if let delivered {
            guard let time = CommandMessage.microseconds(delivered), time <= now, now - time < 365 * 86_400_000_000 else {
                return "\"delivered\" is the date of the birth, and must lie within the last year"
            }
        }
        if let saturationScale, !(1...2).contains(saturationScale) { return "\"saturationScale\" is 1 or 2" }
        if let height, !(30...260).contains(height) { return "\"height\" is in centimetres, 30 to 260" }
        return nil
    }

    fileprivate var engineProfile: PersonFacts {
        var result = PersonFacts()
        result.born = born.flatMap(CommandMessage.microseconds)
        result.isPregnant = pregnant ?? false
        result.delivered = delivered.flatMap(CommandMessage.microseconds)
        result.usesScale2 = saturationScale == 2
        result.height = height.map { $0 / 100 }
        return result
    }
}
