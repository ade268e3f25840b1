/// What to watch for, and what to do about it. One alert a participant and rule.
package struct Rule: Sendable {
    /// Medical alarms are about the person, technical ones about the equipment.
    package enum Kind: String, Sendable, CaseIterable { case medical, technical }

    /// A step taken while nobody acknowledges.
    package struct Escalation: Hashable, Sendable {
        /// Microseconds after the alert was raised or became worse.
        package let after: Int64
        /// Whom it is for, in the notifiers' terms.
        package let to: String
    }

    /// Unique in a rule set; stands in topics.
    package let id: String
    package let kind: Kind
    package let title: LocalizedText
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
    /// How late a reading may come and how long a timer waits for late ones, in microseconds.
    package let lateness: Int64
    /// Readings older than this when received are not judged.
    package let maximumAge: Int64
    /// The age groups that it is for; empty: all.
    package let ages: Set<AgeGroup>
    /// The participants that it is for; empty: all.
    package let participants: Set<String>
    package let escalations: [Escalation]
    /// The rules, by place, whose active alert of the same participant keeps this one quiet.
    package var inhibitors: [Int]
    package let message: LocalizedText?
    package let advice: LocalizedText?
    /// Where its thresholds come from.
    package let source: String?
    /// Changes where anything that its state depends on changes.
    package let fingerprint: UInt64
}
