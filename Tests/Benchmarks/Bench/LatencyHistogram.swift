import SuiteHarness
import TestSupport

/// The number of latencies fell into which power of two of microseconds, as `vigil-limits publish` prints them.
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

/// The share of latencies of which the highest is told.
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

/// From when a device's message was due to its receipt, which comes after the commit, through all four services; milliseconds. An open loop: the
/// messages are due at fixed moments whatever the suite does, so a stall counts for all that it kept waiting.
struct ReceiptLatency: Benchmark {
    enum Share: String { case median = "receipt_p50", tail = "receipt_p99" }

    let share: Share
    var name: String { share == .median ? "receipt-latency-median" : "receipt-latency-99" }
    let unit = "ms"
    var goal: Goal { .atMost(share == .median ? 20 : 150) }
    let repeats = 3
    private let load = Publication(format: .device, messages: 40_000, rate: 2000, extra: ["--receipts", "1"])

    func product(_ bench: Workbench) async throws -> Double {
        let chain = try await ChainRun(.postgres, bench)
        try await chain.start()
        let result = try await bench.watching(load.messages, "messages") {
            try await load.start(port: chain.timeline.broker.port, in: chain.timeline.folder).result()
        }
        Output.note(LatencyHistogram(result, of: "receipt").description)
        try await chain.finish(load, countsBlocks: false)
        return Double(result[share.rawValue] ?? 0) / 1e6
    }
}
