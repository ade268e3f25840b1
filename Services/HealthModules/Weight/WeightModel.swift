import Foundation

/// Exponential smoothing of weighings, as The Hacker's Diet has it: each day the trend moves a tenth of the way to the day's weight.
///
/// Source: J. Walker, The Hacker's Diet, "Signal and noise" and "Pencil and paper": T(n) = T(n−1) + 0.1 (W(n) − T(n−1)), begun with the first
/// weight. The book asks for a weight a day; after a gap of d days the trend moves as far as d days with that weight would have moved it.
enum SmoothedWeight {
    static let smoothing = 0.9

    /// The trend at each weighing. Several weighings of a day count as their mean.
    static func trend(_ weighings: [NumberReading]) -> [NumberReading] {
        var trend: Double?
        var last = 0
        return days(weighings).map { day in
            let part = trend == nil ? 1 : 1 - pow(smoothing, Double(max(1, day.day - last)))
            let next = (trend ?? day.value) + part * (day.value - (trend ?? day.value))
            (trend, last) = (next, day.day)
            return NumberReading(time: day.time, value: next, day: day.day, second: day.second)
        }
    }

    /// One weighing a day: the mean of the day's, at the time of the last.
    static func days(_ weighings: [NumberReading]) -> [NumberReading] {
        var days: [NumberReading] = []
        var (sum, count) = (0.0, 0.0)
        for weighing in weighings {
            if days.last?.day == weighing.day { days.removeLast() } else { (sum, count) = (0, 0) }
            (sum, count) = (sum + weighing.value, count + 1)
            days.append(NumberReading(time: weighing.time, value: sum / count, day: weighing.day, second: weighing.second))
        }
        return days
    }
}

/// A local linear trend seen through noise: body weight without its daily water, and its slope, which fades.
///
/// State: level (kg) and slope (kg/day). The slope is an Ornstein–Uhlenbeck process with the time constant τ, so that no loss of weight goes
/// on for ever; the level is its integral and a random walk besides. Filtered by Kalman's equations. Sources: A. C. Harvey, Forecasting,
/// Structural Time Series Models and the Kalman Filter (1989), ch. 2 and 4; E. S. Gardner, E. McKenzie, Forecasting trends in time series,
/// Management Science 31 (1985) 1237, for trends that fade. The noises are not known beforehand: every combination of a small grid is
/// filtered, and weighted by its likelihood.
struct WeightModel {
    /// The way a person's weight moves and how well it is measured.
    struct Noise {
        /// Standard deviation of one weighing, kg: scale, clothes, water.
        let weighing: Double
        /// Random walk of the level, kg a root day.
        let level: Double
        /// Standard deviation of the slope, kg/day.
        let slope: Double
        /// Time constant of the slope, days.
        let fading: Double
    }

    /// Level and slope with their covariance.
    struct State {
        var level: Double
        var slope = 0.0
        var levelVariance: Double
        var slopeVariance: Double
        var covariance = 0.0
    }

    /// One set of noises with what it makes of the weighings, and how likely it is.
    struct Hypothesis {
        let noise: Noise
        var state: State
        var weight: Double
    }

    /// From a very steady person on a good scale to one whose weight swings.
    static let grid: [Noise] = [0.1, 0.25, 0.5, 0.9].flatMap { weighing in
        [0.01, 0.05, 0.12].flatMap { level in
            [0.008, 0.02, 0.04].flatMap { slope in
                [25.0, 100].map { Noise(weighing: weighing, level: level, slope: slope, fading: $0) }
            }
        }
    }

    private(set) var hypotheses: [Hypothesis] = []
    /// The time of the last weighing that counted, in days.
    private(set) var time = 0.0
    /// Weighings passed over as they belong to somebody else, or to a scale gone wrong.
    private(set) var passedOver = 0

    /// The model after weighings, earliest first. Nil without any.
    init?(_ weighings: [NumberReading]) {
        // What lies longer ago than three years of daily weighings says nothing more of tomorrow.
        let weighings = weighings.suffix(1100)
        guard let first = weighings.first else { return nil }
        start(at: first)
        var strays: [NumberReading] = []
        for weighing in weighings.dropFirst() {
            let elapsed = max(0, weighing.time / 86_400 - time)
            if isStray(weighing.value, elapsed) {
                strays.append(weighing)
                // Three in a row that agree are no strays: the person has changed, or the scale.
                guard strays.count >= 3, let low = strays.map(\.value).min(), let high = strays.map(\.value).max(), high - low < 4 else {
                    if strays.count >= 3 { strays.removeFirst() }
                    passedOver += 1
                    continue
                }
                start(at: weighing)
            } else {
                add(weighing.value, elapsed)
            }
            strays = []
            time = weighing.time / 86_400
        }
    }

    private mutating func start(at weighing: NumberReading) {
        time = weighing.time / 86_400
        hypotheses = Self.grid.map { noise in
            let state = State(
                level: weighing.value, levelVariance: noise.weighing * noise.weighing, slopeVariance: noise.slope * noise.slope)
            return Hypothesis(noise: noise, state: state, weight: 1 / Double(Self.grid.count))
        }
    }

    /// A change that no body makes: eight kilograms, and far outside of what is expected.
    private func isStray(_ value: Double, _ elapsed: Double) -> Bool {
        let (mean, variance) = level(after: elapsed)
        return abs(value - mean) > max(8, 5 * variance.squareRoot())
    }

    private mutating func add(_ value: Double, _ elapsed: Double) {
        var logs: [Double] = []
        for index in hypotheses.indices {
            var state = Self.predict(hypotheses[index].state, hypotheses[index].noise, elapsed)
            let noise = hypotheses[index].noise.weighing
            let variance = state.levelVariance + noise * noise
            let surprise = value - state.level
            let (gain, slopeGain) = (state.levelVariance / variance, state.covariance / variance)
            state.level += gain * surprise
            state.slope += slopeGain * surprise
            state.slopeVariance -= slopeGain * state.covariance
            state.covariance *= 1 - gain
            state.levelVariance *= 1 - gain
            hypotheses[index].state = state
            logs.append(log(hypotheses[index].weight) - 0.5 * (log(variance) + surprise * surprise / variance))
        }
        let largest = logs.max() ?? 0
        let weights = logs.map { max(exp($0 - largest), 1e-12) }
        let sum = weights.reduce(0, +)
        for index in hypotheses.indices { hypotheses[index].weight = weights[index] / sum }
    }

    /// The state some days later.
    static func predict(_ state: State, _ noise: Noise, _ days: Double) -> State {
        guard days > 0 else { return state }
        let tau = noise.fading
        let stay = exp(-days / tau)
        let reach = tau * (1 - stay)
        let power = noise.slope * noise.slope
        var next = state
        next.level = state.level + reach * state.slope
        next.slope = stay * state.slope
        next.levelVariance =
            state.levelVariance + 2 * reach * state.covariance + reach * reach * state.slopeVariance
            + power * tau * tau * (2 * days / tau - 3 + 4 * stay - stay * stay) + noise.level * noise.level * days
        next.covariance = stay * (state.covariance + reach * state.slopeVariance) + power * tau * (1 - stay) * (1 - stay)
        next.slopeVariance = stay * stay * state.slopeVariance + power * (1 - stay * stay)
        return next
    }

    /// Mean and variance of the level some days after the last weighing, over all hypotheses.
    func level(after days: Double) -> (mean: Double, variance: Double) {
        mixture {
            let next = Self.predict($0.state, $0.noise, days); return (next.level, next.levelVariance)
        }
    }

    /// Mean and variance of the slope, in kg/day.
    var slope: (mean: Double, variance: Double) { mixture { ($0.state.slope, $0.state.slopeVariance) } }

    /// Mean and variance of what the scale would show some days after the last weighing.
    func weighing(after days: Double) -> (mean: Double, variance: Double) {
        mixture {
            let next = Self.predict($0.state, $0.noise, days)
            return (next.level, next.levelVariance + $0.noise.weighing * $0.noise.weighing)
        }
    }

    private func mixture(_ part: (Hypothesis) -> (mean: Double, variance: Double)) -> (mean: Double, variance: Double) {
        var (mean, square) = (0.0, 0.0)
        for hypothesis in hypotheses {
            let (value, variance) = part(hypothesis)
            mean += hypothesis.weight * value
            square += hypothesis.weight * (variance + value * value)
        }
        return (mean, max(0, square - mean * mean))
    }
}
