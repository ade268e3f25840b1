/// The shapes of one wearer's beats, up to six, with how often and at which time each comes.
///
/// A shape is usual that comes most, or often, neither early nor before a pause, as a rule behind one like it, and without looking ventricular; every
/// other beat is compared with the usual ones. In a wearer with a pacemaker, a bundle-branch block or a rhythm that comes from a ventricle all the time, that is the usual shape.
struct BeatFamilies: Sendable, Codable {
    private static let count = 6
    /// From this likeness on two beats have one shape.
    private static let alike: Float = 0.9
    /// The beats before anything is said to be usual.
    private static let learning: Float = 12
    /// The furthest that one beat's evidence moves a family's.
    private static let surest: Float = 4

    /// A shape, and the timing of its beats.
    fileprivate struct Family: Sendable, Codable {
        var shape: BeatShape
        /// The beats that had it, older ones counting less.
        var uses: Float = 1
        /// All of them, which decides how fast the shape follows.
        var learnt: Float = 1
        /// The mean interval before and after, relative to the wearer's.
        var before: Float
        var after: Float
        /// The share of its beats that came behind one of another shape.
        var alone: Float = 1
        /// The mean evidence that its beats come from a ventricle, and how many had one.
        var evidence: Float = 0
        var judged: Float = 0
    }

    private var families: [Family] = []
    /// That of the last beat.
    private var last: Int?

    /// A beat beside the usual shape that it resembles most.
    struct Comparison: Sendable {
        /// −1 to 1.
        var likeness: Float
        /// The natural logarithm of the ratio.
        var breadth: Float
        /// Nil for a shape that is new.
        var family: Kin?
    }

    /// What is known of the beats of one shape before this one.
    struct Kin: Sendable {
        /// Of the beat to the family.
        var likeness: Float
        /// Those of the family.
        var before, after, alone, evidence, judged: Float
    }

    /// Compares a beat; nil while too few are known. It is to be learnt then.
    func compare(_ shape: BeatShape) -> (comparison: Comparison?, likenesses: [Float]) {
        let likenesses = families.map { shape.likeness(to: $0.shape) }
        return (comparison(shape, likenesses), likenesses)
    }

    private func comparison(_ shape: BeatShape, _ likenesses: [Float]) -> Comparison? {
        let total = families.reduce(0) { $0 + $1.uses }
        let weights = families.map { family in
            let early = min(family.before, 1.1)
            return family.uses * early * early * early * early
        }
        guard total >= Self.learning, let top = weights.max() else { return nil }
        let usual = families.indices.filter { weights[$0] == top || isOften(families[$0], of: total) }
        guard let nearest = usual.max(by: { likenesses[$0] < likenesses[$1] }), let own = nearestIndex(likenesses) else { return nil }
        let breadth = Float.log(max(shape.breadth, 1) / max(families[nearest].shape.breadth, 1))
        let family = families[own]
        let kin = Kin(
            likeness: likenesses[own], before: family.before, after: family.after, alone: family.alone, evidence: family.evidence,
            judged: family.judged)
        return Comparison(likeness: likenesses[nearest], breadth: breadth, family: likenesses[own] > Self.alike ? kin : nil)
    }

    private func isOften(_ family: Family, of total: Float) -> Bool {
        family.uses > 0.15 * total && family.before > 0.95 && family.after < 1.07 && family.alone < 0.5 && family.evidence < 0
    }

    private func nearestIndex(_ likenesses: [Float]) -> Int? { likenesses.indices.max { likenesses[$0] < likenesses[$1] } }

    /// Learns from a beat that was compared.
    /// - Parameters:
    ///   - before: the interval before it relative to the wearer's usual one.
    ///   - after: the one after it.
    ///   - evidence: that it comes from a ventricle; nil where it was not judged.
    mutating func learn(_ shape: BeatShape, _ likenesses: [Float], before: Float, after: Float, evidence: Float?) {
        for index in families.indices { families[index].uses *= 0.995 }
        if let nearest = nearestIndex(likenesses), likenesses[nearest] > Self.alike {
            families[nearest].learn(shape, before, after, isAlone: last != nearest)
            last = nearest
        } else {
            last = adopt(Family(shape: shape, before: before, after: after))
        }
        if let last, let evidence { families[last].note(max(-Self.surest, min(Self.surest, evidence))) }
    }

    /// Puts a new shape in the place of the one that was used least; returns the place.
    private mutating func adopt(_ family: Family) -> Int {
        guard families.count >= Self.count, let least = families.indices.min(by: { families[$0].uses < families[$1].uses }) else {
            families.append(family)
            return families.count - 1
        }
        families[least] = family
        return least
    }
}

extension BeatFamilies.Family {
    fileprivate mutating func learn(_ other: BeatShape, _ before: Float, _ after: Float, isAlone: Bool) {
        let part = max(1 / (learnt + 1), 1 / 32)
        shape.approach(other, by: part)
        self.before += part * (before - self.before)
        self.after += part * (after - self.after)
        alone += part * ((isAlone ? 1 : 0) - alone)
        uses += 1
        learnt += 1
    }

    fileprivate mutating func note(_ evidence: Float) {
        judged += 1
        self.evidence += max(1 / judged, 1 / 16) * (evidence - self.evidence)
    }
}
