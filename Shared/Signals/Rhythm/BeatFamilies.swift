/// The shapes of one wearer's beats, up to six, with how often and at which time each comes.
///
/// A shape is usual that comes most, or often, neither early nor before a pause; every other beat is compared with the usual ones. In a wearer
/// with a pacemaker, a bundle-branch block or a rhythm that comes from a ventricle all the time, that is the usual shape.
struct BeatFamilies: Sendable, Codable {
    private static let count = 6
    /// From this likeness on two beats have one shape.
    private static let alike: Float = 0.9
    /// The beats before anything is said to be usual.
    private static let learning: Float = 12

    /// A shape, and the timing of its beats.
    private struct Family: Sendable, Codable {
        var shape: BeatShape
        /// The beats that had it, older ones counting less.
        var uses: Float = 1
        /// All of them, which decides how fast the shape follows.
        var learnt: Float = 1
        /// The mean interval before and after, relative to the wearer's.
        var before: Float
        var after: Float
    }

    private var families: [Family] = []

    /// A beat beside the usual one that it resembles most.
    struct Comparison: Sendable {
        /// −1 to 1.
        var likeness: Float
        /// The natural logarithm of the ratio.
        var breadth: Float
    }

    /// Compares a beat, and learns from it; nil while too few are known.
    /// - Parameters:
    ///   - before: the interval before it relative to the wearer's mean.
    ///   - after: the one after it.
    mutating func compare(_ shape: BeatShape, before: Float, after: Float) -> Comparison? {
        let likenesses = families.map { shape.likeness(to: $0.shape) }
        let comparison = comparison(shape, likenesses)
        learn(shape, likenesses, before, after)
        return comparison
    }

    private func comparison(_ shape: BeatShape, _ likenesses: [Float]) -> Comparison? {
        let total = families.reduce(0) { $0 + $1.uses }
        let weights = families.map { family in
            let early = min(family.before, 1.1)
            return family.uses * early * early * early * early
        }
        guard total >= Self.learning, let top = weights.max() else { return nil }
        let usual = families.indices.filter { weights[$0] == top || isOften(families[$0], of: total) }
        guard let nearest = usual.max(by: { likenesses[$0] < likenesses[$1] }) else { return nil }
        let other = families[nearest].shape
        return Comparison(likeness: likenesses[nearest], breadth: Float.log(max(shape.breadth, 1) / max(other.breadth, 1)))
    }

    private func isOften(_ family: Family, of total: Float) -> Bool {
        family.uses > 0.15 * total && family.before > 0.95 && family.after < 1.07
    }

    private mutating func learn(_ shape: BeatShape, _ likenesses: [Float], _ before: Float, _ after: Float) {
        for index in families.indices { families[index].uses *= 0.995 }
        guard let nearest = likenesses.indices.max(by: { likenesses[$0] < likenesses[$1] }), likenesses[nearest] > Self.alike else {
            return adopt(Family(shape: shape, before: before, after: after))
        }
        let part = max(1 / (families[nearest].learnt + 1), 1 / 32)
        families[nearest].shape.approach(shape, by: part)
        families[nearest].before += part * (before - families[nearest].before)
        families[nearest].after += part * (after - families[nearest].after)
        families[nearest].uses += 1
        families[nearest].learnt += 1
    }

    /// Puts a new shape in the place of the one that was used least.
    private mutating func adopt(_ family: Family) {
        guard families.count >= Self.count, let least = families.indices.min(by: { families[$0].uses < families[$1].uses }) else {
            return families.append(family)
        }
        families[least] = family
    }
}
