import Synchronization

/// The metrics of a process, in Prometheus's text format.
///
/// Asking twice for one name and labels gives the same metric. Threading: everything here from anywhere.
package final class MetricsRegistry: Sendable {
    private let families = Mutex<[String: MetricFamily]>([:])

    package init() {}

    /// A number that only grows. By convention its name ends in `_total`.
    package func counter(_ name: String, help: String, labels: [String: String] = [:]) -> Counter {
        member(name, help: help, kind: .counter, labels) { Counter() }
    }

    /// A number that goes up and down.
    package func gauge(_ name: String, help: String, labels: [String: String] = [:]) -> Gauge {
        member(name, help: help, kind: .gauge, labels) { Gauge() }
    }

    /// A counter that is read from elsewhere whenever the metrics are.
    package func counter(_ name: String, help: String, labels: [String: String] = [:], read: @escaping @Sendable () -> Int) {
        _ = member(name, help: help, kind: .counter, labels) { ReadMetric { Double(read()) } }
    }

    /// A gauge that is read from elsewhere whenever the metrics are.
    package func gauge(_ name: String, help: String, labels: [String: String] = [:], read: @escaping @Sendable () -> Double) {
        _ = member(name, help: help, kind: .gauge, labels) { ReadMetric(read: read) }
    }

    /// A distribution. Its buckets are upper bounds, ascending; the infinite one is added. Times are in seconds.
    package func histogram(
        _ name: String, help: String, buckets: [Double] = Histogram.seconds, labels: [String: String] = [:]
    ) -> Histogram {
        member(name, help: help, kind: .histogram, labels) { Histogram(buckets: buckets) }
    }

    /// All metrics as the text format 0.0.4 has them.
    package func render() -> String {
        let all = families.withLock { $0 }
        return all.sorted { $0.key < $1.key }.map { $0.value.render(name: $0.key) }.joined()
    }

    private func member<Metric: RenderedMetric>(
        _ name: String, help: String, kind: MetricFamily.Kind, _ labels: [String: String], make: () -> Metric
    ) -> Metric {
        let labels = labels.sorted { $0.key < $1.key }.map { MetricLabel(name: $0.key, value: $0.value) }
        return families.withLock { families in
            var family = families[name] ?? MetricFamily(help: help, kind: kind)
            // A name used for two kinds is a mistake in the code: the second gets a metric that is not shown.
            guard family.kind == kind else { return make() }
            if let known = family.members[labels] as? Metric { return known }
            let metric = make()
            family.members[labels] = metric
            families[name] = family
            return metric
        }
    }
}
