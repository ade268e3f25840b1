import Foundation
import SuiteHarness
import TestSupport

/// Messages of devices, through vigil-ingest, the bus and vigil-timeline, each message acknowledged only when it is safe, while vigil-stress and
/// vigil-alert are subscribed and judge it: from the first publish to the confirmation of the last commit. By the side of a bare publisher and
/// subscriber of the same messages.
struct LiveChain: Benchmark {
    enum Load: String { case readings = "live-chain", waveforms = "live-chain-waveforms" }

    let load: Load
    let store: StoreUnderTest.Kind
    var name: String { load.rawValue + (store == .sqlite ? "-sqlite" : "") }
    var unit: String { load == .readings ? "messages/s" : "samples/s" }
    var goal: Goal { .ratio(load == .readings ? 0.6 : 0.5) }
    let yardstick: String? = "a bare publisher and subscriber"

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

/// Single readings, live, each durable: messages a second from the first publish to the last commit, by the side of a bare
/// publisher and subscriber that do nothing with what they receive. Both at QoS 1 with the same messages and the same window.
struct LiveTimeline: Benchmark {
    let name: String
    let store: StoreUnderTest.Kind
    let unit = "messages/s"
    let goal = Goal.ratio(0.95)
    let yardstick: String? = "a bare publisher and subscriber"
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

/// Single readings, live, each durable in PostgreSQL: messages a second by the side of Python's paho and psycopg, as someone who knows both well
/// would join them (Tests/Benchmarks/Peers/paho_psycopg.py).
struct LivePeer: Benchmark {
    let name = "live-against-paho"
    let unit = "messages/s"
    let goal = Goal.ratio(1)
    let yardstick: String? = "paho and psycopg in Python"
    private let load = Publication(messages: 100_000)

    func product(_ bench: Workbench) async throws -> Double {
        try await LiveTimeline(name: name, store: .postgres).product(bench)
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        let folder = try bench.freshFolder()
        let broker = try await MosquittoServer.start()
        guard case .postgres(_, let connection) = try bench.store(.postgres, in: folder) else { return nil }
        let python = try await PythonEnvironment(packages: ["paho-mqtt>=2", "psycopg[binary]>=3"], folder: folder).python()
        let peer = try ChildProcess(
            python, ["Tests/Benchmarks/Peers/paho_psycopg.py", "\(broker.port)", connection, "\(load.count)"],
            output: folder.path("peer.log"))
        try await eventually(within: .seconds(30), "the peer is subscribed") {
            guard !peer.hasEnded else { throw HarnessError("the peer ended: \(peer.output)") }
            return peer.output.contains("ready=1")
        }
        let publisher = try load.start(port: broker.port, in: folder)
        guard try await peer.waitForExit(within: .seconds(300)) == 0, let end = Self.end(peer.output) else {
            throw HarnessError(peer.output)
        }
        let start = try await publisher.result()["start"] ?? 0
        return Double(load.count) * 1e9 / Double(end - start)
    }

    private static func end(_ output: String) -> Int64? {
        output.split(separator: "\n").first { $0.hasPrefix("end=") }.flatMap { Int64($0.dropFirst(4)) }
    }
}

/// A Python with packages from PyPI, in an environment of its own that later runs find again.
struct PythonEnvironment {
    /// The packages that pip is asked for.
    let packages: [String]
    /// For what the programs print.
    let folder: TemporaryFolder

    /// The interpreter's path; made where it is missing.
    func python() async throws -> String {
        let name = packages.joined(separator: "-").filter { $0.isLetter || $0 == "-" }
        let path = URL(filePath: ".build/bench-python/\(name)").path
        let python = "\(path)/bin/python", mark = "\(path)/complete"
        if FileManager.default.fileExists(atPath: mark) { return python }
        try await run("/usr/bin/python3", ["-m", "venv", path])
        try await run(python, ["-m", "pip", "install", "--quiet"] + packages)
        _ = FileManager.default.createFile(atPath: mark, contents: nil)
        return python
    }

    /// Runs a script with arguments and gives what it prints.
    func run(script: String, _ arguments: [String]) async throws -> String {
        try await run(try await python(), ["-c", script] + arguments)
    }

    @discardableResult
    private func run(_ program: String, _ arguments: [String]) async throws -> String {
        let child = try ChildProcess(program, arguments, output: folder.path("python-\(UUID().uuidString)"))
        guard try await child.waitForExit(within: .seconds(600)) == 0 else { throw HarnessError("\(program): \(child.output)") }
        return child.output
    }
}
