import Foundation
import SuiteHarness
import TestSupport

/// Single readings, live, each durable in PostgreSQL: messages a second by the side of Python's paho and psycopg, as someone who knows both well
/// would join them (Tests/Benchmarks/Peers/paho_psycopg.py).
struct LivePeer: Benchmark {
    let name = "live-against-paho"
    let unit = "messages/s"
    let goal = Goal.ratio(1)
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
