/// Which of many latencies is told.
enum LatencyShare: Double {
    case median = 0.5, tail = 0.99

    /// For a benchmark's name.
    var suffix: String { self == .median ? "median" : "99" }

    /// That one of the latencies.
    func of(_ latencies: [Double]) -> Double {
        guard !latencies.isEmpty else { return .nan }
        return latencies.sorted()[Int(Double(latencies.count - 1) * rawValue)]
    }
}
