import MessageBus
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import CSVImport

@Suite("Delivery of an import over the bus", .timeLimit(.minutes(2)))
struct BusSinkTests {
    /// Two heart rates of one person.
    private static let batch: PreparedBatch = {
        let observations = [60.0, 61].map {
            Observation(metric: "heart-rate", time: Timestamp(seconds: 1_700_000_000 + $0), content: .value($0), unit: "/min")
        }
        let received = Timestamp(seconds: 1_700_000_100)
        let group = ObservationGroup(participant: "ann", source: "watch", received: received, observations: observations)
        return PreparedBatch(
            index: 0, partition: Partition(participant: "ann"),
            batch: ObservationBatch(id: ULID.make(at: received), origin: "o", groups: [group]))
    }()

    /// A timeline that answers with what it is told, whatever it is to store.
    private final class Timeline: Sendable {
        private let state = Mutex<(answer: [UInt8], asked: [IncomingMessage])>(([], []))

        var asked: [IncomingMessage] { state.withLock { $0.asked } }

        func willAnswer(_ answer: [UInt8]) { state.withLock { $0.answer = answer } }

        func run(_ consumer: Consumer, _ publisher: Publisher) async throws {
            for try await batch in consumer.batches {
                for message in batch.messages {
                    let answer = state.withLock { state in
                        state.asked.append(message)
                        return state.answer
                    }
                    let properties = MessageProperties(correlationData: message.properties.correlationData)
                    try await publisher.publish(
                        OutgoingMessage(topic: message.properties.responseTopic ?? "nowhere", payload: answer, properties: properties))
                }
                batch.settle(.committed)
            }
        }
    }

    private static func withTimeline(
        clock: any Clock<Duration> = ContinuousClock(), _ body: @Sendable @escaping (Requester, Timeline) async throws -> Void
    ) async throws {
        let (server, events, timeline) = (try await MosquittoServer.start(), EventLog(), Timeline())
        let listener = server.consumer("timeline", "vigil/v1/history/#", onEvent: events.note)
        let publisher = Publisher(configuration: PublisherConfiguration(broker: server.configuration(clientID: "answers")))
        let requester = Requester(
            broker: server.configuration(clientID: "asker"), responsePrefix: "vigil/v1/responses/import/t", clock: clock)
        try await withRunning(publisher) { publisher in
            try await withRunning(listener) { listener in
                try await withRunning({ try await requester.run() }, stop: { requester.drain() }) {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { try await timeline.run(listener, publisher) }
                        try await events.waitUntilReady()
                        try await body(requester, timeline)
                        group.cancelAll()
                    }
                }
            }
        }
    }

    @Test("asks for a receipt where the shares of the deployment listen", arguments: [(1, Topic.Form.plain), (2, .shared), (4, .shared)])
    func asks(shares: Int, form: Topic.Form) async throws {
        try await Self.withTimeline { requester, timeline in
            timeline.willAnswer(try Receipt(outcome: .stored, stored: 2).encoded())
            let sink = BusSink(requester, patience: .seconds(100), shares: shares)
            #expect(sink.wantsBatches)
            #expect(try await sink.deliver(Self.batch) == DeliveryCounts(stored: 2))
            let asked = try #require(timeline.asked.first)
            #expect(timeline.asked.count == 1 && asked.topic == Topic.history(Self.batch.partition).path(form))
            #expect(asked.properties.contentType == MediaType.batch)
            let batch = try BatchDecoder().decode(asked.payload.span)
            #expect(batch.id == Self.batch.batch.id && batch.count == 2 && batch.origin == "o")
            #expect(batch.responseTopic == asked.properties.responseTopic && batch.responseTopic?.isEmpty == false)
        }
    }

    @Test("counts what the receipt tells of all of the batch, with the reasons where something was refused")
    func receipts() async throws {
        let rows: [(Receipt, DeliveryCounts)] = [
            (Receipt(outcome: .stored, stored: 1, duplicates: 1), DeliveryCounts(stored: 1, duplicates: 1)),
            (Receipt(outcome: .stored, duplicates: 1, corrections: 1), DeliveryCounts(duplicates: 1, corrections: 1)),
            (
                Receipt(outcome: .stored, corrections: 1, rejected: 1, reasons: ["no"]),
                DeliveryCounts(corrections: 1, refused: 1, reasons: ["no"])
            ),
            (Receipt(outcome: .stored, stored: 2, reasons: ["a remark"]), DeliveryCounts(stored: 2)),
        ]
        try await Self.withTimeline { requester, timeline in
            let sink = BusSink(requester, patience: .seconds(100), shares: 1)
            for (receipt, counts) in rows {
                timeline.willAnswer(try receipt.encoded())
                #expect(try await sink.deliver(Self.batch) == counts)
            }
            #expect(timeline.asked.count == rows.count)
        }
    }

    @Test("a receipt for less or more than the batch is a refusal, and one that cannot be read is no receipt")
    func refusals() async throws {
        let refused = "the timeline refused a batch: "
        let rows: [([UInt8], String)] = [
            (try Receipt(outcome: .rejected, reasons: ["not now", "never"]).encoded(), refused + "not now"),
            (try Receipt(outcome: .stored, stored: 1).encoded(), refused + "it answered for 1 of 2 observations"),
            (try Receipt(outcome: .stored, stored: 2, rejected: 1).encoded(), refused + "it answered for 3 of 2 observations"),
            (Array("{}".utf8), "the timeline's receipt cannot be read; is it of another version?"),
        ]
        try await Self.withTimeline { requester, timeline in
            let sink = BusSink(requester, patience: .seconds(100), shares: 1)
            for (answer, words) in rows {
                timeline.willAnswer(answer)
                let error = await #expect(throws: ImportError.self) { try await sink.deliver(Self.batch) }
                #expect(error?.code == .sink && error?.message == words)
            }
            #expect(timeline.asked.count == rows.count, "a refusal is not asked about again")
        }
    }

    @Test(
        "publishes a batch again that had no receipt for a minute, or as long as it has patience",
        arguments: [(3600, 60), (61, 60), (7, 7)])
    func again(patience: Int, timeout: Int) async throws {
        let clock = SteppingClock(2)
        try await Self.withTimeline(clock: clock) { requester, timeline in
            timeline.willAnswer(try Receipt(outcome: .stored, stored: 2).encoded())
            let sink = BusSink(requester, patience: .seconds(patience), shares: 1)
            #expect(try await sink.deliver(Self.batch) == DeliveryCounts(stored: 2))
        }
        #expect(clock.steps == Array(repeating: .seconds(timeout), count: 3), "the first two have passed")
    }

    @Test("gives up where its patience is over, or where nothing more can come, and says how to go on")
    func givesUp() async throws {
        let over = Requester(broker: BrokerConfiguration(port: 1, clientID: "r"), responsePrefix: "r", clock: ImmediateClock())
        let closed = Requester(broker: BrokerConfiguration(port: 1, clientID: "r"), responsePrefix: "r", clock: SteppingClock(0))
        closed.drain()
        for (requester, patience) in [(over, Duration.zero), (closed, .seconds(3600))] {
            let sink = BusSink(requester, patience: patience, shares: 1)
            let error = await #expect(throws: ImportError.self) { try await sink.deliver(Self.batch) }
            #expect(error?.code == .sink && error?.message.hasPrefix("no receipt for a batch: ") == true)
            #expect(error?.message.hasSuffix(". What is confirmed stays; run the import again to go on") == true)
        }
    }
}
