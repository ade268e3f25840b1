#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// DFA-α1: how the fluctuation of the intervals grows with scale, from 4 to 16 beats. About 1 at rest, towards 0.5 under
/// heavy load (C.-K. Peng et al., Chaos 5: 82–87, 1995).
package enum DetrendedFluctuation {
    /// α1 of intervals in milliseconds; nil for fewer than 64 or for a rhythm without change.
    package static func alpha1(_ intervals: [Double]) -> Double? {
        guard intervals.count >= 64 else { return nil }
        let profile = integrated(intervals)
        let scales = 4...16
        let points = scales.compactMap { scale -> (x: Double, y: Double)? in
            let fluctuation = fluctuation(profile, scale: scale)
            return fluctuation > 0 ? (log(Double(scale)), log(fluctuation)) : nil
        }
        return points.count == scales.count ? slope(points) : nil
    }

    private static func integrated(_ intervals: [Double]) -> [Double] {
        let mean = intervals.reduce(0, +) / Double(intervals.count)
        var sum = 0.0
        return intervals.map { interval in
            sum += interval - mean
            return sum
        }
    }

    private static func fluctuation(_ profile: [Double], scale: Int) -> Double {
        var squares = 0.0
        let boxes = profile.count / scale
        for box in 0..<boxes { squares += residual(profile, from: box * scale, count: scale) }
        return (squares / Double(boxes * scale)).squareRoot()
    }

    /// The squared distance of a box from its own straight line.
    private static func residual(_ profile: [Double], from start: Int, count: Int) -> Double {
        let middle = Double(count - 1) / 2
        var (sum, cross, squares) = (0.0, 0.0, 0.0)
        for index in 0..<count {
            let value = profile[start + index]
            sum += value
            cross += (Double(index) - middle) * value
            squares += value * value
        }
        let spread = Double(count * (count * count - 1)) / 12
        return max(0, squares - sum * sum / Double(count) - cross * cross / spread)
    }

    private static func slope(_ points: [(x: Double, y: Double)]) -> Double {
        let count = Double(points.count)
        let meanX = points.reduce(0) { $0 + $1.x } / count
        let meanY = points.reduce(0) { $0 + $1.y } / count
        let cross = points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) }
        return cross / points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
    }
}
