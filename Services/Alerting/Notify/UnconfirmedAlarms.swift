import VigilSchema

/// The alarms of one notifier that are told before they are stored: which to send when, until each was accepted or is stored.
///
/// Nothing can be kept on disk meanwhile, so that a crash forgets them: the messages they rest on come again. A value without I/O or clock.
struct UnconfirmedAlarms {
    /// Names an alarm.
    struct Key: Hashable, Sendable {
        let participant: String
        let rule: String
        let sequence: UInt32

        init(_ alarm: AlertMessage) { (participant, rule, sequence) = (alarm.participant, alarm.rule, alarm.sequence) }
    }

    private struct Waiting {
        let alarm: AlertMessage
        let since: Int64
        var failures = 0
        /// The moment of the next attempt; nil while one is under way.
        var due: Int64?
    }

    static let most = 1000
    private static let second: Int64 = 1_000_000
    private static let longestPause = 60 * second
    /// What is older is told as it is stored, or not at all: it says nothing of the present.
    private static let longest = 3600 * second

    private var waiting: [Key: Waiting] = [:]

    /// Takes an alarm to be told.
    /// - Parameter now: an even clock, in microseconds, as below.
    mutating func add(_ alarm: AlertMessage, now: Int64) {
        let key = Key(alarm)
        guard waiting[key] == nil, waiting.count < Self.most else { return }
        waiting[key] = Waiting(alarm: alarm, since: now, due: now)
    }

    /// Returns the alarms whose attempt is due; each is under way until `finished`.
    mutating func begin(now: Int64) -> [AlertMessage] {
        waiting = waiting.filter { $0.value.due == nil || now - $0.value.since <= Self.longest }
        let due = waiting.filter { $0.value.due.map { $0 <= now } ?? false }
        for key in due.keys { waiting[key]?.due = nil }
        return due.values.map(\.alarm).sorted { ($0.time, $0.participant, $0.rule) < ($1.time, $1.participant, $1.rule) }
    }

    /// Notes the end of an attempt. One that failed is repeated after a pause that doubles.
    mutating func finished(_ key: Key, isDelivered: Bool, now: Int64) {
        guard !isDelivered, var alarm = waiting[key] else { return waiting[key] = nil }
        alarm.due = now + min(Self.longestPause, Self.second << min(alarm.failures, 6))
        alarm.failures += 1
        waiting[key] = alarm
    }

    /// Drops what is stored now, and is told as such.
    mutating func stored(_ alert: AlertMessage) {
        let before = Key(alert)
        waiting = waiting.filter { key, _ in
            key.participant != before.participant || key.rule != before.rule || key.sequence > before.sequence
        }
    }

    mutating func forget(_ participant: String) { waiting = waiting.filter { $0.key.participant != participant } }

    /// The moment of the next attempt.
    var nextDue: Int64? { waiting.values.compactMap(\.due).min() }
}
