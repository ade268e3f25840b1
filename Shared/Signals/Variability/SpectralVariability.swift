#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The slow part of the heart rate's variability and the part that follows the breath, over about five minutes.
///
/// The intervals are put on a grid of 2 Hz, freed from their trend, windowed (Hann), and each frequency's power is taken by
/// the Goertzel recurrence. Bands after the Task Force (Circulation 93: 1043–1065, 1996).
package struct SpectralVariability: Hashable, Sendable {
    /// 0.04–0.15 Hz, ms².
    package var lowFrequency: Double
    /// 0.15–0.4 Hz, ms².
    package var highFrequency: Double

    /// The slow part over the quick one.
    package var ratio: Double? { highFrequency > 0 ? lowFrequency / highFrequency : nil }

    private static let rate = 2.0

    /// The powers of intervals in order of time; nil where they span less than two minutes.
    package init?(_ intervals: [RRInterval]) {
        guard let first = intervals.first, let last = intervals.last, last.time - first.time >= 120 else { return nil }
        let series = Self.detrended(Self.grid(intervals, from: first.time, to: last.time))
        let step = Self.rate / Double(series.count)
        (lowFrequency, highFrequency) = (0, 0)
        for bin in Int((0.04 / step).rounded(.up))..<Int((0.4 / step).rounded(.up)) {
            let power = Self.power(series, cycles: bin)
            if Double(bin) * step < 0.15 { lowFrequency += power } else { highFrequency += power }
        }
    }

    private static func grid(_ intervals: [RRInterval], from start: Double, to end: Double) -> [Double] {
        var index = 0
        return (0..<Int((end - start) * rate)).map { tick in
            let time = start + Double(tick) / rate
            while index + 2 < intervals.count, intervals[index + 1].time < time { index += 1 }
            let (left, right) = (intervals[index], intervals[index + 1])
            let part = right.time > left.time ? (time - left.time) / (right.time - left.time) : 0
            return left.milliseconds + part * (right.milliseconds - left.milliseconds)
        }
    }

    private static func detrended(_ series: [Double]) -> [Double] {
        let count = Double(series.count)
        let middle = (count - 1) / 2
        let mean = series.reduce(0, +) / count
        var (up, across) = (0.0, 0.0)
        for (index, value) in series.enumerated() {
            up += (Double(index) - middle) * (value - mean)
            across += (Double(index) - middle) * (Double(index) - middle)
        }
        return series.enumerated().map { index, value in
            let window = 0.5 - 0.5 * cos(2 * .pi * Double(index) / count)
            return (value - mean - up / across * (Double(index) - middle)) * window
        }
    }

    /// The power at `cycles` cycles over the series, made up for what the window took away (its mean square is 3/8).
    private static func power(_ series: [Double], cycles: Int) -> Double {
        let turn = 2 * cos(2 * .pi * Double(cycles) / Double(series.count))
        var (one, two) = (0.0, 0.0)
        for value in series { (one, two) = (value + turn * one - two, one) }
        let magnitude = one * one + two * two - turn * one * two
        return 2 * magnitude / (Double(series.count) * Double(series.count)) / 0.375
    }
}
