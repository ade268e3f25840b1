import AlertRules
import MessageBus
import Shares
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

@Suite("Batches in, alerts out", .timeLimit(.minutes(3)))
struct AlertPipelineTests {
    private static let away = BusError(.connectionLost, during: .publish)

    @Test("a batch is acknowledged once what it led to has left; one that could not is given back, after pauses that grow")
    func settling() async throws {
        let (rig, source, clock) = (try CoordinatorRig(), BatchSource(), SteppingClock(.max))
        let pipeline = AlertPipeline(batches: source, coordinator: rig.coordinator, log: rig.log.logger, clock: clock)
        try await withRunning({ try await pipeline.run() }, stop: { source.finish() }) {
            #expect(await source.send([rig.reading(90)]) == .committed)
            rig.publisher.fail { _ in Self.away }
            // Each transition is one more that waits.
            #expect(await source.send([rig.reading(120)]) == .rejected)
            for number in 0..<7 { #expect(await source.send([rig.reading(number % 2 == 0 ? 90 : 120)]) == .rejected) }
            rig.publisher.fail(where: nil)
            #expect(await source.send([rig.reading(91)]) == .committed)
            rig.publisher.fail { _ in Self.away }
            #expect(await source.send([rig.reading(120)]) == .rejected)
            rig.publisher.fail(where: nil)
        }
        let pauses = [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 200].map { Duration.milliseconds($0) }
        #expect(clock.steps == pauses)
        #expect(rig.log.lines == Array(repeating: "error: batch given back", count: 9))
        #expect(rig.log.values("messages", of: "batch given back").allSatisfy { $0 == "1" })
        // At its end the state was written.
        var records = 0
        try rig.store.eachRecord { _ in records += 1 }
        #expect(records == 0)
    }

    @Test("what an earlier process left comes before the first batch")
    func leftOver() async throws {
        let first = try CoordinatorRig()
        try await first.coordinator.publishLeftOver()
        try await first.coordinator.take([first.reading(120)])
        let (rig, source) = (try CoordinatorRig(in: first.folder), BatchSource())
        let pipeline = AlertPipeline(batches: source, coordinator: rig.coordinator, log: rig.log.logger)
        try await withRunning({ try await pipeline.run() }, stop: { source.finish() }) {
            #expect(await source.send([rig.reading(90)]) == .committed)
        }
        #expect(rig.told == ["12 raised", "12 cleared"])
    }

    @Test("timers run five times a second, once a second while they cannot, which is told at first and then once a minute")
    func ticker() async throws {
        let (rig, clock) = (try CoordinatorRig(), SteppingClock(2))
        try await rig.coordinator.publishLeftOver()
        try await rig.coordinator.take([rig.reading(120)])
        let ticker = AlertTicker(coordinator: rig.coordinator, log: rig.log.logger, clock: clock)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try? await ticker.run() }
            try await eventually("three turns") { clock.steps.count == 3 }
            #expect(clock.steps == Array(repeating: .milliseconds(200), count: 3) && rig.log.lines.isEmpty)
            // Something is to be told again, and cannot be.
            await rig.core.publishingFailed()
            rig.wait(until: 109)
            rig.publisher.fail { _ in Self.away }
            clock.allow(61)
            try await eventually("sixty-one that failed") { clock.steps.count == 64 }
            #expect(clock.steps.dropFirst(3).allSatisfy { $0 == .seconds(1) })
            #expect(rig.log.lines == Array(repeating: "error: timers cannot run; trying again", count: 2))
            rig.publisher.fail(where: nil)
            clock.allow(1)
            try await eventually("one more") { clock.steps.count == 65 }
            #expect(clock.steps.last == .milliseconds(200) && rig.log.lines.count == 2)
            tasks.cancelAll()
        }
    }
}

@Suite("What a share takes")
struct ShareScopeTests {
    private static let shares = Share.all(of: 4)

    /// The share of a participant, by the partition's number modulo four.
    private static func owner(_ participant: String) -> Int { Int(Partition(participant: participant).number) % 4 }

    @Test(
        "is a participant of one share alone; a share's notifiers are its own", arguments: ["p1", "p2", "all", "_module.vigil-stress.main"])
    func owners(participant: String) {
        #expect(Self.shares.map { $0.owns(participant) } == (0..<4).map { $0 == Self.owner(participant) })
        for share in Self.shares {
            let notifier = TechnicalMetric.participant(service: "vigil-notifier", instance: share.name(ofNotifier: "web"))
            #expect(notifier == "_module.vigil-notifier.web-\(share)")
            #expect(Self.shares.map { $0.owns(notifier) } == Self.shares.map { $0 == share })
            // Only a notifier's name says so.
            #expect(share.owns("\(participant)-s00") == (share.number == Self.owner("\(participant)-s00")))
        }
        let other = "_module.vigil-notifier.web"
        #expect(Self.shares.map { $0.owns(other) } == (0..<4).map { $0 == Self.owner(other) })
        #expect(Self.shares.map(\.answersForAll) == (0..<4).map { $0 == Self.owner("all") })
    }

    private static func request(_ text: String) -> IncomingMessage {
        IncomingMessage(topic: "vigil/v1/requests/a/alert", payload: Array(text.utf8))
    }

    @Test("a request is taken by the share of whom it names, and what names nobody by the one that answers for all")
    func requests() {
        let long = #"{"participant": "p1", "x": ""#
        let fill = { (count: Int) in long + String(repeating: "x", count: count - long.utf8.count - 2) + "\"}" }
        let rows: [(IncomingMessage, String)] = [
            (Self.request(#"{"participant": "p1"}"#), "p1"), (Self.request(#"{"participant": "p2"}"#), "p2"), (Self.request("{}"), "all"),
            (Self.request("x"), "all"), (Self.request(#"{"participant": "all"}"#), "all"), (Self.request(#"{"participant": 7}"#), "all"),
            (Self.request(fill(65_536)), "p1"), (Self.request(fill(65_537)), "all"),
            (IncomingMessage(topic: Topic.alertCommand(participant: "p1", rule: "high").path, payload: []), "p1"),
            (IncomingMessage(topic: Topic.alertCommand(participant: "all", rule: "all").path, payload: []), "all"),
            (
                IncomingMessage(topic: Topic.moduleStatus(service: "vigil-stress", instance: "main").path, payload: []),
                TechnicalMetric.participant(service: "vigil-stress", instance: "main")
            ),
        ]
        #expect(Self.owner("p1") != Self.owner("all"), "else the rows would say little")
        for (message, name) in rows {
            #expect(Self.shares.map { $0.takes(message) } == (0..<4).map { $0 == Self.owner(name) }, "\(message.topic) \(name)")
        }
        let observation = IncomingMessage(topic: Topic.readings(Partition(participant: "p1")).path, payload: [])
        #expect(Self.shares.allSatisfy { $0.takes(observation) }, "each subscribes to its own")
    }

    @Test("of a batch it takes its own messages, and settles what holds none of them")
    func ownRequests() async throws {
        let outcomes = Mutex<[String]>([])
        func batch(_ name: String, _ topics: String...) -> MessageBatch {
            MessageBatch(messages: topics.map { IncomingMessage(topic: $0, payload: []) }) { outcome in
                outcomes.withLock { $0.append("\(name) \(outcome)") }
            }
        }
        let (stream, continuation) = AsyncStream<MessageBatch>.makeStream()
        for one in [batch("all", "a", "a"), batch("none", "b"), batch("some", "b", "a", "b")] { continuation.yield(one) }
        continuation.finish()
        var seen: [[String]] = []
        for try await one in OwnRequests(batches: stream, takes: { $0.topic == "a" }) {
            seen.append(one.messages.map(\.topic))
            one.settle(.committed)
        }
        #expect(seen == [["a", "a"], ["a"]])
        #expect(outcomes.withLock { $0 } == ["all committed", "none committed", "some committed"])
    }
}

@Suite("Who waits for the rules to be read again")
struct ReloadRequestTests {
    @Test("any number is one wish; a thousand are answered")
    func wishes() async {
        let requests = ReloadRequests()
        let handler = CommandHandler(message: IncomingMessage(topic: "t", payload: []), participant: "all", rule: "all")
        for _ in 0..<1000 { #expect(requests.add(handler)) }
        #expect(!requests.add(handler))
        requests.signal()
        #expect(requests.take().count == 1000 && requests.take().isEmpty)
        var wishes = requests.wishes.makeAsyncIterator()
        #expect(await wishes.next() != nil)
        #expect(requests.add(handler))
        #expect(await wishes.next() != nil)
        #expect(requests.take().count == 1)
    }
}
