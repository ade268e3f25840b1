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
    /// The attempts at once: a receiver that comes back is not to be overrun.
    static let mostAttempts = 8
    private static let second: Int64 = 1_000_000
    private static let longestPause = 60 * second
    /// The age beyond which an alarm is not sent unconfirmed, because it no longer describes the present.
    private static let longest = 3600 * second

    private var waiting: [Key: Waiting] = [:]
    private var attempts = 0

    /// Takes an alarm to be told. False where too many wait.
    /// - Parameter now: an even clock, in microseconds, as below.
    @discardableResult
    mutating func add(_ alarm: AlertMessage, now: Int64) -> Bool {
        let key = Key(alarm)
        guard waiting[key] == nil else { return true }
        guard waiting.count < Self.most else { return false }
        waiting[key] = Waiting(alarm: alarm, since: now, due: now)
        return true
    }

    /// Returns the alarms whose attempt is due, the oldest first; each is under way until `finished`.
    mutating func begin(now: Int64) -> [AlertMessage] {
        waiting = waiting.filter { $0.value.due == nil || now - $0.value.since <= Self.longest }
        let due = waiting.values.filter { $0.due.map { $0 <= now } ?? false }.map(\.alarm)
        let next = due.sorted { ($0.time, $0.participant, $0.rule) < ($1.time, $1.participant, $1.rule) }
            .prefix(max(0, Self.mostAttempts - attempts))
        for alarm in next { waiting[Key(alarm)]?.due = nil }
        attempts += next.count
        return Array(next)
    }

    /// Notes the end of an attempt. One that failed is repeated after a pause that doubles.
    /// - Parameter spread: A factor of the pause, so that many do not try again at once.
    mutating func finished(_ key: Key, isDelivered: Bool, now: Int64, spread: Double = 1) {
        attempts = max(0, attempts - 1)
        guard !isDelivered, var alarm = waiting[key] else { return waiting[key] = nil }
        let pause = min(Self.longestPause, Self.second << min(alarm.failures, 6))
        alarm.due = now + Int64(Double(pause) * spread)
        alarm.failures += 1
        waiting[key] = alarm
    }

    /// Drops what is stored now, and is told as such, or is over.
    mutating func drop(upTo alert: AlertMessage) {
        let before = Key(alert)
        waiting = waiting.filter { key, _ in
            key.participant != before.participant || key.rule != before.rule || key.sequence > before.sequence
        }
    }

    /// Everything that waits, for another notifier in this one's place.
    var rest: [AlertMessage] { waiting.values.map(\.alarm) }

    mutating func forget(_ participant: String) { waiting = waiting.filter { $0.key.participant != participant } }

    /// The moment of the next attempt; nil while none may begin.
    var nextDue: Int64? { attempts < Self.mostAttempts ? waiting.values.compactMap(\.due).min() : nil }
}
