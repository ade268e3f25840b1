/// How a person's values of a metric are spread: 64 bins whose counts halve with age. 2 % of the range is its resolution.
struct ValueHistory: Hashable, Sendable {
    static let binCount = 64
    var bins: [Float] = []
    /// Readings that count, faded ones by what is left of them.
    var total: Float = 0
    /// Event time of the last fading.
    var faded: Int64 = 0

    /// Takes a reading.
    mutating func add(_ value: Double, at time: Int64, plan: HistoryPlan) {
        if bins.isEmpty {
            bins = Array(repeating: 0, count: Self.binCount)
            faded = time
        }
        fade(to: time, plan)
        let share = (value - plan.range.lowerBound) / (plan.range.upperBound - plan.range.lowerBound)
        guard share.isFinite else { return }
        // Cut before it becomes a whole number: a value may lie further out than an Int reaches.
        bins[min(Self.binCount - 1, Int(min(max(share, 0), 1) * Double(Self.binCount)))] += 1
        total += 1
    }

    /// The value below which `rank` percent lie, between the bins' edges by interpolation.
    func percentile(_ rank: Double, plan: HistoryPlan) -> Double? {
        guard total > 0 else { return nil }
        let wanted = Float(rank / 100) * total
        let width = (plan.range.upperBound - plan.range.lowerBound) / Double(Self.binCount)
        var below: Float = 0
        for (place, count) in bins.enumerated() where count > 0 {
            if below + count >= wanted {
                return plan.range.lowerBound + width * (Double(place) + Double((wanted - below) / count))
            }
            below += count
        }
        return plan.range.upperBound
    }

    /// Every eighth of a half-life all counts fade together.
    private mutating func fade(to time: Int64, _ plan: HistoryPlan) {
        let step = max(1, plan.halfLife / 8)
        guard time - faded >= step else { return }
        let steps = min(400, (time - faded) / step)
        var factor: Float = 1
        for _ in 0..<steps { factor *= 0.917_004_04 }
        for place in bins.indices { bins[place] *= factor }
        total *= factor
        faded = time
    }
}
