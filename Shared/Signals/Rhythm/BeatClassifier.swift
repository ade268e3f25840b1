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
/// Ventricular-like is a beat by a logistic regression over how unlike it is to the wearer's usual shapes, how much broader, how early, whether a
/// pause follows, and what was found of the beats of its own shape before. Its weights were found on the records 106, 108, 115, 119, 122, 124, 201,
/// 203, 207, 209 and 220 of the MIT-BIH Arrhythmia Database, with which P. de Chazal et al. (IEEE Trans Biomed Eng 51 (2004) 1196) train, and on no
/// others; so were the limits of supraventricular-like beats.
package struct BeatClassifier: Sendable, Codable {
    /// The most early beats in a row that are no faster than the usual rate may become: atrial couplets and triplets come slowly too.
    private static let longestRow = 4
    /// As many beats of one shape are no noise.
    private static let familiar: Float = 3

    private var families = BeatFamilies()
    private var usual = UsualInterval()
    private var waiting: Waiting?
    /// The interval before that of the beat that waits, in seconds.
    private var earlier: Double?
    /// The supraventricular-like beats in a row that were judged last.
    private var row = 0
    /// Whether the beat that was judged last is ventricular unless it is noise.
    private(set) var isDoubtful = false

    /// A beat that is judged once the next is known.
    private struct Waiting: Sendable, Codable {
        var interval: Double
        var shape: BeatShape?
        var isGood: Bool
    }

    /// Makes a classifier that knows nothing yet.
    package init() {}

    /// Forgets the times but not the shapes: intervals before and after a gap do not compare.
    mutating func gap() {
        (usual, waiting, earlier) = (UsualInterval(), nil, nil)
        (isDoubtful, row) = (false, 0)
    }

    /// Takes a beat with the interval before it, in seconds; returns the class of the beat before, nil where it cannot be told.
    /// - Parameter isGood: the signal is so quiet that a strange shape is a beat's.
    mutating func push(interval: Double, shape: BeatShape?, isGood: Bool = true) -> BeatClass? {
        defer { waiting = Waiting(interval: interval, shape: shape, isGood: isGood) }
        guard let waiting else { return nil }
        let kind = judge(waiting, next: interval)
        row = kind == .supraventricular ? row + 1 : 0
        usual.add(waiting.interval)
        earlier = waiting.interval
        return kind
    }

    private mutating func judge(_ beat: Waiting, next: Double) -> BeatClass? {
        isDoubtful = false
        guard let shape = beat.shape, let reference = usual.seconds else { return nil }
        let (comparison, likenesses) = families.compare(shape)
        let (before, after) = (Float(beat.interval / reference), Float(next / reference))
        let evidence = comparison.map { BeatEvidence($0, before: before, after: after) }
        families.learn(shape, likenesses, before: before, after: after, evidence: evidence?.sum)
        guard let evidence, let comparison else { return nil }
        if evidence.isVentricular {
            isDoubtful = !beat.isGood && comparison.family?.judged ?? 0 < Self.familiar
            return isDoubtful ? nil : .ventricular
        }
        return isSupraventricular(beat.interval, reference, comparison.likeness) ? .supraventricular : .usual
    }

    /// Early and of the usual shape: earlier than the beat before too, as fast as in a run, or the second to fourth of a row.
    private func isSupraventricular(_ interval: Double, _ reference: Double, _ likeness: Float) -> Bool {
        guard interval < 0.84 * reference, likeness > 0.9 else { return false }
        if (1..<Self.longestRow).contains(row) { return true }
        return interval < 0.85 * (earlier ?? interval) || interval < VentricularPattern.fast
    }
}

/// The evidence that a beat comes from a ventricle.
private struct BeatEvidence {
    /// For one, unlikeness, earliness, pause, breadth, lateness, and of the family how distinct it is and alone, how early, and its pause.
    private static let weights: [Float] = [-4.48, 0.967, 1.88, 2.887, 3.513, -2.572, 1.928, 2.27, 2.579]
    /// The same beside the mean of the family's evidence, whose weight is the last.
    private static let second: [Float] = [-1.498, 0.338, 1.992, 2.664, 0.961, -2.31, 0.652, -1.037, 1.261, 0.89]

    private let values: [Float]
    private let family: Float

    init(_ comparison: BeatFamilies.Comparison, before: Float, after: Float) {
        let unlike = Self.unlikeness(comparison.likeness)
        var (distinct, early, pause): (Float, Float, Float) = (0, 1 - before, after - 1)
        if let kin = comparison.family {
            distinct = min(max(unlike - Self.unlikeness(kin.likeness), 0), 3) * min(max(kin.alone - 0.5, 0), 0.5)
            (early, pause) = (1 - kin.before, kin.after - 1)
        }
        values = [
            1, unlike, min(max(1 - before, 0), 0.5), min(max(after - 1, 0), 0.6), min(max(comparison.breadth, -0.7), 0.9),
            min(max(before - 1, 0), 0.5), distinct, min(max(early, 0), 0.5), min(max(pause, 0), 0.6),
        ]
        family = comparison.family?.evidence ?? 0
    }

    private static func unlikeness(_ likeness: Float) -> Float { Float.log(max(1 - likeness, 0) + 0.02) + 3 }

    /// Of the beat alone.
    var sum: Float { zip(values, Self.weights).reduce(0) { $0 + $1.0 * $1.1 } }

    var isVentricular: Bool { zip(values + [family], Self.second).reduce(0) { $0 + $1.0 * $1.1 } > 0 }
}
