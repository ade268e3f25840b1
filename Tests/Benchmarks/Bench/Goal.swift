/// When a benchmark counts as met.
enum Goal: Sendable {
    /// The value is at least this share of the limit.
    case ratio(Double)
    /// The value is at most so many times the limit.
    case atMostRatio(Double)
    /// The value is at least this.
    case atLeast(Double)
    /// The value is at most this.
    case atMost(Double)

    /// The goal's number.
    var number: Double {
        switch self {
        case .ratio(let number), .atMostRatio(let number), .atLeast(let number), .atMost(let number): number
        }
    }

    func isMet(value: Double, ratio: Double?) -> Bool {
        switch self {
        case .ratio(let least): (ratio ?? 0) >= least
        case .atMostRatio(let most): (ratio ?? .infinity) <= most
        case .atLeast(let least): value >= least
        case .atMost(let most): value <= most
        }
    }
}
