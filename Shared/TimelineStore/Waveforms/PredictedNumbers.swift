/// Turns the whole numbers of a signal into bits and back, by linear prediction as FLAC's fixed predictors do.
///
/// | part | meaning |
/// |---|---|
/// | number | the first number, zigzag-coded, LEB128 |
/// | byte | the order of the predictor, 0…3, + 4 times the number of grids, 0…3 |
/// | for each grid | a number, its step times 65,536, LEB128; a byte, its offset |
/// | a stream | the errors of the prediction |
/// | for each grid, last first | a stream, its remainders |
///
/// The streams are those of `RiceWriter`; none has a value for the first sample, where all are 0. The series `n[i] − n[0]` lies on
/// the first grid (`SampleGrid`), the positions on that one on the second. The positions on the last grid, or the series where there is no
/// grid, are predicted: by 0, by the one before, by a line through the two before, or by a parabola through three.
enum PredictedNumbers {
    private static let largestOrder = 3
    private static let mostGrids = 3

    /// - Parameter numbers: at least one.
    static func encode(_ numbers: [Int64]) -> [UInt8] {
        guard let first = numbers.first else { return [] }
        var best = Prediction(of: numbers.map { $0 &- first })
        var choices: [GridChoice] = []
        while choices.count < mostGrids, let next = GridChoice(for: choices.last?.placement.positions ?? best.series, below: best.bits) {
            best = next.prediction
            choices.append(next)
        }
        var writer = RiceWriter(capacity: numbers.count)
        writer.append(number: first.zigzag)
        writer.append(byte: UInt8(best.order + 4 * choices.count))
        for choice in choices { choice.grid.write(to: &writer) }
        writer.append(stream: best.errors)
        for choice in choices.reversed() { writer.append(stream: choice.placement.remainders.dropFirst()) }
        return writer.bytes
    }

    /// The `count` numbers that the bytes stand for; nil where they stand for nothing.
    static func decode(_ bytes: [UInt8], count: Int) -> [Int64]? {
        var reader = RiceReader(bytes)
        guard count > 0, let first = reader.number(), let form = reader.byte(), form / 4 <= mostGrids else { return nil }
        var grids: [SampleGrid] = []
        for _ in 0..<form / 4 {
            guard let grid = SampleGrid(&reader) else { return nil }
            grids.append(grid)
        }
        guard let errors = reader.stream(count: count - 1) else { return nil }
        var series = Prediction.series(errors, order: Int(form % 4))
        for grid in grids.reversed() {
            guard let remainders = reader.stream(count: count - 1) else { return nil }
            grid.restore(&series, remainders)
        }
        guard reader.isAtEnd else { return nil }
        let start = Int64(zigzag: first)
        return [start] + series.map { $0 &+ start }
    }
}

/// The grid with which a series takes the fewest bits.
private struct GridChoice {
    let grid: SampleGrid
    let placement: SampleGrid.Placement
    let prediction: Prediction

    /// Nil where every grid costs more bits than it saves.
    init?(for series: [Int64], below bits: Double) {
        let choices = SampleGrid.candidates(for: series).map { GridChoice($0, series) }
        guard let best = choices.min(by: { $0.bits < $1.bits }), best.bits < bits else { return nil }
        self = best
    }

    private init(_ grid: SampleGrid, _ series: [Int64]) {
        self.grid = grid
        placement = grid.place(series)
        prediction = Prediction(of: placement.positions)
    }

    private var bits: Double {
        SampleGrid.largestBits + prediction.bits + RiceCode.bits(placement.remainders.dropFirst())
    }
}

/// The best fixed predictor for a series that begins with 0.
private struct Prediction {
    let series: [Int64]
    let order: Int
    private(set) var errors: ArraySlice<Int64>
    /// The number of bits that the errors take, about.
    let bits: Double

    init(of series: [Int64]) {
        self.series = series
        var order = 0
        var least = RiceCode.bits(series.dropFirst())
        var difference = series
        errors = series.dropFirst()
        for next in 1...3 {
            // Each difference of differences is one order more; before the first stands 0.
            for index in stride(from: difference.count - 1, to: 0, by: -1) {
                difference[index] = difference[index] &- difference[index - 1]
            }
            let bits = RiceCode.bits(difference.dropFirst())
            guard bits < least else { break }
            (order, least, errors) = (next, bits, difference.dropFirst())
        }
        (self.order, bits) = (order, least)
    }

    /// The series without its first number, from its errors.
    static func series(_ errors: [Int64], order: Int) -> [Int64] {
        var series = errors
        for _ in 0..<order {
            var sum: Int64 = 0
            for index in series.indices {
                sum &+= series[index]
                series[index] = sum
            }
        }
        return series
    }
}
