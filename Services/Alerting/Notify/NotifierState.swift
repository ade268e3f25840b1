import HTTPClient
import Synchronization

/// A notifier's condition, in rules the metric `notifier-status`.
package enum NotifierCondition: String, Sendable, CaseIterable {
    case delivering
    /// Several deliveries in a row failed.
    case failing
    /// The receiver is reached, but not all its recipients.
    case recipientRefused = "recipient-refused"
    /// The monitor of the dead man's switch refuses the heartbeat.
    case heartbeatRefused = "heartbeat-refused"
    /// The notifier file has a mistake.
    case wrongFile = "wrong-file"
}

/// The deliveries of one notifier so far, with failures and refusals. Threading: callable from any task.
final class NotifierState: Sendable {
    /// The part that operators see.
    struct Snapshot: Sendable {
        /// Failures since the last success.
        var failures = 0
        /// The reason of the last failure; nil after a success.
        var error: String?
        /// The refused recipients, by address.
        var refused: [String: MailRefusal] = [:]
        /// The reason why some recipients can never be reached.
        var problem: String?
        /// The time of the last success in Unix seconds; nil before the first.
        var delivered: Double?
        /// The time of the last failure in Unix seconds.
        var failed: Double?

        /// Whether everybody is reached, as far as was tried.
        var isWell: Bool { failures < NotificationPlanner.failuresUntilAlarm && refused.isEmpty && problem == nil }

        /// The state as text for operators.
        var line: String {
            let state: [String?] = [
                failures > 0 ? "failed \(failures) times: \(error ?? "")" : delivered == nil ? "nothing sent yet" : "delivering", problem,
            ]
            return (state.compactMap(\.self) + refused.values.map { "refused: \($0)" }.sorted()).joined(separator: "; ")
        }
    }

    /// The change after a delivery, for the log.
    struct Change: Sendable {
        /// The number of failures that ended.
        var recovered = 0
        /// The recipients that are newly refused, or with another code.
        var refused: [MailRefusal] = []
    }

    private let state = Mutex(Snapshot())
    private let log = Mutex(DeliveryLog())

    var snapshot: Snapshot { state.withLock { $0 } }

    /// Whether somebody is refused.
    var hasRefusals: Bool { state.withLock { !$0.refused.isEmpty || $0.problem != nil } }

    /// The deliveries by alert.
    func withDeliveries<Result>(_ body: (inout DeliveryLog) -> Result) -> Result { log.withLock { body(&$0) } }

    func set(problem: String?) { state.withLock { $0.problem = problem } }

    /// Notes a delivery at a time in Unix seconds.
    func delivered(_ refused: [MailRefusal], at time: Double) -> Change {
        state.withLock { state in
            var change = Change(recovered: state.failures)
            change.refused = refused.filter { state.refused[$0.address]?.code != $0.code }
            state.failures = 0
            state.error = nil
            state.delivered = time
            state.refused = Dictionary(refused.map { ($0.address, $0) }, uniquingKeysWith: { $1 })
            return change
        }
    }

    /// Notes a failure.
    /// - Returns: the number of failures in a row if it should be logged: the first, and then each doubling.
    func failed(_ error: ChannelError, at time: Double) -> Int? {
        state.withLock { state in
            let isFirst = state.failures == 0
            state.failures += 1
            state.failed = time
            if error.isLasting { state.failures = max(state.failures, NotificationPlanner.failuresUntilAlarm) }
            state.error = error.description
            for refusal in error.refused { state.refused[refusal.address] = refusal }
            return isFirst || state.failures.nonzeroBitCount == 1 ? state.failures : nil
        }
    }
}
