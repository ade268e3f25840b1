/// Equal steps on which a series of whole numbers lies: the steps of a converter, scaled to a unit and rounded.
///
/// A converter of ten bits that is scaled to 0…1 and written with five decimals gives 0, 98, 196, 293, … hundred-thousandths: steps of
/// 97.75. Its positions 0, 1, 2, 3, … have far fewer bits, and the remainders are mostly 0. A number is
/// `(offset × 256 + position × step) >> 16` plus the remainder, in wrapping arithmetic of 64 bits.
struct SampleGrid {
    /// The most bits that a grid itself takes, and the parameter of its remainders.
    static let largestBits = 80.0

    /// The step times 65,536.
    let step: Int64
    /// The place of position 0 below the upper end of what is rounded to 0, in 256ths.
    let offset: UInt8

    /// A series as positions on a grid, and how far each number lies beside its position.
    struct Placement {
        var positions: [Int64]
        var remainders: [Int64]
    }

    init?(_ reader: inout RiceReader) {
        guard let step = reader.number(), let offset = reader.byte() else { return nil }
        (self.step, self.offset) = (Int64(bitPattern: step), offset)
    }

    func write(to writer: inout RiceWriter) {
        writer.append(number: UInt64(bitPattern: step))
        writer.append(byte: offset)
    }

    func place(_ series: [Int64]) -> Placement {
        let perNumber = 65_536 / Double(step)
        let positions = series.map { Self.nearest(Double($0) * perNumber) }
        return Placement(positions: positions, remainders: zip(series, positions).map { $0 &- number(at: $1) })
    }

    /// Turns positions into numbers.
    func restore(_ series: inout [Int64], _ remainders: [Int64]) {
        for index in series.indices { series[index] = number(at: series[index]) &+ remainders[index] }
    }

    private func number(at position: Int64) -> Int64 { (Int64(offset) << 8 &+ position &* step) >> 16 }

    /// The nearest whole number, without a call of the C library.
    private static func nearest(_ number: Double) -> Int64 { Int64(number + (number < 0 ? -0.5 : 0.5)) }

    // MARK: Finding grids

    /// Beyond this a series is taken for one without a grid: a step's 16 binary places and its position must fit 64 bits.
    private static let largestNumber: Int64 = 1 << 44
    /// The samples that a grid is looked for in: a long block has the same converter at its end.
    private static let mostSamples = 1024

    /// The grids that the series may lie on; the caller finds out what each costs.
    ///
    /// - Parameter series: begins with 0.
    static func candidates(for series: [Int64]) -> [SampleGrid] {
        let part = series.prefix(mostSamples)
        guard !hasStepOfOne(part), series.allSatisfy({ $0.magnitude < largestNumber }) else { return [] }
        var divisor: UInt64 = 0
        for number in part where divisor != 1 { divisor = greatestCommonDivisor(divisor, number.magnitude) }
        if divisor > 1 { return [SampleGrid(step: Int64(divisor) << 16, offset: 128)] }
        let levels = distinct(Array(part))
        guard levels.count > 2 else { return [] }
        let gaps = distinct(zip(levels.dropFirst(), levels).map { $0 - $1 })
        // Neighbouring levels are a step apart, or several steps of a finer grid, which shows where gaps differ.
        let finer = zip(gaps.dropFirst(), gaps).map { $0 - $1 }.filter { $0 > 2 }.min()
        return [gaps[0], finer ?? gaps[0]].enumerated().filter { $0.offset == 0 ? $0.element > 1 : $0.element < gaps[0] }
            .compactMap { SampleGrid(near: $0.element, gaps: gaps, levels: levels) }
    }

    /// Returns whether two neighbouring samples are one apart: most converters' signals, which need no search.
    private static func hasStepOfOne(_ series: ArraySlice<Int64>) -> Bool {
        zip(series.dropFirst(), series).contains { ($0 &- $1).magnitude == 1 }
    }

    /// Each number once, the smallest first.
    private static func distinct(_ numbers: [Int64]) -> [Int64] {
        var distinct: [Int64] = []
        distinct.reserveCapacity(numbers.count)
        for number in numbers.sorted() where number != distinct.last { distinct.append(number) }
        return distinct
    }

    private static func greatestCommonDivisor(_ first: UInt64, _ second: UInt64) -> UInt64 {
        var (larger, smaller) = (max(first, second), min(first, second))
        while smaller > 0 { (larger, smaller) = (smaller, larger % smaller) }
        return larger
    }

    private init(step: Int64, offset: UInt8) { (self.step, self.offset) = (step, offset) }

    /// The grid whose step is near a number: nil where it is not above one.
    ///
    /// Shorter distances come first: each makes the step exact enough to count the steps in the next.
    private init?(near rough: Int64, gaps: [Int64], levels: [Int64]) {
        var (products, squares) = (Double(rough), 1.0)
        for distance in gaps + levels.dropFirst().map({ $0 - levels[0] }) {
            let steps = Double(Self.nearest(Double(distance) * squares / products))
            products += Double(distance) * steps
            squares += steps * steps
        }
        let step = Self.nearest(products / squares * 65_536)
        guard step > 65_536 else { return nil }
        self.init(step: step, offset: Self.offset(step: step, levels: levels))
    }

    /// The offset that leaves the levels as far from being rounded to a neighbour as possible.
    private static func offset(step: Int64, levels: [Int64]) -> UInt8 {
        let exact = Double(step) / 65_536
        let errors = levels.map { Double($0) - Double(nearest(Double($0) / exact)) * exact }
        let middle = ((errors.max() ?? 0) + (errors.min() ?? 0)) / 2
        return UInt8(min(max((middle + 0.5) * 256, 0), 255))
    }
}
