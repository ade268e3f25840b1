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

    /// Takes out every metric of a name that has all of these labels.
    package func remove(_ name: String, labels: [String: String]) {
        let wanted = labels.map { MetricLabel(name: $0.key, value: $0.value) }
        families.withLock { families in
            guard let members = families[name]?.members else { return }
            families[name]?.members = members.filter { !wanted.allSatisfy($0.key.contains) }
        }
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

/// One label of a metric.
struct MetricLabel: Hashable, Sendable {
    let name: String
    let value: String

    var text: String {
        let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return "\(name)=\"\(escaped)\""
    }
}

/// A metric that can write its samples.
protocol RenderedMetric: Sendable {
    /// Lines for the text format, each ending in a newline.
    func render(name: String, labels: [MetricLabel]) -> String
}

/// All metrics of one name, told apart by their labels.
struct MetricFamily: Sendable {
    enum Kind: String, Sendable { case counter, gauge, histogram }

    let help: String
    let kind: Kind
    var members: [[MetricLabel]: any RenderedMetric] = [:]

    func render(name: String) -> String {
        let escaped = help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        let head = "# HELP \(name) \(escaped)\n# TYPE \(name) \(kind.rawValue)\n"
        let samples = members.map { (key: $0.key.map(\.text).joined(separator: ","), text: $0.value.render(name: name, labels: $0.key)) }
        return head + samples.sorted { $0.key < $1.key }.map(\.text).joined()
    }

    static func sample(_ name: String, _ labels: [MetricLabel], _ value: String) -> String {
        let text = labels.isEmpty ? "" : "{\(labels.map(\.text).joined(separator: ","))}"
        return "\(name)\(text) \(value)\n"
    }

    /// A number as the text format writes it: `3`, `0.25`, `+Inf`.
    static func number(_ value: Double) -> String {
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if value.isNaN { return "NaN" }
        return Int64(exactly: value).map { String($0) } ?? String(value)
    }
}
