import VigilSchema

/// The alarms of one notifier that are sent before they are stored: which to send when, until each is accepted or
/// stored.
///
/// A crash loses this state, because nothing can be stored; the input messages are then delivered again. A value
/// without I/O or clock.
struct UnconfirmedAlarms {
    /// The identity of an alarm.
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
        /// The time of the next attempt; nil: one is in flight.
        var due: Int64?
    }

    static let most = 1000
    private static let second: Int64 = 1_000_000
    private static let longestPause = 60 * second
    /// The age beyond which an alarm is not sent unconfirmed, because it no longer describes the present.
    private static let longest = 3600 * second

    private var waiting: [Key: Waiting] = [:]

    /// Adds an alarm.
    /// - Parameter now: a monotonic clock in microseconds, as below.
    mutating func add(_ alarm: AlertMessage, now: Int64) {
        let key = Key(alarm)
        guard waiting[key] == nil, waiting.count < Self.most else { return }
        waiting[key] = Waiting(alarm: alarm, since: now, due: now)
    }

    /// Returns the due alarms; each is in flight until `finished`.
    mutating func begin(now: Int64) -> [AlertMessage] {
        waiting = waiting.filter { $0.value.due == nil || now - $0.value.since <= Self.longest }
        let due = waiting.filter { $0.value.due.map { $0 <= now } ?? false }
        for key in due.keys { waiting[key]?.due = nil }
        return due.values.map(\.alarm).sorted { ($0.time, $0.participant, $0.rule) < ($1.time, $1.participant, $1.rule) }
    }

    /// Ends an attempt. After a failure the pause doubles.
    mutating func finished(_ key: Key, isDelivered: Bool, now: Int64) {
        guard !isDelivered, var alarm = waiting[key] else { return waiting[key] = nil }
        alarm.due = now + min(Self.longestPause, Self.second << min(alarm.failures, 6))
        alarm.failures += 1
        waiting[key] = alarm
    }

    /// Removes an alarm that is stored and is sent as such.
    mutating func stored(_ alert: AlertMessage) {
        let before = Key(alert)
        waiting = waiting.filter { key, _ in
            key.participant != before.participant || key.rule != before.rule || key.sequence > before.sequence
        }
    }

    mutating func forget(_ participant: String) { waiting = waiting.filter { $0.key.participant != participant } }

    /// The time of the next attempt.
    var nextDue: Int64? { waiting.values.compactMap(\.due).min() }
}
