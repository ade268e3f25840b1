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
