import Foundation
import SuiteHarness
import TestSupport
import Testing
import TimelineStore

@testable import Shares

@Suite("vigil shares", .timeLimit(.minutes(5)))
struct SharesCommandTests {
    private let store: PostgresStore
    private let folder: TemporaryFolder
    private let setting: String

    init() throws {
        let server = try PostgresServer.shared()
        let database = try server.makeDatabase()
        var limits = AnswerLimits()
        limits.leases = .seconds(60)
        store = PostgresStore(PostgresConfiguration(connection: database), limits: limits)
        folder = try TemporaryFolder("vigil-shares")
        setting = StoreUnderTest.postgres(server, connection: database).setting()
    }

    /// Runs `vigil shares …`, and returns its exit code and what it printed.
    private func run(_ words: String..., store: String? = nil) async throws -> (code: Int32, output: String) {
        let child = try ChildProcess(
            try BuiltCommand.path("vigil"), ["shares"] + words + (words.contains("--help") ? [] : ["--store", store ?? setting]),
            output: folder.path("out-\(UUID().uuidString)"), environment: [:])
        return (try await child.waitForExit(), child.output)
    }

    private func join(_ name: String) async throws -> ReplicaName {
        let replica = ReplicaName(service: "vigil-timeline", name: name, process: name)
        _ = try await store.leases.beat(replica, held: [], lease: .seconds(6000))
        return replica
    }

    @Test("lists who owns what since when, as lines and as JSON")
    func lists() async throws {
        try await store.leases.prepare(service: "vigil-timeline", shares: 3)
        let (a, _) = (try await join("ward-a"), try await join("ward-b"))
        _ = try await store.leases.claim([0, 2], for: a, lease: .seconds(6000))
        let (code, output) = try await run()
        #expect(code == 0)
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first?.hasPrefix("SHARE") == true)
        #expect(lines.contains { $0.hasPrefix("s00") && $0.contains("ward-a") })
        #expect(lines.contains { $0.hasPrefix("s01") && $0.contains("nobody") })
        #expect(lines.contains { $0.hasPrefix("ward-b") && $0.contains("0") && $0.contains("working") })
        let json = try await run("--json")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: [[String: Any]]])
        #expect(object["shares"]?.map { $0["owner"] as? String } == ["ward-a", nil, "ward-a"])
        #expect(object["replicas"]?.map { $0["shares"] as? Int } == [2, 0])
        await store.close()
    }

    @Test("moves a share and gives it back, drains and undrains, and the table says so")
    func changes() async throws {
        try await store.leases.prepare(service: "vigil-timeline", shares: 3)
        for name in ["a", "b"] { _ = try await join(name) }
        #expect(try await run("move", "s01", "b").code == 0)
        #expect(try await store.leases.view(of: "vigil-timeline")?.rows.map(\.wanted) == [nil, "b", nil])
        #expect(try await run().output.contains("moves to b"))
        #expect(try await run("even", "1").code == 0)
        #expect(try await store.leases.view(of: "vigil-timeline")?.rows.map(\.wanted) == [nil, nil, nil])
        #expect(try await run("drain", "a").code == 0)
        #expect(try await store.leases.view(of: "vigil-timeline")?.members.map(\.drains) == [true, false])
        #expect(try await run("undrain", "a").code == 0)
        #expect(try await store.leases.view(of: "vigil-timeline")?.members.map(\.drains) == [false, false])
        await store.close()
    }

    @Test("refuses in words, with an exit code, and changes nothing")
    func refusals() async throws {
        #expect(try await run().output.contains("vigil-timeline shares no work in this database"))
        try await store.leases.prepare(service: "vigil-timeline", shares: 3)
        _ = try await join("a")
        let cases: [(words: [String], code: Int32, text: String)] = [
            (["move", "3", "a"], 1, "vigil-timeline has the shares 0 to 2"),
            (
                ["move", "1", "c'; DROP TABLE lease; --"], 1,
                "no replica c'; DROP TABLE lease; -- of vigil-timeline lives; those that do: a"
            ),
            (["move", "one", "a"], 64, "one is no share: a number such as 7 or s07"),
            (["drain", "a"], 1, "a is the last replica of vigil-timeline"),
            (["drain", "b"], 1, "no replica b of vigil-timeline lives"),
        ]
        for one in cases {
            let child = try ChildProcess(
                try BuiltCommand.path("vigil"), ["shares"] + one.words + ["--store", setting],
                output: folder.path("out-\(UUID().uuidString)"),
                environment: [:])
            #expect(try await child.waitForExit() == one.code, "\(one.words): \(child.output)")
            #expect(child.output.contains(one.text), "\(one.words): \(child.output)")
        }
        for service in ["vigil-alert", "vigil-stress", "vigil-ingest", "vigil-modules", "vigil-import"] {
            let output = try await run("--service", service).output
            #expect(output.contains("\(service) shares no work in this database"), "\(output)")
        }
        let sqlite = try folder.write("", to: "timeline.sqlite")
        let (code, output) = try await run(store: "sqlite:\(sqlite)")
        #expect(code == 78 && output.contains("shares are kept in PostgreSQL"))
        #expect(try await store.leases.view(of: "vigil-timeline")?.rows.count == 3)
        await store.close()
    }

    @Test("says what it does")
    func help() async throws {
        let (code, output) = try await run("--help")
        #expect(code == 0)
        for word in ["move", "even", "drain", "undrain", "--json", "--service", "--store"] { #expect(output.contains(word)) }
    }
}
