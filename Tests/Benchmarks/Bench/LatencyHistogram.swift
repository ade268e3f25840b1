/// How many latencies fell into which power of two of microseconds, as `vigil-limits publish` prints them.
struct LatencyHistogram: CustomStringConvertible {
    private let bars: [(most: Int, count: Int64)]

    init(_ result: [String: Int64], of name: String) {
        let prefix = "\(name)_us_"
        bars = result.compactMap { key, count in
            key.hasPrefix(prefix) ? Int(key.dropFirst(prefix.count)).map { ($0, count) } : nil
        }.sorted { $0.most < $1.most }
    }

    var description: String {
        "up to " + bars.map { "\(Table.number(Double($0.most) / 1000)) ms: \($0.count)" }.joined(separator: ", ")
    }
}
