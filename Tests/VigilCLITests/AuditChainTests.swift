import Foundation
import SuiteHarness
import TestSupport
import Testing

/// The audit trail of a timeline whose process is killed in the middle of it.
@Suite("Audit chain", .serialized, .timeLimit(.minutes(4)))
struct AuditChainTests {
    @Test("holds together however often the timeline is killed in the middle of appending", arguments: [false, true])
    func killed(inPostgreSQL: Bool) async throws {
        let broker = try await MosquittoServer.start()
        let folder = try TemporaryFolder("vigil-audit")
        let database = inPostgreSQL ? try PostgresServer() : nil
        defer { database?.remove() }
        let store =
            try database.map { "postgresql://vigil@127.0.0.1:\($0.port)/\(try $0.makeDatabase().split(separator: "=").last ?? "")" }
            ?? "sqlite:\(folder.path("timeline.sqlite"))"
        let timeline = try SuiteService("vigil-timeline", settings: ["--store", store], brokerPort: broker.port, folder: folder)
        let client = try await HostileClient.connected(port: broker.port, clientID: "asker")
        try await client.subscribe("vigil/v1/responses/a/#")
        var answers = 0
        for round in 1...6 {
            try await timeline.start()
            for number in 0..<200 {
                client.publish(
                    "vigil/v1/requests/a/timeline", #"{"query":"latest","participant":"p\#(number % 7)"}"#,
                    properties: [.responseTopic("vigil/v1/responses/a/1")])
            }
            let before = answers
            // Each time at another point of the work.
            try await eventually(within: .seconds(30), "some answers") { client.messages.count >= before + round * 5 }
            try await timeline.kill()
            answers = client.messages.count
        }
        let verified = try await Self.vigil(["audit", "verify", "--store", store], folder)
        #expect(verified.code == 0, "\(verified.output)")
        let lines = verified.output.firstMatch(of: #/(\d+) lines, as they were written/#).flatMap { Int($0.1) } ?? 0
        #expect(lines >= 6, "\(verified.output)")
    }

    private static func vigil(_ arguments: [String], _ folder: TemporaryFolder) async throws -> (code: Int32, output: String) {
        let child = try ChildProcess(BuiltCommand.path("vigil"), arguments, output: folder.path("verify.log"), environment: [:])
        return (try await child.waitForExit(within: .seconds(60)), child.output)
    }
}
