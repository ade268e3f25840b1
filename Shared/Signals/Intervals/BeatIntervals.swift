#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The times between the waves of a mean beat, and the height of its ST segment, as far as one lead shows them.
///
/// Depends on the mean alone. A wave begins and ends where the signal's slope does, T where its steepest tangent meets the line before the beat
/// (E. Lepeschkin, B. Surawicz, Circulation 6 (1952) 378). What noise could move by much is left out.
package struct BeatIntervals: Hashable, Sendable {
    /// From the beginning of P to that of QRS, in ms; nil where no P wave stands out, as in atrial fibrillation.
    package private(set) var pr: Double?
    /// The QRS complex, in ms.
    package private(set) var qrs: Double
    /// From the beginning of QRS to the end of T, in ms; nil where no T wave stands out.
    package private(set) var qt: Double?
    /// The same at 60 beats a minute, after Fridericia (Acta Med Scand 53 (1920) 469), in ms.
    package private(set) var qtc: Double?
    /// 60 ms behind the end of QRS, against the line before it, in the signal's unit.
    package private(set) var st: Double
    /// 0 to 1: by the number of beats, and the noise that their mean still has.
    package private(set) var quality: Double

    /// As many beats are needed; with thirty the quality is full.
    private static let (fewest, enough) = (15, 30)
    /// The slope, as a share of the steepest, that is none of QRS any more; for so many values in a row.
    private static let (flat, row): (Float, Int) = (0.05, 4)
    /// The lowest P and T waves that count, in mV, and against the noise.
    private static let (leastP, leastT, aboveNoise): (Float, Float, Float) = (0.03, 0.05, 5)
    private static let peak = BeatAverage.before
    /// What lies outside was no T or P wave, in ms.
    private static let (possiblePR, possibleQTc) = (80.0...320, 300.0...600)
    /// The top of T comes no later, at 60 beats a minute, in seconds: behind it are U and the next P.
    private static let latestTop = 0.42

    /// Measures a mean beat; nil where it is too noisy, or has too few beats.
    package init?(_ mean: BeatAverage.Mean) {
        let values = mean.values
        guard mean.beats >= Self.fewest, values.count == BeatAverage.count else { return nil }
        let height = (values[Self.peak - 20..<Self.peak + 30].max() ?? 0) - (values[Self.peak - 20..<Self.peak + 30].min() ?? 0)
        guard height > 20 * mean.noise, height > 0.1, let (first, last) = Self.complex(values, noise: mean.noise) else { return nil }
        let share = Double(mean.beats) / Double(Self.enough)
        quality = min(1, share) * min(1, Double(height / (100 * max(mean.noise, 1e-6))))
        qrs = 1000 * BeatAverage.step * Double(last - first)
        // A pacemaker's spike is narrower than any complex.
        guard qrs >= 50 else { return nil }
        let line = Self.mean(values, first - 6..<first - 1)
        st = Double(Self.mean(values, last + 14..<last + 17) - line)
        let smooth = Self.smoothed(values)
        if let end = Self.endOfT(smooth, after: last, line: line, mean) {
            let length = 1000 * BeatAverage.step * (end - Double(first)), corrected = length / cbrt(mean.interval)
            if Self.possibleQTc.contains(corrected) { (qt, qtc) = (length, corrected) }
        }
        let length = Self.beginOfP(smooth, before: first, mean).map { 1000 * BeatAverage.step * (Double(first) - $0) }
        pr = length.flatMap { Self.possiblePR.contains($0) ? $0 : nil }
    }

    private static func mean(_ values: [Float], _ range: Range<Int>) -> Float {
        let range = range.clamped(to: 0..<values.count)
        return range.isEmpty ? 0 : values[range].reduce(0, +) / Float(range.count)
    }

    /// Over 20 ms.
    private static func smoothed(_ values: [Float]) -> [Float] { values.indices.map { mean(values, $0 - 2..<$0 + 3) } }

    private static func slope(_ values: [Float], _ index: Int) -> Float { (values[index + 1] - values[index - 1]) / 2 }

    /// The first and the last value of QRS: from its steepest slope outwards, as far as it stays steep.
    private static func complex(_ values: [Float], noise: Float) -> (first: Int, last: Int)? {
        let near = peak - 15...peak + 15
        guard let steepest = near.max(by: { abs(slope(values, $0)) < abs(slope(values, $1)) }) else { return nil }
        let limit = max(flat * abs(slope(values, steepest)), 2 * noise)
        guard let first = edge(values, from: min(steepest, peak), by: -1, least: peak - 40, limit),
            let last = edge(values, from: max(steepest, peak), by: 1, least: peak + 50, limit), last > first
        else { return nil }
        return (first, last)
    }

    /// The last value, from one on, behind which the slope stays low; nil where it does not up to `least`.
    private static func edge(_ values: [Float], from start: Int, by step: Int, least: Int, _ limit: Float) -> Int? {
        var (index, calm, last) = (start, 0, start)
        while index != least {
            index += step
            if abs(slope(values, index)) < limit { calm += 1 } else { (calm, last) = (0, index) }
            if calm == row { return last + step }
        }
        return nil
    }

    /// The end of T: where its steepest tangent behind its top meets the line before the beat.
    private static func endOfT(_ values: [Float], after last: Int, line: Float, _ mean: BeatAverage.Mean) -> Double? {
        // The next beat's P wave lies behind seven tenths of the interval.
        let end = min(BeatAverage.count - 5, peak + Int(0.7 * mean.interval / BeatAverage.step))
        let latest = peak + Int(latestTop * cbrt(mean.interval) / BeatAverage.step)
        let range = last + 15..<max(last + 16, min(end - 5, latest))
        guard range.count > 10, let top = range.max(by: { abs(values[$0] - line) < abs(values[$1] - line) }) else { return nil }
        let height = values[top] - line
        guard abs(height) > max(leastT, aboveNoise * mean.noise), top > range.lowerBound + 1, top < range.upperBound - 1 else { return nil }
        let down: Float = height > 0 ? 1 : -1
        guard let steepest = (top..<min(top + 40, end)).min(by: { down * slope(values, $0) < down * slope(values, $1) }) else { return nil }
        let fall = slope(values, steepest)
        guard down * fall < 0, steepest < end - 1 else { return nil }
        let meets = Double(steepest) - Double((values[steepest] - line) / fall)
        return meets < Double(peak) + 0.9 * mean.interval / BeatAverage.step ? meets : nil
    }

    /// The beginning of P: where its steepest tangent before its top meets the line before it.
    private static func beginOfP(_ values: [Float], before first: Int, _ mean: BeatAverage.Mean) -> Double? {
        // Behind the former beat's T wave.
        let start = max(4, peak - Int(0.45 * mean.interval / BeatAverage.step)), end = first - 8
        guard end - start > 15 else { return nil }
        let (left, right) = (Self.mean(values, start..<start + 5), Self.mean(values, first - 5..<first - 1))
        let above = { (index: Int) in values[index] - left - (right - left) * Float(index - start) / Float(first - 3 - start) }
        guard let top = (start + 5..<end).max(by: { abs(above($0)) < abs(above($1)) }), top > start + 8, top < end - 1 else { return nil }
        let height = above(top)
        guard abs(height) > max(leastP, aboveNoise * mean.noise) else { return nil }
        let up: Float = height > 0 ? 1 : -1
        let rise = { (index: Int) in up * (above(index + 1) - above(index - 1)) / 2 }
        guard let steepest = (max(start + 1, top - 20)..<top).max(by: { rise($0) < rise($1) }), rise(steepest) > 0 else { return nil }
        let begin = Double(steepest) - Double(up * above(steepest) / rise(steepest))
        return begin > Double(start) ? begin : nil
    }
}
