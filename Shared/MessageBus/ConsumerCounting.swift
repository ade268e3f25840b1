import Synchronization

/// The consumer's counters, written by its thread and read by anyone.
final class ConsumerCounting: Sendable {
    private let counters = Mutex(ConsumerCounters())

    var value: ConsumerCounters { counters.withLock { $0 } }

    func update(_ change: (inout ConsumerCounters) -> Void) {
        counters.withLock { change(&$0) }
    }
}
