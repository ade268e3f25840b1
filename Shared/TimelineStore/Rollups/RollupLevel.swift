package import VigilSchema

/// How long a rollup's buckets are. They start at whole UTC minutes, hours and days.
package enum RollupLevel: String, CaseIterable, Sendable {
    case minute, hour, day

    /// A bucket's length in microseconds.
    package var width: Int64 {
        switch self {
        case .minute: 60_000_000
        case .hour: 3_600_000_000
        case .day: 86_400_000_000
        }
    }

    /// The table's name.
    var table: String { "rollup_\(rawValue)" }

    /// The level that this one is summed from; nil for minutes, which are summed from readings.
    var finer: RollupLevel? {
        switch self {
        case .minute: nil
        case .hour: .minute
        case .day: .hour
        }
    }

    /// When the bucket that holds a moment starts.
    package func start(of time: Timestamp) -> Timestamp { Timestamp(microseconds: start(of: time.microseconds)) }

    func start(of time: Int64) -> Int64 {
        let rest = time % width
        return time - (rest < 0 ? rest + width : rest)
    }
}
