import SuiteHarness
import TestSupport

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
