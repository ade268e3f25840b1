/// The usual beats of one wearer: up to three shapes, learnt from the beats themselves.
///
/// Shapes are kept in the 5–40 Hz band at about 120 values a second, from 80 ms before to 120 ms after the middle.
struct BeatTemplates: Sendable, Codable {
    private static let count = 3

    let before: Int
    let length: Int
    private let slack: Int
    private var shapes: [Float]
    private var energies = [Float](repeating: 0, count: count)
    private var uses = [Float](repeating: 0, count: count)
    /// From the middle back to the R peak, in samples of the signal.
    private var offsets = [Float](repeating: 0, count: count)
    private(set) var agreement: Float = 0
    private var learnt = 0

    init(tickRate: Double) {
        before = max(2, Int(0.08 * tickRate))
        length = before + max(3, Int(0.12 * tickRate))
        slack = max(1, Int(0.06 * tickRate))
        shapes = Array(repeating: 0, count: Self.count * length)
    }

    /// The span around its middle in which a beat must be known to be learnt from.
    var reach: Int { length + slack }

    /// From the middle of a beat of that shape back to its R peak, in samples.
    func offset(of template: Int) -> Float { offsets[template] }

    /// The similarity of the window of `length` values that starts at `start` to the best of the shapes.
    func likeness(_ band: borrowing TickRing, at start: Int) -> Likeness {
        let energy = band.energy(from: start, count: length)
        var best = Likeness()
        for template in 0..<Self.count where uses[template] >= 3 {
            let product = dot(band, start, template)
            let correlation = product / (energy * energies[template]).squareRoot()
            guard correlation > best.correlation else { continue }
            let residual = max(energy - product * product / energies[template], 0) / energies[template]
            best = Likeness(
                gain: product / energies[template], correlation: correlation, residual: residual, template: template)
        }
        return best
    }

    /// Learns from a beat whose middle is at tick `middle`, its R peak `offset` samples away.
    mutating func learn(_ band: borrowing TickRing, middle: Int, offset: Float) {
        let (template, correlation, start) = closest(band, middle: middle)
        guard let template else { return adopt(band, middle: middle, offset: offset) }
        agreement += (max(correlation, 0) - agreement) / 8
        if correlation > 0.85 {
            refine(template, band, start: start, offset: offset)
        } else if agreement > 0.8 || learnt < 10 {
            adopt(band, middle: middle, offset: offset)
        }
    }

    private func closest(_ band: borrowing TickRing, middle: Int) -> (template: Int?, correlation: Float, start: Int) {
        var best: (template: Int?, correlation: Float, start: Int) = (nil, -1, 0)
        for start in (middle - before - slack)...(middle - before + slack) {
            let energy = band.energy(from: start, count: length)
            for template in 0..<Self.count where energies[template] > 0 {
                let correlation = dot(band, start, template) / (energy * energies[template]).squareRoot()
                if correlation > best.correlation { best = (template, correlation, start) }
            }
        }
        return best
    }

    private mutating func refine(_ template: Int, _ band: borrowing TickRing, start: Int, offset: Float) {
        let weight = uses[template] > 16 ? 1 / 16 : 1 / (uses[template] + 1)
        uses[template] += 1
        learnt = min(learnt + 1, 100)
        guard agreement > 0.8 || learnt < 10 else { return }
        var energy: Float = 1e-12
        for index in 0..<length {
            let slot = template * length + index
            shapes[slot] += weight * (band[start + index] - shapes[slot])
            energy += shapes[slot] * shapes[slot]
        }
        energies[template] = energy
        offsets[template] += weight * (offset - offsets[template])
    }

    /// Puts a new shape in the place of the least used one.
    private mutating func adopt(_ band: borrowing TickRing, middle: Int, offset: Float) {
        var slot = 0
        for template in 0..<Self.count where uses[template] < uses[slot] { slot = template }
        for template in 0..<Self.count { uses[template] *= 0.9 }
        for index in 0..<length { shapes[slot * length + index] = band[middle - before + index] }
        energies[slot] = band.energy(from: middle - before, count: length)
        offsets[slot] = offset
        uses[slot] = 1
    }

    private func dot(_ band: borrowing TickRing, _ start: Int, _ template: Int) -> Float {
        band.product(from: start, with: shapes.span.extracting(template * length..<(template + 1) * length))
    }
}

/// The way a piece of signal resembles a wearer's usual beat.
struct Likeness: Sendable, Codable {
    /// The usual beat's amplitude in it: 1 where it is as large as usual, 0 where it is not there at all.
    var gain: Float = 0
    /// The normalised correlation, up to 1.
    var correlation: Float = 0
    /// The energy that the usual beat does not explain, relative to the usual beat's.
    var residual: Float = 1
    /// The usual beat that it resembles most.
    var template = 0
}
