/// The interval between beats that come in time: early ones, pauses, and runs do not move it, until it has changed for good. A value without I/O.
struct UsualInterval: Sendable, Codable {
    /// The intervals that must be known.
    private static let learning = 5
    /// So far from it an interval still moves it.
    private static let inTime = 0.8...1.25
    /// After so many in a row that do not, their mean takes its place.
    private static let patience = 30
    private static let weight = 8

    private var count = 0
    private var mean = 0.0
    /// The intervals in a row that did not move it, and their sum.
    private var others = 0
    private var sum = 0.0

    /// In seconds; nil while too little is known.
    var seconds: Double? { count >= Self.learning ? mean : nil }

    /// Takes an interval in seconds.
    mutating func add(_ interval: Double) {
        guard count >= Self.learning, !Self.inTime.contains(interval / mean) else {
            count = min(count + 1, Self.weight)
            mean += (interval - mean) / Double(count)
            (others, sum) = (0, 0)
            return
        }
        others += 1
        sum += interval
        if others >= Self.patience { (mean, others, sum) = (sum / Double(others), 0, 0) }
    }
}
