import Synchronization

/// A number that goes up and down.
package final class Gauge: RenderedMetric {
    private let bits = Atomic<UInt64>(0)

    /// The present value.
    package var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    package func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    /// Adds, also a negative amount.
    package func add(_ amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (done, found) = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if done { return }
            old = found
        }
    }

    func render(name: String, labels: [MetricLabel]) -> String {
        MetricFamily.sample(name, labels, MetricFamily.number(value))
    }
}
