import Foundation
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

    /// Runs `vigil publish` with a spool at a broker that a test scripts.
    private func publish(_ broker: ScriptedBroker, _ arguments: [String], in folder: TemporaryFolder) async throws -> (
        code: Int32, output: String
    ) {
        let child = try ChildProcess(
            BuiltProgram.path("vigil"),
            [
                "publish", "--participant", "anna", "--device", "d1", "--spool", folder.path("spool.sqlite"), "--broker-port",
                "\(broker.port)",
                "--receipt-within", "300ms",
            ] + arguments, output: folder.path("publish.log"), environment: [:])
        return (try await child.waitForExit(within: .seconds(60)), child.output)
    }

    private static let reading = ["--metric", "heart-rate", "--value", "61", "--time", "1700000000"]

    @Test("keeps what the broker does not take, says so, and lets the others pass", arguments: [0x87, 0x95, 0x99] as [UInt8])
    func refusedEntry(reason: UInt8) async throws {
        let folder = try TemporaryFolder("vigil-spool")
        let spool = try Spool(path: folder.path("spool.sqlite"))
        _ = try await spool.add(topic: "vigil/v1/ingest/bernd/d1", payloads: [Array(#"{"metric":"heart-rate","value":1}"#.utf8)])
        let receipt = Array(#"{"outcome":"stored","stored":1,"duplicates":0,"corrections":0,"rejected":0,"reasons":[]}"#.utf8)
        let broker = try ScriptedBroker { packet in
            guard packet.type == ScriptedBroker.publish else { return ScriptedBroker.obliging(packet) }
            let body = String(decoding: packet.body, as: UTF8.self)
            guard body.contains("ingest/anna"), let start = body.range(of: "vigil/v1/receipts/anna/d1/") else {
                return [0x40, 4] + packet.identifier + [reason, 0]
            }
            let topic = Array((body[start] + body[start.upperBound...].prefix { $0.isHexDigit }).utf8)
            let answer = [0, UInt8(topic.count)] + topic + [0] + receipt
            // Longer than what one byte of length says.
            return [0x40, 4] + packet.identifier + [0, 0] + [0x30, UInt8(answer.count & 0x7F) | 0x80, UInt8(answer.count >> 7)] + answer
        }
        let outcome = try await publish(broker, Self.reading, in: folder)
        #expect(outcome.code == 1 && outcome.output.contains("published 1, confirmed 1: stored 1, "), "\(outcome)")
        #expect(outcome.output.contains("not taken by the broker: 1"), "\(outcome)")
        #expect(try await spool.waiting().map(\.topic) == ["vigil/v1/ingest/bernd/d1"])
    }

    @Test("sends once what cannot say over MQTT 3.1.1 that a receipt is wanted, keeps it, and says so")
    func unaskable() async throws {
        let folder = try TemporaryFolder("vigil-spool")
        let broker = try ScriptedBroker { packet in
            switch packet.type {
            case ScriptedBroker.connect: ScriptedBroker.acceptedV311()
            case ScriptedBroker.subscribe: ScriptedBroker.grantedV311(packet)
            case ScriptedBroker.publish: [0x40, 2] + packet.identifier
            default: ScriptedBroker.obliging(packet)
            }
        }
        try folder.write(#"[{"n":"heart-rate","u":"beat/min","v":70}]"#, to: "reading.json")
        let outcome = try await publish(broker, ["--broker-protocol", "3.1.1", folder.path("reading.json")], in: folder)
        #expect(outcome.code == 1 && outcome.output.contains("unconfirmed 1"), "\(outcome)")
        #expect(broker.count(ScriptedBroker.publish) == 1)
        #expect(try await Spool(path: folder.path("spool.sqlite")).count() == 1)
    }
}
