/// A benchmark's medians, as the JSON file has them.
struct Outcome: Encodable, Sendable {
    let name: String
    let value: Double
    let limit: Double?
    /// Value by limit; the median of the rounds' ratios, since each round's two are measured close together.
    let ratio: Double?
    let goal: Double
    let met: Bool
    let unit: String
    /// Why the goal was missed, as far as it was measured.
    var reason: String?

    init(_ benchmark: any Benchmark, values: [Double], limits: [Double]) {
        name = benchmark.name
        unit = benchmark.unit
        goal = benchmark.goal.number
        value = values.median
        limit = limits.isEmpty ? nil : limits.median
        ratio = limits.isEmpty ? nil : zip(values, limits).map { $0 / $1 }.median
        met = benchmark.goal.isMet(value: value, ratio: ratio)
    }
}

extension [Double] {
    /// The middle one, or the mean of the two in the middle.
    var median: Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return .nan }
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}
