/// How many of the reference's marks a detector found: one to one, nearest pairs first.
package struct MarkMatching: Equatable, Sendable {
    package var hits = 0
    package var missed = 0
    package var extra = 0

    /// Both in ascending order; a pair is at most `reach` apart.
    package init(reference: [Int64], detected: [Int64], within reach: Int64) {
        var pairs: [(distance: Int64, reference: Int, detected: Int)] = []
        var first = 0
        for (index, mark) in reference.enumerated() {
            while first < detected.count, detected[first] < mark - reach { first += 1 }
            var candidate = first
            while candidate < detected.count, detected[candidate] <= mark + reach {
                pairs.append((abs(detected[candidate] - mark), index, candidate))
                candidate += 1
            }
        }
        hits = Self.oneToOne(pairs, reference.count, detected.count)
        missed = reference.count - hits
        extra = detected.count - hits
    }

    package init() {}

    private static func oneToOne(_ pairs: [(distance: Int64, reference: Int, detected: Int)], _ references: Int, _ detections: Int) -> Int {
        var usedReference = [Bool](repeating: false, count: references)
        var usedDetected = [Bool](repeating: false, count: detections)
        var hits = 0
        for pair in pairs.sorted(by: { $0 < $1 }) where !usedReference[pair.reference] && !usedDetected[pair.detected] {
            (usedReference[pair.reference], usedDetected[pair.detected]) = (true, true)
            hits += 1
        }
        return hits
    }

    /// The share of the reference's marks that were found.
    package var sensitivity: Double { Double(hits) / Double(max(1, hits + missed)) }

    /// The share of what was found that is right.
    package var precision: Double { Double(hits) / Double(max(1, hits + extra)) }

    /// The harmonic mean of both.
    package var f1: Double { 2 * Double(hits) / Double(max(1, 2 * hits + missed + extra)) }

    package static func + (left: MarkMatching, right: MarkMatching) -> MarkMatching {
        var sum = left
        sum.hits += right.hits
        sum.missed += right.missed
        sum.extra += right.extra
        return sum
    }
}
