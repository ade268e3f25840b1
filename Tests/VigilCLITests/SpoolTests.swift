import TestSupport
import Testing

@testable import VigilCLI

@Suite("A device's spool")
struct SpoolTests {
    @Test("keeps what was not confirmed over a restart, in order")
    func restart() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("spool.sqlite")
        let spool = try Spool(path: path)
        let entries = try await spool.add(topic: "t", payloads: (0..<5).map { [$0] })
        try await spool.remove(entries[2])
        let again = try Spool(path: path)
        let first = try await again.waiting(limit: 3)
        #expect(first.map(\.payload) == [[0], [1], [3]])
        #expect(try await again.waiting(after: first.last?.id ?? 0).map(\.payload) == [[4]])
    }
}

@Suite("vigil publish with a spool", .timeLimit(.minutes(3)))
struct SpoolPublishTests {
    private func publish(_ value: Int, to port: UInt16, spool: String, in folder: TemporaryFolder) async throws -> (
        code: Int32, output: String
    ) {
        let child = try ChildProcess(
            BuiltProgram.path("vigil"),
            [
                "publish", "--participant", "anna", "--device", "d1", "--metric", "heart-rate", "--value", "\(value)", "--time",
                "\(1_700_000_000 + value)",
                "--spool", spool, "--broker-port", "\(port)",
            ], output: folder.path("publish-\(value).log"), environment: [:])
        return (try await child.waitForExit(within: .seconds(100)), child.output)
    }

    @Test("keeps the reading where the broker is away from the start, says so, and sends it first the next time")
    func brokerAway() async throws {
        let folder = try TemporaryFolder("vigil-spool")
        let spool = folder.path("spool.sqlite")
        for (number, value) in [61, 62].enumerated() {
            let refused = try await publish(value, to: try LoopbackPort.free(), spool: spool, in: folder)
            #expect(
                refused.code == 69 && refused.output.contains("the spool keeps what was to be sent (waiting: \(number + 1))"), "\(refused)")
        }
        let kept = try await Spool(path: spool).waiting().map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(kept.count == 2 && kept[0].contains("61") && kept[1].contains("62"))
        let suite = try await RunningSuite()
        let sent = try await publish(63, to: suite.port, spool: spool, in: folder)
        #expect(sent.code == 0 && sent.output.contains("published 3, confirmed 3: stored 3, "), "\(sent)")
        #expect(try await Spool(path: spool).count() == 0)
        #expect(try await suite.interrupt() == 0)
    }
}
