import JSON5
import VigilSchema

/// A person's command to an alert.
package enum AlertCommand: Hashable, Sendable {
    case acknowledge
    /// Until a wall time in microseconds; hides up to this severity, nil: the present one.
    case silence(until: Int64, upTo: Severity?)
    case unsilence
    /// Ends the alert by hand; it stays quiet until its condition has ended once or this wall time in microseconds is reached, unless it becomes
    /// worse.
    case clear(until: Int64)
    /// Sets the threshold of the level for this person; nil takes it back.
    case setThreshold(Severity?, Double?)
    /// Replaces what is known of the person.
    case setProfile(PersonFacts)

    /// The end of a clearance that names none.
    package static let asLongAsAllowed: Int64 = 1 << 60
}

/// A command with who gave it.
package struct AlertRequest: Hashable, Sendable {
    package var command: AlertCommand
    package var actor: String
    package var reason: String?
    /// The time at which it was given: wall time in microseconds.
    package var time: Int64
    /// The alert that its sender saw, where the command says so. It decides whether the command is carried out, and is not kept with it.
    package var seen: SeenAlert

    package init(command: AlertCommand, actor: String, reason: String? = nil, time: Int64, seen: SeenAlert = SeenAlert()) {
        self.command = command
        self.actor = actor
        self.reason = reason
        self.time = time
        self.seen = seen
    }
}

/// What the sender of a command says of the alert that it answers.
package struct SeenAlert: Hashable, Sendable {
    /// The severity that was shown.
    package var severity: Severity?
    /// The time at which the command was given: wall time in microseconds.
    package var time: Int64?
    /// Whether the time is by the suite's own clock, and needs no tolerance.
    package var isExact = false

    package init(severity: Severity? = nil, time: Int64? = nil, isExact: Bool = false) {
        self.severity = severity
        self.time = time
        self.isExact = isExact
    }
}

/// The reason why a command was not carried out.
package enum AlertCommandError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknownRule(String, suggestion: String?)
    case nothingActive
    /// The alert is worse than the one that was seen.
    case isWorse(than: Severity, Severity)
    /// The command was given before the alert was raised.
    case isAnother
    case endInThePast
    case noThreshold
    /// Microseconds.
    case tooLong(Int64)
    case implausible
    case outOfOrder(Severity, Double)
    case tooManyParticipants(Int)

    package var description: String {
        switch self {
        case .unknownRule(let name, let suggestion): "there is no rule \"\(name)\"" + (suggestion.map { "; \($0)" } ?? "")
        case .nothingActive: "there is no active alert of this rule for this participant"
        case .isWorse(let seen, let present):
            "the alert is \(present.name) by now, and the one that was seen was \(seen.name): look at it again"
        case .isAnother: "this alert was raised after the command was given: look at it again"
        case .endInThePast: "the end lies in the past"
        case .tooLong(let longest): "that is too long: at most \(DurationText.text(microseconds: longest))"
        case .implausible: "no believable reading passes such a threshold"
        case .outOfOrder(let severity, let limit):
            "the level \(severity.name) has the limit \(AlertTexts.number(limit)): the worse must lie beyond the milder"
        case .noThreshold: "the rule has no such level, or its level compares no single threshold"
        case .tooManyParticipants(let capacity): "\(capacity) other participants are known already; see --participant-limit"
        }
    }
}

extension RuleSet {
    /// The refusal of a rule's name that nothing has, with the one that was probably meant.
    package func unknownRule(_ name: String) -> AlertCommandError {
        .unknownRule(name, suggestion: Spelling.suggestion(for: name, among: rules.map(\.id)))
    }
}

/// The facts about a person that rules and scores need.
package struct PersonFacts: Hashable, Sendable {
    /// Microseconds since 1970 of the birth date, where known.
    package var born: Int64?
    package var isPregnant = false
    /// Microseconds since 1970 of a birth that the person gave, where known.
    package var delivered: Int64?
    /// NEWS2's oxygen-saturation scale: 2 only where a clinician has set it.
    package var usesScale2 = false
    /// In metres, where known.
    package var height: Double?

    package init() {}

    /// The age in years at a time.
    package func age(at time: Int64) -> Double? { born.map { Double(time - $0) / Self.year } }

    /// The age group at a time.
    package func ageGroup(at time: Int64) -> AgeGroup? { age(at: time).map(AgeGroup.init(years:)) }

    /// Tells whether what holds in pregnancy holds: until six weeks after the birth, where its date is known.
    package func isMaternal(at time: Int64) -> Bool { maternalEnd.map { time < $0 } ?? isPregnant }

    /// The time at which what holds in pregnancy ends, where it is known.
    var maternalEnd: Int64? { delivered.map { $0 + Self.postpartum } }

    /// The time at which an age in years is reached for sure, however it is rounded.
    func time(ofAge years: Double) -> Int64? { born.map { $0 + Int64(min(years * Self.year, 0x1p60).rounded(.up)) + 1000 } }

    /// What it says changes by time alone.
    var isTimed: Bool { born != nil || delivered != nil }

    /// Six weeks, in microseconds.
    static let postpartum: Int64 = 42 * 86_400 * 1_000_000

    /// Microseconds.
    private static let year = 365.2425 * 86_400e6
}
