/// Suspects atrial fibrillation from the intervals between beats alone: in fibrillation nearly every two of them differ.
///
/// Method and all its numbers: A. Petrėnas, V. Marozas, L. Sörnmo, Low-complexity detection of atrial fibrillation in continuous long-term monitoring,
/// Comput Biol Med 65 (2015) 184–191. Of the last eight intervals, each the median of three so that a single extrasystole does not count, the share of
/// pairs is taken that differ by 30 ms and more, relative to the interval's length; the ratio between the intervals and their medians tells bigeminy,
/// which is irregular but repeats. The averages run forward only, as nothing is known of what comes, so that an episode is seen, and its end, some
/// dozens of beats late. A value without I/O.
package struct FibrillationDetector: Sendable, Codable {
    private static let window = 8
    /// The difference from which two intervals differ, in seconds.
    private static let difference = 0.03
    /// The weight of the newest beat in the averages.
    private static let weight = 0.02
    /// Below this the intervals are like their medians: regular, or bigeminy.
    private static let bigeminy = 2e-4
    /// Above this, in pairs a second, fibrillation is suspected.
    private static let threshold = 0.725
    /// The beats that must be known before anything is said.
    private static let learning = 15

    private var intervals: [Double] = []
    private var medians: [Double] = []
    private var count = 0
    private var trend = 0.0
    private var irregularity = 0.0
    private var deviation = 0.0

    /// Makes a detector that knows nothing yet.
    package init() {
        intervals.reserveCapacity(Self.window + 2)
        medians.reserveCapacity(Self.window + 1)
    }

    /// Takes the interval before a beat, in seconds; returns whether fibrillation is suspected around the beat before, nil while too little is known.
    package mutating func push(_ interval: Double) -> Bool? {
        intervals.append(interval)
        guard intervals.count >= 3 else { return nil }
        if intervals.count > Self.window + 1 { intervals.removeFirst() }
        let last = intervals.count - 1
        medians.append(Self.middle(intervals[last - 2], intervals[last - 1], intervals[last]))
        if medians.count > Self.window { medians.removeFirst() }
        guard medians.count == Self.window, intervals.count == Self.window + 1 else { return nil }
        average(intervals[last - 1])
        guard count >= Self.learning else { return nil }
        return deviation >= Self.bigeminy && irregularity / trend > Self.threshold
    }

    private mutating func average(_ interval: Double) {
        count += 1
        // The mean of all at first, so that the first beats do not weigh for a minute.
        let part = max(1 / Double(count), Self.weight)
        trend += part * (interval - trend)
        irregularity += part * (share - irregularity)
        let ratio = medians.reduce(0, +) / intervals.dropLast().reduce(0, +) - 1
        deviation += part * (ratio * ratio - deviation)
    }

    /// The share of pairs that differ.
    private var share: Double {
        var different = 0
        for left in 0..<Self.window - 1 {
            for right in left + 1..<Self.window where abs(medians[left] - medians[right]) >= Self.difference { different += 1 }
        }
        return 2 * Double(different) / Double(Self.window * (Self.window - 1))
    }

    private static func middle(_ a: Double, _ b: Double, _ c: Double) -> Double { max(min(a, b), min(max(a, b), c)) }
}
