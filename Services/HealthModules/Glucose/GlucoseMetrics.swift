import Foundation

/// Measures of a glucose curve, in mg/dL.
package enum GlucoseMetrics {
    /// Glucose management indicator, %: 3.31 + 0.02392 × mean (R. M. Bergenstal et al., Diabetes Care 41 (2018) 2275). No HbA1c.
    package static func managementIndicator(mean: Double) -> Double { 3.31 + 0.02392 * mean }

    /// Shares in the ranges of the international consensus, in percent (T. Battelino et al., Diabetes Care 42 (2019) 1593).
    package struct Ranges: Sendable, Equatable {
        package let veryLow: Double
        package let low: Double
        package let target: Double
        package let high: Double
        package let veryHigh: Double

        /// Very low < 54, low 54–69, target 70–180, high 181–250, very high > 250; the target's ends can be the person's own.
        package init?(_ values: [Double], low lowEnd: Double = 70, high highEnd: Double = 180) {
            guard !values.isEmpty else { return nil }
            let share = { (isIn: (Double) -> Bool) in 100 * Double(values.count(where: isIn)) / Double(values.count) }
            veryLow = share { $0 < 54 }
            low = share { $0 >= 54 && $0 < lowEnd }
            target = share { $0 >= lowEnd && $0 <= highEnd }
            high = share { $0 > highEnd && $0 <= 250 }
            veryHigh = share { $0 > max(250, highEnd) }
        }
    }

    /// Low and high blood glucose index: means of 10·f² below and above zero, f = 1.509·(ln(G)^1.084 − 5.381).
    /// Source: B. P. Kovatchev et al., Diabetes Care 20 (1997) 1655, and J Diabetes Sci Technol 3 (2009) 1.
    package static func riskIndices(_ values: [Double]) -> (low: Double, high: Double)? {
        guard !values.isEmpty else { return nil }
        var (low, high) = (0.0, 0.0)
        for value in values where value > 1 {
            let risk = 1.509 * (pow(log(value), 1.084) - 5.381)
            if risk < 0 { low += 10 * risk * risk } else { high += 10 * risk * risk }
        }
        return (low / Double(values.count), high / Double(values.count))
    }

    /// Mean amplitude of glycaemic excursions above one standard deviation, in the direction of the first of them.
    ///
    /// Source: F. J. Service et al., Diabetes 19 (1970) 644. The curve is smoothed by nothing; a turning point counts once the curve has gone
    /// more than a standard deviation back from it.
    package static func excursions(_ values: [Double]) -> Double? {
        guard values.count >= 24, let deviation = Statistics.deviation(values), deviation > 0 else { return nil }
        var turns: [Double] = []
        var (low, high, direction) = (values[0], values[0], 0)
        for value in values {
            switch direction {
            case 1:
                high = max(high, value)
                if high - value > deviation { turns.append(high); (low, direction) = (value, -1) }
            case -1:
                low = min(low, value)
                if value - low > deviation { turns.append(low); (high, direction) = (value, 1) }
            default:
                (low, high) = (min(low, value), max(high, value))
                if value - low > deviation {
                    turns.append(low); (high, direction) = (value, 1)
                } else if high - value > deviation {
                    turns.append(high); (low, direction) = (value, -1)
                }
            }
        }
        guard turns.count >= 2 else { return nil }
        // What comes after the last turn has not ended yet.
        let amplitudes = zip(turns, turns.dropFirst()).map { $1 - $0 }
        let isRise = amplitudes[0] > 0
        return Statistics.mean(amplitudes.filter { ($0 > 0) == isRise }.map(abs))
    }

    /// An episode of low glucose.
    package struct Episode: Sendable, Equatable {
        package let from: Double
        package let until: Double
        package let lowest: Double
    }

    /// Times below a limit for 15 minutes and more; one ends with 15 minutes at or above it (Battelino 2019, and Lancet Diabetes Endocrinol 11 (2023) 42). A
    /// gap of more than 45 minutes ends it too.
    package static func lowEpisodes(_ readings: [NumberReading], below limit: Double = 70) -> [Episode] {
        var episodes: [Episode] = []
        var open: (from: Double, last: Double, lowest: Double, since: Double?)?
        let close = { (episode: (from: Double, last: Double, lowest: Double, since: Double?)) in
            if episode.last - episode.from >= 15 * 60 {
                episodes.append(Episode(from: episode.from, until: episode.last, lowest: episode.lowest))
            }
        }
        var previous = -Double.infinity
        for reading in readings {
            if var episode = open {
                let isOver = episode.since.map { reading.time - $0 >= 15 * 60 } ?? false
                if isOver || reading.time - previous > 45 * 60 {
                    close(episode)
                    open = nil
                } else if reading.value < limit {
                    (episode.last, episode.lowest, episode.since) = (reading.time, min(episode.lowest, reading.value), nil)
                    open = episode
                } else {
                    let since = episode.since ?? reading.time
                    // The episode lasts until the curve came back.
                    if episode.since == nil { episode.last = reading.time }
                    episode.since = since
                    open = episode
                }
            }
            if open == nil, reading.value < limit { open = (reading.time, reading.time, reading.value, nil) }
            previous = reading.time
        }
        if let open { close(open) }
        return episodes
    }
}

/// A prediction of the glucose in half an hour, with its error so far for this person.
///
/// A straight line through the last half hour whose slope is damped, by a factor that was best for the person's own curve. Checked on the same
/// curve: the factor is chosen on its first half, the error told is that of the second. Method: damped linear extrapolation (G. Sparacino et al.,
/// IEEE Trans Biomed Eng 54 (2007) 931, compare first-order models at 30 minutes).
struct GlucosePrediction {
    /// Half an hour ahead of the last reading, in mg/dL.
    let value: Double
    /// Root mean square of the errors on the second half of the curve, of the prediction and of "it stays as it is".
    let error: Double
    let errorOfStaying: Double
    /// The predictions that were checked.
    let checked: Int

    private static let ahead = 1800.0
    private static let dampings = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]

    /// The age in seconds up to which the last reading says something of what comes.
    static let currentFor = 900.0

    /// Nil without a curve that is recent, dense and a day long.
    init?(_ readings: [NumberReading], now: Double) {
        let recent = readings.suffix { $0.time > now - 8 * 86_400 }
        guard let last = recent.last, now - last.time < Self.currentFor, recent.count >= 200 else { return nil }
        let list = Array(recent)
        var cases: [(value: Double, slope: Double, later: Double)] = []
        var (start, end) = (0, 0)
        for place in list.indices {
            while list[place].time - list[start].time > 1500 + 60 { start += 1 }
            while end < list.count, list[end].time < list[place].time + Self.ahead - 60 { end += 1 }
            guard end < list.count, list[end].time <= list[place].time + Self.ahead + 150, let slope = Self.slope(list[start...place])
            else { continue }
            cases.append((list[place].value, slope, list[end].value))
        }
        guard cases.count >= 200 else { return nil }
        let half = cases.count / 2
        let error = { (damping: Double, part: ArraySlice<(value: Double, slope: Double, later: Double)>) -> Double in
            (part.reduce(0) { $0 + pow($1.value + damping * $1.slope * Self.ahead - $1.later, 2) } / Double(part.count)).squareRoot()
        }
        guard let damping = Self.dampings.min(by: { error($0, cases[..<half]) < error($1, cases[..<half]) }) else { return nil }
        (self.error, errorOfStaying, checked) = (error(damping, cases[half...]), error(0, cases[half...]), cases.count - half)
        let window = list.suffix { $0.time >= last.time - 1560 }
        guard let slope = Self.slope(window) else { return nil }
        value = min(max(last.value + damping * slope * Self.ahead, 20), 600)
    }

    /// The least-squares slope, in mg/dL a second, of at least four readings.
    private static func slope(_ window: ArraySlice<NumberReading>) -> Double? {
        guard window.count >= 4, let first = window.first else { return nil }
        let count = Double(window.count)
        var (sx, sy, sxx, sxy) = (0.0, 0.0, 0.0, 0.0)
        for reading in window {
            let x = reading.time - first.time
            (sx, sy, sxx, sxy) = (sx + x, sy + reading.value, sxx + x * x, sxy + x * reading.value)
        }
        let spread = count * sxx - sx * sx
        return spread > 0 ? (count * sxy - sx * sy) / spread : nil
    }
}
