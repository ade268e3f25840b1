import SuiteHarness
import TestSupport

/// What devices send, through vigil-ingest, the bus and vigil-timeline, each message acknowledged only when it is safe, while vigil-stress and
/// vigil-alert are subscribed and judge it: from the first publish to the confirmation of the last commit. By the side of a bare publisher and
/// subscriber of the same messages.
struct LiveChain: Benchmark {
    enum Load: String { case readings = "live-chain", waveforms = "live-chain-waveforms" }

    let load: Load
    let store: StoreUnderTest.Kind
    var name: String { load.rawValue + (store == .sqlite ? "-sqlite" : "") }
    var unit: String { load == .readings ? "messages/s" : "samples/s" }
    var goal: Goal { load == .readings ? .ratio(0.6) : .atLeast(1_000_000) }

    private var publication: Publication {
        switch load {
        case .readings: Publication(format: .device, messages: 100_000)
        case .waveforms: Publication(format: .deviceBlock, messages: 50_000, perMessage: 100)
        }
    }

    func product(_ bench: Workbench) async throws -> Double {
        let chain = try await ChainRun(store, bench)
        try await chain.start()
        let publisher = try publication.start(port: chain.timeline.broker.port, in: chain.timeline.folder)
        let end = try await chain.confirmed(publication.messages)
        let start = try await publisher.result()["start"] ?? 0
        Output.note(chain.costs(publication.messages))
        try await chain.finish(publication, countsBlocks: load == .waveforms)
        return Double(publication.count) * 1e9 / Double(end - start)
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        let folder = try bench.freshFolder()
        let broker = try await MosquittoServer.start()
        let subscriber = try LimitProgram(
            "subscribe", ["--port", "\(broker.port)", "--count", "\(publication.messages)", "--filter", "vigil/v1/ingest/#"], in: folder)
        try await subscriber.printed("ready=1")
        let publisher = try publication.start(port: broker.port, in: folder)
        let end = try await subscriber.result()["end"] ?? 0
        let start = try await publisher.result()["start"] ?? 0
        return Double(publication.count) * 1e9 / Double(end - start)
    }
}
