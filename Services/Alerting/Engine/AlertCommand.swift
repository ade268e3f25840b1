/// What people ask of an alert.
package enum AlertCommand: Hashable, Sendable {
    case acknowledge
    /// Until a wall time in microseconds; hides up to this severity, nil: the present one.
    case silence(until: Int64, upTo: Severity?)
    case unsilence
    /// Ends the alert by hand; it stays quiet until its condition has ended once, unless it becomes worse.
    case clear
    /// Sets the threshold of the level for this person; nil takes it back.
    case setThreshold(Severity?, Double?)
    /// Replaces what is known of the person.
    case setProfile(ParticipantProfile)
}

/// A command with who gave it.
package struct AlertRequest: Hashable, Sendable {
    package var command: AlertCommand
    package var actor: String
    package var reason: String?
    /// When it was given: wall time in microseconds.
    package var time: Int64

    package init(command: AlertCommand, actor: String, reason: String? = nil, time: Int64) {
        self.command = command
        self.actor = actor
        self.reason = reason
        self.time = time
    }
}

/// Why a command was not carried out.
package enum CommandError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknownRule(String, suggestion: String?)
    case nothingActive
    case endInThePast
    case noThreshold
    case tooManyParticipants(Int)

    package var description: String {
        switch self {
        case .unknownRule(let name, let suggestion): "there is no rule \"\(name)\"" + (suggestion.map { "; \($0)" } ?? "")
        case .nothingActive: "there is no active alert of this rule for this participant"
        case .endInThePast: "the silence's end lies in the past"
        case .noThreshold: "the rule has no such level, or its level compares no single threshold"
        case .tooManyParticipants(let capacity): "\(capacity) other participants are known already; see --participant-limit"
        }
    }
}
