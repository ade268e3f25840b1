/// The class of a beat as far as its time and its shape in one lead tell.
package enum BeatClass: String, Sendable, CaseIterable, Codable {
    /// In time, or of the wearer's usual shape and not early.
    case usual
    /// Of another shape, broader as a rule: like one that comes from a ventricle. Aberrant conduction looks alike.
    case ventricular
    /// Early and of the usual shape: like one that comes from above the ventricles.
    case supraventricular
}

/// Tells early and strange beats from usual ones, one beat late. A value without I/O.
///
/// Ventricular-like is a beat by a logistic regression over how unlike it is to the wearer's usual shapes, how much broader, how early, and whether a
/// pause follows. Its weights were found on the records 106, 108, 115, 119, 122, 124, 201, 203, 207, 209 and 220 of the MIT-BIH Arrhythmia Database, with
/// which P. de Chazal et al. (IEEE Trans Biomed Eng 51 (2004) 1196) train, each record left out in turn while the features were chosen, and on no others.
package struct BeatClassifier: Sendable, Codable {
    private var families = BeatFamilies()
    /// The last intervals, in seconds.
    private var intervals: [Double] = []
    private var waiting: Waiting?

    /// A beat that is judged once the next is known.
    private struct Waiting: Sendable, Codable {
        var interval: Double
        var shape: BeatShape?
    }

    /// Makes a classifier that knows nothing yet.
    package init() {}

    /// Forgets the times but not the shapes: intervals before and after a gap do not compare.
    mutating func gap() {
        intervals.removeAll(keepingCapacity: true)
        waiting = nil
    }

    /// Takes a beat with the interval before it, in seconds; returns the class of the beat before, nil where it cannot be told.
    mutating func push(interval: Double, shape: BeatShape?) -> BeatClass? {
        defer { waiting = Waiting(interval: interval, shape: shape) }
        guard let waiting else { return nil }
        defer {
            intervals.append(waiting.interval)
            if intervals.count > 10 { intervals.removeFirst() }
        }
        guard let shape = waiting.shape, intervals.count >= 5 else { return nil }
        let mean = intervals.reduce(0, +) / Double(intervals.count)
        let (before, after) = (Float(waiting.interval / mean), Float(interval / mean))
        guard let comparison = families.compare(shape, before: before, after: after) else { return nil }
        return BeatEvidence(comparison, before: before, after: after).verdict
    }
}

/// The evidence of one beat's class, each a number of about one.
private struct BeatEvidence {
    /// A fifth earlier than the mean: the usual definition of a premature beat.
    private static let early: Float = 0.8
    /// From this likeness on a beat has the usual shape.
    private static let usual: Float = 0.85
    /// For one, unlikeness, earliness, pause and breadth. The first is 0.7 lower than the regression's: fewer false beats at the price of missed ones.
    private static let weights: [Float] = [-4.827, 1.226, 5.202, 3.289, 3.914]

    private let values: [Float]
    private let isEarly: Bool
    private let isUsual: Bool

    init(_ comparison: BeatFamilies.Comparison, before: Float, after: Float) {
        let unlike = Float.log(max(1 - comparison.likeness, 0) + 0.02) + 3
        let broader = min(max(comparison.breadth, -0.7), 0.9)
        values = [1, unlike, min(max(1 - before, 0), 0.5), min(max(after - 1, 0), 0.6), broader]
        (isEarly, isUsual) = (before < Self.early, comparison.likeness > Self.usual)
    }

    var verdict: BeatClass {
        if zip(values, Self.weights).reduce(0, { $0 + $1.0 * $1.1 }) > 0 { return .ventricular }
        return isEarly && isUsual ? .supraventricular : .usual
    }
}
