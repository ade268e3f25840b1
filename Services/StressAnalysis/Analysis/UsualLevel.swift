import Signals

/// The wearer's own level of a value that differs from person to person, and from one place of the electrodes to another.
///
/// A value without I/O. The median of the first ten minutes; it stays, so that a slow change is seen, until the electrodes may have been moved.
struct UsualLevel: Sendable, Codable {
    private static let enough = 10
    /// After so long without a value the electrodes may be elsewhere, in seconds.
    private static let longestHole = 600.0

    private var values: [Double] = []
    private var last = -Double.infinity

    /// Takes a value; returns its difference from the usual, nil until that is known.
    mutating func change(_ value: Double, at time: Double) -> Double? {
        if time - last > Self.longestHole { values.removeAll() }
        last = time
        guard values.count >= Self.enough else {
            values.append(value)
            return nil
        }
        return Median.of(values).map { value - $0 }
    }
}
