import Synchronization

/// A number that only grows.
package final class Counter: RenderedMetric {
    private let count = Atomic<Int64>(0)

    /// Adds; a negative amount is not added.
    package func add(_ amount: Int = 1) {
        if amount > 0 { count.wrappingAdd(Int64(amount), ordering: .relaxed) }
    }

    /// What was added so far.
    package var value: Int { Int(count.load(ordering: .relaxed)) }

    func render(name: String, labels: [MetricLabel]) -> String { MetricFamily.sample(name, labels, String(value)) }
}
