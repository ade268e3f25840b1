import Foundation

/// The days after which a body weight reaches a target, from many courses that the model holds possible.
///
/// The courses are drawn with a fixed seed, so that the same weighings give the same answer.
struct WeightForecast {
    /// 80 % of all courses reach the target between the earliest and the latest day; nil: later than the horizon.
    let earliest: Double?
    let median: Double?
    let latest: Double?
    /// The share of courses that reach the target within the horizon.
    let share: Double

    /// Two years: nobody's slope tells more.
    static let horizon = 730
    private static let courses = 400

    /// - Parameter days: the days since the last weighing; the answer counts from now.
    init(_ model: WeightModel, target: Double, after days: Double) {
        var random = NormalGenerator(seed: 0x5EED)
        let from = model.level(after: 0).mean
        let goesDown = from > target
        var arrivals: [Double] = []
        for course in 0..<Self.courses {
            let hypothesis = Self.pick(model, share: (Double(course) + 0.5) / Double(Self.courses))
            if let day = Self.arrival(hypothesis, target, goesDown, &random) { arrivals.append(max(0, day - days)) }
        }
        arrivals.sort()
        let count = arrivals.count
        let quantile = { (part: Double) -> Double? in
            let place = Int((part * Double(Self.courses)).rounded(.up)) - 1
            return place < count ? arrivals[max(0, place)] : nil
        }
        (earliest, median, latest) = (quantile(0.1), quantile(0.5), quantile(0.9))
        share = Double(count) / Double(Self.courses)
    }

    private static func pick(_ model: WeightModel, share: Double) -> WeightModel.Hypothesis {
        var sum = 0.0
        for hypothesis in model.hypotheses {
            sum += hypothesis.weight
            if sum >= share { return hypothesis }
        }
        return model.hypotheses[model.hypotheses.count - 1]
    }

    /// The day on which one course reaches the target.
    private static func arrival(
        _ hypothesis: WeightModel.Hypothesis, _ target: Double, _ goesDown: Bool, _ random: inout NormalGenerator
    ) -> Double? {
        let (noise, state) = (hypothesis.noise, hypothesis.state)
        let spread = max(state.levelVariance, 0).squareRoot()
        let first = random.next()
        var level = state.level + spread * first
        let tied = spread > 0 ? state.covariance / spread : 0
        var slope = state.slope + tied * first + max(0, state.slopeVariance - tied * tied).squareRoot() * random.next()
        let stay = exp(-1 / noise.fading)
        let push = noise.slope * (1 - stay * stay).squareRoot()
        for day in 0...Self.horizon {
            if goesDown ? level <= target : level >= target { return Double(day) }
            level += slope + noise.level * random.next()
            slope = stay * slope + push * random.next()
        }
        return nil
    }
}

/// Normally distributed numbers from a seed: SplitMix64 and the Box–Muller transform.
struct NormalGenerator {
    private var state: UInt64
    private var spare: Double?

    init(seed: UInt64) { state = seed }

    /// The next number of mean 0 and variance 1.
    mutating func next() -> Double {
        if let kept = spare {
            spare = nil
            return kept
        }
        let radius = (-2 * log(uniform())).squareRoot()
        let angle = 2 * Double.pi * uniform()
        spare = radius * sin(angle)
        return radius * cos(angle)
    }

    /// Between 0 and 1, neither of them.
    mutating func uniform() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return (Double(mixed >> 11) + 0.5) / 9_007_199_254_740_992
    }
}
