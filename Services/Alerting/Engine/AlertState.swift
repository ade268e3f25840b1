/// One alert's lifecycle for one participant and rule.
struct AlertState: Hashable, Sendable {
    enum Phase: UInt8, Sendable { case none, pending, active }

    struct Flags: OptionSet, Hashable, Sendable {
        let rawValue: UInt8
        /// The condition ended; latched until somebody acknowledges.
        static let recovered = Flags(rawValue: 1)
        /// Another rule's active alert keeps it quiet.
        static let inhibited = Flags(rawValue: 2)
        /// Nothing more is known of the condition.
        static let dataLost = Flags(rawValue: 4)
        /// The rule is not for this participant.
        static let excluded = Flags(rawValue: 8)
    }

    var phase = Phase.none
    var severity = Severity.none
    /// The severity that was acknowledged; `none`: not acknowledged.
    var acknowledged = Severity.none
    var flags: Flags = []
    /// After a clear by hand: what is not worse than this stays quiet until the condition has ended once.
    var rearm = Severity.none
    /// What is not worse than this is silenced until `silencedUntil`.
    var silence = Severity.none
    /// How many escalation steps were taken.
    var stage: UInt8 = 0
    /// Counts the alert's events: the newest one's number.
    var sequence: UInt32 = 0
    /// When its condition began, before its delay: event time.
    var since: Int64 = 0
    /// The engine's clock when it was raised or became worse: escalation counts from here.
    var alarmedClock: Int64 = 0
    /// Wall time in microseconds; 0: no silence.
    var silencedUntil: Int64 = 0

    var isActive: Bool { phase == .active }
    var isAcknowledged: Bool { acknowledged != .none && acknowledged >= severity }
    var isSilenced: Bool { silencedUntil > 0 && severity <= silence }
}
