import SuiteHarness
import TestSupport

/// Single readings, live, each durable: messages a second from the first publish to the last commit, by the side of a bare
/// publisher and subscriber that do nothing with what they receive. Both at QoS 1 with the same messages and the same window.
struct LiveTimeline: Benchmark {
    let name: String
    let store: StoreUnderTest.Kind
    let unit = "messages/s"
    let goal = Goal.ratio(0.95)
    let repeats = 5
    private let load = Publication(messages: 100_000)

    init(name: String, store: StoreUnderTest.Kind) {
        self.name = name
        self.store = store
    }

    func product(_ bench: Workbench) async throws -> Double {
        let timeline = try await TimelineRun(store, bench)
        try await timeline.service.start()
        let publisher = try load.start(port: timeline.broker.port, in: timeline.folder)
        let end = try await timeline.committed(load.count)
        let start = try await publisher.result()["start"] ?? 0
        let spent = (timeline.service.usage?.processor ?? 0) * 1e6 / Double(load.count)
        Output.note("vigil-timeline: \(Table.number(spent)) µs of processor time a message")
        try await timeline.finish(load.readings, expected: load.count)
        return Double(load.count) * 1e9 / Double(end - start)
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        let folder = try bench.freshFolder()
        let broker = try await MosquittoServer.start()
        let subscriber = try LimitProgram("subscribe", ["--port", "\(broker.port)", "--count", "\(load.messages)"], in: folder)
        try await subscriber.printed("ready=1")
        let publisher = try load.start(port: broker.port, in: folder)
        let end = try await subscriber.result()["end"] ?? 0
        let start = try await publisher.result()["start"] ?? 0
        return Double(load.count) * 1e9 / Double(end - start)
    }
}
