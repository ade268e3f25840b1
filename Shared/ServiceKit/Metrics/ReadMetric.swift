/// A metric whose value lives elsewhere.
final class ReadMetric: RenderedMetric {
    private let read: @Sendable () -> Double

    init(read: @escaping @Sendable () -> Double) { self.read = read }

    func render(name: String, labels: [MetricLabel]) -> String {
        MetricFamily.sample(name, labels, MetricFamily.number(read()))
    }
}
