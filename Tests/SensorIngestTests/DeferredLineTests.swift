import Foundation
import MessageBus
import Observability
import ServiceKit
import Synchronization
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import SensorIngest

@Suite("What a device sends beyond its budget", .timeLimit(.minutes(4)))
struct DeferredLineTests {
    private let start = Timestamp(seconds: 1_700_000_000)

    private func message(_ readings: Int, _ sender: String = "12/A01", from second: Double = 0, correlation: String? = nil)
        -> IncomingMessage
    {
        IncomingMessage(
            topic: "vigil/v1/ingest/\(sender)", payload: Array(Self.text(readings, from: start.seconds + second).utf8),
            properties: MessageProperties(correlationData: correlation.map { Array($0.utf8) }))
    }

    private static func text(_ readings: Int, from start: Double, value: Int = 70) -> String {
        "[" + (0..<readings).map { #"{"metric":"heart-rate","time":\#(start - Double($0)),"value":\#(value)}"# }.joined(separator: ",")
            + "]"
    }

    @Test("waits in small batches of its own, whose receipts say so, while everybody else's goes on")
    func deferred() throws {
        var reader = MessageReader()
        let policy = DevicePolicy(budget: 10)
        let messages = [message(150), message(700, from: 1000, correlation: "7"), message(3, "13/B", correlation: "8")]
        let result = reader.read(messages, received: start.advanced(bySeconds: 2000), policy: policy)
        #expect(result.accepted == 853 && result.refused == 0 && result.deferred == 700)
        #expect(result.batches.filter { $0.line == nil }.map(\.batch.count).reduce(0, +) == 153)
        let waiting = result.batches.filter { $0.line == "12/A01" }.map(\.batch.count)
        #expect(waiting.reduce(0, +) == 700 && waiting.allSatisfy { $0 <= 500 })
        #expect(result.receiptRequests.map { $0.reason == nil } == [false, true])
        // What was used up comes back.
        let later = reader.read([message(100, from: 5000)], received: start.advanced(bySeconds: 5000), policy: policy)
        #expect(later.deferred == 0 && later.batches.allSatisfy { $0.line == nil })
        // Without a budget nothing waits.
        #expect(reader.read([message(5000, from: 9000)], received: start.advanced(bySeconds: 9000)).deferred == 0)
    }

    @Test("counts for a participant's devices together, whatever number of names one uses")
    func names() {
        var reader = MessageReader()
        let policy = DevicePolicy(budget: 10)
        let results = (0..<8).map { reader.read([message(150, "12/D\($0)")], received: start, policy: policy).deferred }
        #expect(results == [0, 0, 0, 0, 150, 150, 150, 150])
        #expect(reader.read([message(150, "13/D0")], received: start, policy: policy).deferred == 0)
    }

    @Test("counts samples by what they cost")
    func samples() {
        #expect(WorkCost.of(Observation(metric: "heart-rate", time: start, content: .value(60), unit: "/min")) == 1)
        let block = Observation(
            metric: "ecg", time: start, content: .samples([Double](repeating: 0, count: 250), period: 0.004), unit: "mV")
        #expect(WorkCost.of(block) == 11)
    }

    @Test("is refused in words once a device has as much waiting as one may have")
    func full() {
        let lines = DeferredLines()
        var reader = MessageReader(deferred: lines, lineLimit: 1000)
        lines.add([("a", "12/A01", 600), ("b", "12/A01", 600)])
        #expect(reader.read([message(1), message(1, "13/B")], received: start).refusals.map(\.error.code) == [.tooFast])
        lines.remove(["a"])
        #expect(reader.read([message(1)], received: start).refused == 0)
    }

    @Test("lines have their turns one after the other, of each one at a time, and four in all")
    func turns() {
        let lines = DeferredLines()
        lines.add((0..<6).map { ("a\($0)", "a", 1) } + [("b0", "b", 1), ("b1", "b", 1), ("c0", "c", 1)])
        #expect(lines.next() == ["a0", "b0", "c0"])
        #expect(lines.next() == [])
        lines.remove(["a0"])
        #expect(lines.next() == ["a1"])
        lines.add((0..<3).map { ("d\($0)", "d\($0)", 1) })
        #expect(lines.next() == ["d0"])
        lines.remove(["b0", "c0"])
        #expect(Set(lines.next()) == ["b1", "d1"])
        lines.putBack(["a1"])
        #expect(lines.next() == ["a1"])
        lines.remove(["b1", "d0", "d1", "a1", "a5"])
        var rest: [String] = []
        while case let next = lines.next(), !next.isEmpty {
            rest += next
            lines.remove(next)
        }
        #expect(rest == ["d2", "a2", "a3", "a4"] && lines.count == 0 && lines.bytes(of: "a") == 0)
    }

    @Test("what waits is in the file: it has its turn after a restart, in its order, and nothing else repeats it")
    func restart() async throws {
        let folder = try TemporaryFolder("vigil-deferred")
        let path = folder.path("outbox.sqlite")
        let entries = (0..<3).map { OutboxEntry(id: "\($0)", topic: "t", payload: [UInt8($0)], line: "12/A01") }
        do {
            let outbox = try await Outbox(path: path)
            try await outbox.keep(entries + [OutboxEntry(id: "live", topic: "t", payload: [9])], receiptRequests: [], now: start)
            #expect(try await outbox.nextDeferred(at: start).map(\.id) == ["0"])
            try await outbox.confirm(Confirmation(stored: ["live", "0"]), now: start)
            #expect(try await outbox.due(at: start.advanced(bySeconds: 1e6)).isEmpty)
        }
        let outbox = try await Outbox(path: path)
        try await outbox.started(at: start)
        try await outbox.connectionReturned(at: start)
        #expect(try await outbox.due(at: start.advanced(bySeconds: 1e6)).isEmpty)
        #expect(try await outbox.nextDeferred(at: start).map(\.payload) == [[1]])
        #expect(try await outbox.nextDeferred(at: start).isEmpty)
        // On its way and never confirmed: published again.
        #expect(try await outbox.due(at: start.advanced(bySeconds: 31)).map(\.id) == ["1"])
        try await outbox.confirm(Confirmation(stored: ["1"]), now: start)
        #expect(try await outbox.nextDeferred(at: start).map(\.payload) == [[2]])
    }

    @Test("a device that corrects its readings without end keeps nobody's receipts: all are stored, its own last")
    func flood() async throws {
        let rig = try await IngestRig { $0.budget = 100 }
        let rows = try await rig.run {
            let publisher = Publisher(configuration: PublisherConfiguration(broker: rig.server.configuration(clientID: "devices")))
            let requester = Requester(broker: rig.server.configuration(clientID: "honest"), responsePrefix: "vigil/v1/responses/honest/1")
            return try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await publisher.run() }
                tasks.addTask { try await requester.run() }
                for round in 0..<10 {
                    let flood = Self.text(2000, from: start.seconds, value: 60 + round)
                    try await publisher.publish(OutgoingMessage(topic: "vigil/v1/ingest/12/A01", payload: Array(flood.utf8)))
                }
                let receipt = try await requester.request(timeout: .seconds(30)) { _ in
                    OutgoingMessage(topic: "vigil/v1/ingest/13/B", payload: Array(Self.text(1, from: start.seconds).utf8))
                }
                // The flood is far from being stored when the honest one is.
                let waiting = try await self.corrections(rig)
                #expect(try Receipt(decoding: receipt.payload).stored == 1 && waiting < 18_000)
                try await eventually(within: .seconds(120), "all is stored") {
                    try await self.values(rig).count { $0 == 69 } == 2000
                }
                tasks.cancelAll()
                return try await (self.values(rig).count, self.corrections(rig))
            }
        }
        #expect(rows.0 == 2000 && rows.1 == 18_000)
    }

    private func values(_ rig: IngestRig) async throws -> [Double] {
        try await rig.store.readings(
            participant: "12", metric: "heart-rate", from: Timestamp(seconds: 0), to: start.advanced(bySeconds: 1), limit: 10_000
        ).readings.compactMap { if case .value(let value) = $0.content { value } else { nil } }
    }

    private func corrections(_ rig: IngestRig) async throws -> Int {
        var (count, number) = (0, Int64(0))
        while case let values = try await rig.store.corrections(participant: "12", after: number), let last = values.last {
            count += values.count
            number = last.number
        }
        return count
    }

    @Test("a receipt goes below no account's answers but those of who sends for the participant")
    func answers() {
        var reader = MessageReader(isAnswered: { account, participant in account == "belt" && participant == "12" })
        func ask(_ topic: String) -> IncomingMessage {
            IncomingMessage(
                topic: "vigil/v1/ingest/12/A01", payload: Array(Self.text(1, from: start.seconds).utf8),
                properties: MessageProperties(responseTopic: topic))
        }
        let result = reader.read(
            ["responses/belt/a", "responses/nurse/a", "receipts/12/A01/x"].map { ask("vigil/v1/" + $0) }, received: start)
        #expect(result.accepted == 3)
        #expect(result.receiptRequests.map(\.topic) == ["vigil/v1/responses/belt/a", "vigil/v1/receipts/12/A01/x"])
        #expect(result.refusals.map(\.error.code) == [.badTopic])
    }
}
