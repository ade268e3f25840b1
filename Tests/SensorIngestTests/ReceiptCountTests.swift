import MessageBus
import ServiceKit
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import SensorIngest

@Suite("The counts of a receipt for a block that is divided")
struct ReceiptCountTests {
    private static let now = Timestamp(seconds: 1_700_000_000)

    /// Twenty thousand samples, one a minute: a fortnight.
    private static let block =
        #"{"metric":"heart-rate","time":1600000000,"period":60,"samples":[\#(String(repeating: "61,", count: 19_999))61]}"#
    private static let readings =
        #"{"metric":"heart-rate","time":1600000000,"value":61},{"metric":"heart-rate","time":1600000001,"value":62}"#

    private func read(_ text: String) -> IngestResult {
        var reader = MessageReader()
        let message = IncomingMessage(
            topic: "vigil/v1/ingest/12/A01", payload: Array(text.utf8), properties: MessageProperties(correlationData: [1]))
        return reader.read([message], received: Self.now)
    }

    /// The receipt once the store has answered.
    private func receipt(_ result: IngestResult, refusing: (Observation) -> Bool) async throws -> Receipt {
        let outbox = try await Outbox(path: ":memory:")
        try await outbox.keep(
            result.batches.map { $0.entry(confirmations: "here") }, receiptRequests: result.receiptRequests, now: Self.now)
        let refused = result.batches.map { closed in
            let unkept = closed.batch.groups.enumerated().flatMap { group in
                group.element.observations.enumerated().filter { refusing($0.element) }.map {
                    Confirmation.Unkept(group: group.offset, observation: $0.offset, reason: "no")
                }
            }
            return Confirmation.Refused(batch: closed.batch.id, reason: "no", observations: unkept)
        }
        try await outbox.confirm(Confirmation(refused: refused), now: Self.now)
        let finished = try #require(try await outbox.finished().first)
        return try Receipt(decoding: try #require(finished.reply.message).payload)
    }

    private func isBlock(_ observation: Observation) -> Bool { if case .samples = observation.content { true } else { false } }

    @Test("is divided so that the store takes every part, of a day at most")
    func stored() async throws {
        let result = read(Self.block)
        let folder = try TemporaryFolder("vigil-receipt-count")
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        let counts = try await store.append(result.batches.map(\.batch))
        #expect(counts.allSatisfy { $0.rejections.isEmpty })
        let blocks = result.batches.flatMap(\.batch.groups).flatMap(\.observations).compactMap {
            observation -> (count: Int, seconds: Double)? in
            guard case .samples(let samples, let period) = observation.content else { return nil }
            return (samples.count, Double(samples.count) * period)
        }
        #expect(blocks.map(\.count).reduce(0, +) == 20_000 && blocks.allSatisfy { $0.seconds <= 86_400 })
        let receipt = try await receipt(result) { _ in false }
        #expect(receipt.outcome == .stored && receipt.stored == 1 && receipt.rejected == 0)
    }

    @Test("are of what was sent where the store refuses every part")
    func refused() async throws {
        let receipt = try await receipt(read(Self.block)) { _ in true }
        #expect(receipt.outcome == .rejected && receipt.stored == 0 && receipt.rejected == 1)
    }

    @Test("leave what stands beside it stored")
    func beside() async throws {
        for text in ["[\(Self.readings),\(Self.block)]", "[\(Self.block),\(Self.readings)]"] {
            let receipt = try await receipt(read(text), refusing: isBlock)
            #expect(receipt.outcome == .stored && receipt.stored == 2 && receipt.rejected == 1, "\(receipt)")
        }
    }

    @Test("tell the corrections from what was new, each of its own message's")
    func corrections() async throws {
        let folder = try TemporaryFolder("vigil-receipt-count")
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        func receipts(_ texts: [String], at time: Timestamp) async throws -> [Receipt] {
            var reader = MessageReader()
            let messages = texts.enumerated().map { number, text in
                IncomingMessage(
                    topic: "vigil/v1/ingest/12/A01", payload: Array(text.utf8),
                    properties: MessageProperties(correlationData: [UInt8(number)]))
            }
            let result = reader.read(messages, received: time)
            let outbox = try await Outbox(path: ":memory:")
            try await outbox.keep(
                result.batches.map { $0.entry(confirmations: "here") }, receiptRequests: result.receiptRequests, now: time)
            let counts = try await store.append(result.batches.map(\.batch))
            let corrected = zip(result.batches, counts).map { closed, counts in
                var corrected = Confirmation.Corrected(batch: closed.batch.id)
                for place in counts.corrected { corrected.add(group: place.group, observation: place.observation) }
                return corrected
            }
            try await outbox.confirm(Confirmation(stored: result.batches.map(\.batch.id), corrected: corrected), now: time)
            return try await outbox.finished().map { try Receipt(decoding: try #require($0.reply.message).payload) }
        }
        let first = #"{"metric":"heart-rate","time":1600000000,"value":61}"#
        #expect(try await receipts([first], at: Self.now).map(\.stored) == [1])
        let texts = [
            "[\(first.replacing("61", with: "64")),\(first.replacing("16000", with: "16001"))]", first.replacing("16000", with: "16002"),
        ]
        let later = try await receipts(texts, at: Self.now.advanced(bySeconds: 10))
        #expect(later.map(\.stored) == [1, 1] && later.map(\.corrections) == [1, 0], "\(later)")
        let alone = try await receipts([first.replacing("61", with: "65")], at: Self.now.advanced(bySeconds: 20))
        #expect(alone.first.map { $0.outcome == .stored && $0.stored == 0 && $0.corrections == 1 && $0.rejected == 0 } == true, "\(alone)")
    }

    @Test("stand on disk so that the version before reads what it knows")
    func text() {
        var coverage = ReceiptCoverage(request: 0)
        coverage.add(group: 0, observation: 1)
        coverage.add(group: 0, observation: 2, continues: true)
        #expect(coverage.text == "0:1-3 0+2" && ReceiptCoverage(request: 0, text: coverage.text) == coverage)
        #expect(coverage.isContinuation(group: 0, observation: 2) && !coverage.isContinuation(group: 0, observation: 1))
    }
}
