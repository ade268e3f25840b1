import Synchronization

/// A number that only grows.
package final class Counter: RenderedMetric {
    private let count = Atomic<Int64>(0)

    /// Adds; a negative amount is not added.
    package func add(_ amount: Int = 1) {
        if amount > 0 { count.wrappingAdd(Int64(amount), ordering: .relaxed) }
    }

    /// The sum so far.
    package var value: Int { Int(count.load(ordering: .relaxed)) }

    func render(name: String, labels: [MetricLabel]) -> String { MetricFamily.sample(name, labels, String(value)) }
}

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

/// A histogram: the number of values below each of several bounds, with their sum.
package final class Histogram: RenderedMetric {
    /// Bounds for latencies, in seconds: 1 ms to 60 s.
    package static let seconds: [Double] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
    /// Bounds for numbers of things: 1 to 100,000.
    package static let sizes: [Double] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000]

    private struct State {
        var counts: [Int]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(buckets: [Double]) {
        bounds = buckets.sorted()
        state = Mutex(State(counts: Array(repeating: 0, count: buckets.count + 1)))
    }

    /// Counts a value.
    package func observe(_ value: Double) {
        let index = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[index] += 1
            state.sum += value
        }
    }

    /// Counts a time in seconds.
    package func observe(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        observe(Double(seconds) + Double(attoseconds) / 1e18)
    }

    /// The number of values that were counted.
    package var count: Int { state.withLock { $0.counts.reduce(0, +) } }

    func render(name: String, labels: [MetricLabel]) -> String {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        var text = ""
        var total = 0
        for (index, bound) in (bounds + [.infinity]).enumerated() {
            total += counts[index]
            let bounded = labels + [MetricLabel(name: "le", value: MetricFamily.number(bound))]
            text += MetricFamily.sample("\(name)_bucket", bounded, String(total))
        }
        text += MetricFamily.sample("\(name)_sum", labels, MetricFamily.number(sum))
        return text + MetricFamily.sample("\(name)_count", labels, String(total))
    }
}

/// A metric whose value lives elsewhere.
final class ReadMetric: RenderedMetric {
    private let read: @Sendable () -> Double

    init(read: @escaping @Sendable () -> Double) { self.read = read }

    func render(name: String, labels: [MetricLabel]) -> String {
        MetricFamily.sample(name, labels, MetricFamily.number(read()))
    }
}
