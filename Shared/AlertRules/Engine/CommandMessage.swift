import Foundation

/// A command as it comes on `alert-commands/<participant>/<rule>`.
package struct CommandMessage: Codable, Hashable, Sendable {
    /// `acknowledge`, `silence`, `unsilence`, `clear`, `set-threshold`, `set-profile`, `why`, `history`, `rules` or `reload`.
    package var command: String
    /// Anything unique: a command that carries it, or a `time`, is carried out once, however often the broker sends it.
    package var id: String?
    /// Who gives it; required where something changes.
    package var actor: String?
    package var reason: String?
    /// Unix seconds; the time of its receiving where missing.
    package var time: Double?
    /// A silence's end in Unix seconds, or …
    package var until: Double?
    /// … how long it lasts: `30m`.
    package var duration: String?
    /// What a silence hides at most, or the level whose threshold is set.
    package var severity: String?
    /// The threshold; missing takes the person's own back.
    package var value: Double?
    package var profile: Profile?

    /// What rules and scores must know of a person.
    package struct Profile: Codable, Hashable, Sendable {
        /// Unix seconds, may be negative.
        package var born: Double?
        package var pregnant: Bool?
        /// 1 or 2.
        package var saturationScale: Int?
        /// In centimetres.
        package var height: Double?

        package init(born: Double? = nil, pregnant: Bool? = nil, saturationScale: Int? = nil, height: Double? = nil) {
            self.born = born
            self.pregnant = pregnant
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
    package static let asking = ["why", "history", "rules", "reload"]

    /// What it asks for, or why it cannot be understood.
    package func request(now: Int64) -> Result<AlertRequest, Refusal> {
        guard let actor, !actor.isEmpty, actor.utf8.count <= 200 else {
            return .failure(Refusal("\"actor\" is missing: who gives the command"))
        }
        let given = time.flatMap { Self.microseconds($0) } ?? now
        let severity = severity.flatMap(Severity.init(name:))
        if self.severity != nil, severity == nil { return .failure(Refusal("\"severity\" must be notice, warning or critical")) }
        return parsed(given, severity).map {
            AlertRequest(command: $0, actor: actor, reason: reason.map { String($0.prefix(500)) }, time: given)
        }
    }

    private func parsed(_ given: Int64, _ severity: Severity?) -> Result<AlertCommand, Refusal> {
        switch command {
        case "acknowledge": return .success(.acknowledge)
        case "unsilence": return .success(.unsilence)
        case "clear":
            let end = until.flatMap(Self.microseconds) ?? duration.flatMap(DurationText.microseconds).map { given + $0 }
            return .success(.clear(until: end ?? AlertCommand.asLongAsAllowed))
        case "set-threshold": return .success(.setThreshold(severity, value))
        case "silence":
            let end = until.flatMap(Self.microseconds) ?? duration.flatMap(DurationText.microseconds).map { given + $0 }
            guard let end else { return .failure(Refusal("a silence needs \"until\" or \"duration\"")) }
            guard reason?.isEmpty == false else { return .failure(Refusal("a silence needs a \"reason\"")) }
            return .success(.silence(until: end, upTo: severity))
        case "set-profile":
            guard let profile else { return .failure(Refusal("\"profile\" is missing")) }
            return .success(.setProfile(profile.engineProfile))
        default:
            return .failure(
                Refusal("there is no command \"\(command.prefix(40))\"; there are \((Self.changing + Self.asking).joined(separator: ", "))")
            )
        }
    }

    /// Nil for what no time can be.
    static func microseconds(_ seconds: Double) -> Int64? {
        seconds.isFinite && abs(seconds) < 1e11 ? Int64(seconds * 1e6) : nil
    }
}

/// Why a command is refused, in words.
package struct Refusal: Error, Hashable, Sendable {
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension CommandMessage.Profile {
    fileprivate var engineProfile: ParticipantProfile {
        var result = ParticipantProfile()
        result.born = born.flatMap(CommandMessage.microseconds)
        result.isPregnant = pregnant ?? false
        result.usesScale2 = saturationScale == 2
        result.height = height.map { $0 / 100 }
        return result
    }
}
