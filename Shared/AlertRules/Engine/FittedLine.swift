/// The straight line of least squares through a series of values.
struct FittedLine {
    /// Per unit of `x`.
    let slope: Double
    /// The height at `x` = 0, the newest reading.
    let present: Double
    private let points: [(x: Double, y: Double)]
    /// The sum of squared distances of `x` from its mean.
    private let spread: Double

    /// The fewest points of which significance is said.
    private static let fewest = 5
    /// The two-sided 1 % point of the normal distribution.
    private static let normalPoint = 2.575_829

    /// - Parameter points: in order of `x`; nil below three, or at one `x`.
    init?(_ points: [(x: Double, y: Double)]) {
        guard points.count >= 3 else { return nil }
        let count = Double(points.count)
        let (x, y) = (points.reduce(0) { $0 + $1.x } / count, points.reduce(0) { $0 + $1.y } / count)
        spread = points.reduce(0) { $0 + ($1.x - x) * ($1.x - x) }
        guard spread > 0 else { return nil }
        slope = points.reduce(0) { $0 + ($1.x - x) * ($1.y - y) } / spread
        present = y - slope * x
        self.points = points
    }

    /// Whether the slope differs from 0 at the 1 % level (t test).
    ///
    /// Neighbouring values resemble each other: with the residuals' correlation r, n points count as n (1 − r) / (1 + r)
    /// (Santer et al., J Geophys Res 2000;105:7337).
    var isSignificant: Bool {
        guard points.count >= Self.fewest else { return false }
        let residuals = points.map { $0.y - present - slope * $0.x }
        let squares = residuals.reduce(0) { $0 + $1 * $1 }
        guard squares > 0 else { return slope != 0 }
        let correlation = max(0, zip(residuals, residuals.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 } / squares)
        let freedom = Double(points.count) * (1 - correlation) / (1 + correlation) - 2
        guard freedom >= 1 else { return false }
        return abs(slope) > Self.studentPoint(freedom) * (squares / freedom / spread).squareRoot()
    }

    /// The two-sided 1 % point of Student's t (Abramowitz and Stegun 26.7.5; 2 % too low with 3 degrees of freedom).
    private static func studentPoint(_ freedom: Double) -> Double {
        let (z, square) = (normalPoint, normalPoint * normalPoint)
        let first = z * (square + 1) / 4
        let second = z * ((5 * square + 16) * square + 3) / 96
        let third = z * (((3 * square + 19) * square + 17) * square - 15) / 384
        return z + (first + (second + third / freedom) / freedom) / freedom
    }
}
