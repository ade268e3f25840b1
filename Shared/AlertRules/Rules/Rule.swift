/// A condition to watch for, and what to do about it. One alert per participant and rule.
package struct Rule: Sendable {
    /// Medical alarms are about the person, technical ones about the equipment.
    package enum Kind: String, Sendable, CaseIterable { case medical, technical }

    /// A step taken while nobody acknowledges.
    package struct Escalation: Hashable, Sendable {
        /// Microseconds after the first moment of the episode in which nobody had acknowledged.
        package let after: Int64
        /// The addressee, in the notifiers' terms.
        package let to: String
    }

    /// Unique in a rule set; stands in topics.
    package let id: String
    package let kind: Kind
    package let title: Translations
    /// Alerts of one group are told together.
    package let group: String
    /// From the mildest to the worst; at least one.
    package let levels: [RuleLevel]
    /// The places of its levels among the rule set's.
    package let levelRange: Range<Int>
    /// The places of its leaves among the rule set's.
    package let leafRange: Range<Int>
    /// Holds the alert after the condition ended until somebody acknowledges.
    package let isLatching: Bool
    package let schedule: Schedule?
    /// The permitted lateness of a reading, for which a timer waits, in microseconds.
    package let lateness: Int64
    /// Readings older than this when received are not judged.
    package let maximumAge: Int64
    /// Critical readings that are older than that, and no older than this, are told as late findings, in microseconds.
    package var lateUntil: Int64 = 86_400 * 1_000_000
    /// The age groups that it is for; empty: all.
    package let ages: Set<AgeGroup>
    /// The participants that it is for; empty: all.
    package let participants: Set<String>
    /// The profiles that it is for.
    package let profiles: ProfileFilter
    /// The time an alert that somebody ended by hand stays quiet at most, in microseconds.
    package let clearFor: Int64
    /// Its metrics are one reading of several numbers, measured within so many microseconds: half of one ends nothing.
    package let pairing: Int64?
    /// Compares more than one metric.
    package let isMixed: Bool
    package let escalations: [Escalation]
    /// The rules, by place, whose active alert of the same participant keeps this one quiet.
    package var inhibitors: [Int]
    /// The rules, by place, that its conditions refer to.
    package var referred: [Int] = []
    package let message: Translations?
    package let advice: Translations?
    /// The source of its thresholds.
    package let source: String?
    /// Changes where anything that its state depends on changes.
    package let fingerprint: UInt64
}

/// One severity of a rule: when it holds and how long it must hold.
package struct RuleLevel: Hashable, Sendable {
    package let severity: Severity
    package let priority: AlertPriority
    package let condition: Condition
    /// The time the condition must hold before it counts, in microseconds of event time.
    package let delay: Int64
    /// The share of the readings during the delay that must exceed the limit; 1: all of them.
    package var share = 1.0
    /// Whether the rule says the share itself.
    package var isShareGiven = false
    /// The time it still counts after the condition ended.
    package let keepFiring: Int64
    /// The number of readings that must satisfy it within a time before it counts.
    package let repetition: Repetition?
    package var acknowledgement = Acknowledgement()

    /// The limits of an acknowledgement: it ends after a time, and where the alert becomes worse by a margin.
    package struct Acknowledgement: Hashable, Sendable {
        /// Microseconds of the engine's clock; 0: it lasts as long as the alert; nil: an hour where the level is critical.
        package var endsAfter: Int64?
        /// By how much the value must become worse, in the metric's unit; nil: by a margin that follows from the rule's limits.
        package var worsensBy: Double?

        /// The time after which it ends, for a severity; 0: it does not.
        package func end(_ severity: Severity) -> Int64 { endsAfter ?? (severity == .critical ? 3600 * 1_000_000 : 0) }
    }

    /// Readings that must satisfy a condition.
    package struct Repetition: Hashable, Sendable {
        package let count: Int
        /// The number of newest readings that are considered; nil: only those that satisfy it are remembered.
        package let of: Int?
        /// Readings that follow the one before by less count as the same, in microseconds.
        package let apart: Int64
        /// Microseconds of event time.
        package let within: Int64
        /// Its first place among the rule set's remembered times.
        package let ring: Int
        /// Or within so many of the series' usual intervals, where that is longer: who measures once an hour meets no half hour.
        package var intervals = 0

        /// The number of places it has there.
        package var size: Int { of ?? count }
    }
}

/// The severity of an alert, in rising order.
package enum Severity: UInt8, Sendable, Comparable, CaseIterable {
    /// No alert; not a severity that a rule can name.
    case none = 0
    /// Worth knowing.
    case notice
    /// Needs attention soon.
    case warning
    /// Needs attention now.
    case critical

    /// As rule files and messages write it.
    package var name: String { "\(self)" }

    /// The names that rule files can write, from the mildest to the worst.
    package static let writable = Severity.allCases.dropFirst().map(\.name)

    /// Reads a name; `none` is not one.
    package init?(name: String) {
        guard let known = Severity.allCases.dropFirst().first(where: { $0.name == name }) else { return nil }
        self = known
    }

    package static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
}

/// The priority of an alarm signal after IEC 60601-1-8: how soon somebody must act.
package enum AlertPriority: String, Sendable, CaseIterable {
    case low, medium, high

    /// The priority of a severity where the rule names none.
    package init(_ severity: Severity) {
        switch severity {
        case .none, .notice: self = .low
        case .warning: self = .medium
        case .critical: self = .high
        }
    }
}

/// The age groups for which rules can have thresholds of their own.
package enum AgeGroup: String, Sendable, CaseIterable {
    /// Under 1 year.
    case infant
    /// 1 to 11 years.
    case child
    /// 12 to 17 years.
    case adolescent
    /// 18 to 64 years.
    case adult
    /// 65 years and more.
    case older

    /// The ages in years at which another group begins.
    static let bounds: [Double] = [1, 12, 18, 65]

    /// The group of an age in years.
    package init(years: Double) {
        switch years {
        case ..<1: self = .infant
        case ..<12: self = .child
        case ..<18: self = .adolescent
        case ..<65: self = .adult
        default: self = .older
        }
    }
}

/// A text in several languages, by two-letter code (`en`, `de`, `ru`).
package struct Translations: Hashable, Sendable {
    package let byLanguage: [String: String]

    package init(_ byLanguage: [String: String]) { self.byLanguage = byLanguage }

    /// In the language, else in English, else in any.
    package func text(_ language: String) -> String? {
        byLanguage[language] ?? byLanguage["en"] ?? byLanguage.sorted { $0.key < $1.key }.first?.value
    }

    /// The codes that it has, sorted.
    package var languages: [String] { byLanguage.keys.sorted() }
}

/// The people for whom a rule is, by their profiles.
package struct ProfileFilter: Hashable, Sendable {
    /// Only those with NEWS2's oxygen-saturation scale 2 (true) or 1 (false).
    package var usesScale2: Bool?
    /// Only those who are pregnant or have given birth within six weeks (true), or not (false).
    package var isPregnant: Bool?

    /// Tells whether somebody's profile fits at a time.
    func contains(_ profile: PersonFacts, at time: Int64) -> Bool {
        (usesScale2 ?? profile.usesScale2) == profile.usesScale2 && (isPregnant.map { $0 == profile.isMaternal(at: time) } ?? true)
    }
}
