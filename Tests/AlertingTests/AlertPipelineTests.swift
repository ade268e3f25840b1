import AlertRules
import MessageBus
import Shares
import Synchronization
import TestSupport
import Testing
import TimelineStore
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

@Suite("Batches in, alerts out, where the database may be away", .timeLimit(.minutes(3)))
struct SharedAlertPipelineTests {
    private static let rules = #"{rules: [{id: "high", metric: "heart-rate", severity: "critical", above: 110, staleAfter: "2h"}]}"#

    /// A queue whose commits are confirmed by `flush` alone.
    private static func queue() -> CommitQueue {
        CommitQueue(position: 0, entry: 0, log: LogLines().logger) { work throws(StoreError) in work.last?.number ?? 0 }
    }

    /// What became of batches, in order: `name held`, `name committed`, `name rejected`.
    private final class Outcomes: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func note(_ line: String) { lines.withLock { $0.append(line) } }

        func batch(_ name: String, _ message: IncomingMessage) -> MessageBatch {
            MessageBatch(messages: [message], holdOpen: { self.note("\(name) held") }, settle: { self.note("\(name) \($0)") })
        }
    }

    @Test("a batch that waits for the database is held open, judged at once, and acknowledged once what it led to has left")
    func holding() async throws {
        let (queue, outcomes) = (Self.queue(), Outcomes())
        let rig = try CoordinatorRig(Self.rules, queue: queue)
        let held = try #require(rig.held)
        let (stream, continuation) = AsyncStream<MessageBatch>.makeStream()
        let pipeline = SharedAlertPipeline(batches: stream, coordinator: rig.coordinator, held: held)
        try await withRunning({ try await rig.coordinator.deliverHeld() }, stop: { held.drain() }) {
            try await withRunning({ try await pipeline.run() }, stop: { continuation.finish() }) {
                continuation.yield(outcomes.batch("first", rig.reading(90)))
                try await eventually("the first") { outcomes.all.last == "first committed" }
                // On a machine that is busy for long it was held open meanwhile.
                let before = outcomes.all.count
                try queue.add(CommitQueue.Commit([], entry: 1))
                continuation.yield(outcomes.batch("second", rig.reading(120)))
                continuation.yield(outcomes.batch("third", rig.reading(90)))
                try await eventually("both held open") { outcomes.all.dropFirst(before) == ["second held", "third held"] }
                #expect(
                    rig.publisher.messages.filter { $0.topic.contains("/alert-events/") }.allSatisfy {
                        (try? AlertMessage(decoding: $0.payload).unconfirmed) == true
                    }, "only what is told before it is durable")
                try await queue.flush()
                try await eventually("both") { outcomes.all.suffix(2) == ["second committed", "third committed"] }
            }
        }
        var records = 0
        try rig.store.eachRecord { _ in records += 1 }
        #expect(records == 0, "its state was written at the end")
    }

    @Test("an alarm that waits is told unconfirmed, to notifiers too, and counted; once it is durable they are woken")
    func unconfirmed() async throws {
        let queue = Self.queue()
        let rig = try CoordinatorRig(Self.rules, notifiers: ["web"], queue: queue)
        let (held, inbox) = (try #require(rig.held), try #require(rig.feed.inbox(of: "web")))
        try await withRunning({ try await rig.coordinator.deliverHeld() }, stop: { held.drain() }) {
            try queue.add(CommitQueue.Commit([], entry: 1))
            let settled = Outcomes()
            let one = try await rig.coordinator.hold(settled.batch("one", rig.reading(120)))
            try await eventually("the announcement") { rig.core.counts.unconfirmed.load(ordering: .relaxed) == 1 }
            try await eventually("both messages") { rig.publisher.messages.count == 2 }
            #expect(rig.publisher.messages.map(\.topic) == ["vigil/v1/alert-events/12/high", "vigil/v1/alerts/12/high"])
            #expect(rig.publisher.messages.allSatisfy { !$0.retained } && settled.all.isEmpty)
            #expect(inbox.takeUnconfirmed().map(\.rule) == ["high"])
            #expect(rig.log.lines == ["error: alarms are told unconfirmed: the alerts' state cannot be stored"])
            try await queue.flush()
            try await held.waitUntilLeft(one)
            #expect(settled.all == ["one committed"] && rig.publisher.messages.count == 4 && rig.publisher.messages[3].retained)
        }
    }

    @Test("rules that were read again on request are told to all shares, and those that are wrong are not")
    func reloads() async throws {
        let rig = try CoordinatorRig(Self.rules, queue: Self.queue())
        let held = try #require(rig.held)
        try await withRunning({ try await rig.coordinator.deliverHeld() }, stop: { held.drain() }) {
            try await withThrowingTaskGroup { tasks in
                tasks.addTask { try await rig.coordinator.runReloads() }
                let handler = CommandHandler(
                    message: IncomingMessage(
                        topic: "t", payload: Array("{}".utf8), properties: MessageProperties(responseTopic: "vigil/v1/responses/a/1")))
                func ask(_ count: Int) async throws {
                    rig.coordinator.take(AlertCore.DeferredCommand(kind: .reload, handler: handler))
                    try await eventually("the answer") { rig.answers.messages.count == count }
                }
                try rig.folder.write("{rules: [{}]}", to: "rules.json5")
                try await ask(1)
                #expect(rig.publisher.messages.isEmpty)
                try rig.folder.write(Self.rules, to: "rules.json5")
                try await ask(2)
                #expect(rig.publisher.messages.map(\.topic) == ["reloads"])
                #expect(rig.publisher.messages.first?.payload == Array(try RuleFolder.read(rig.folder.path("rules.json5")).digest.utf8))
                // Whom another share has told does not tell others.
                try rig.folder.write(Self.rules.replacing("110", with: "111"), to: "rules.json5")
                rig.coordinator.requestReload(.found(digest: nil))
                try await eventually("the other's") { rig.log.lines.contains("notice: rules read again") }
                #expect(rig.publisher.messages.count == 1)
                tasks.cancelAll()
            }
        }
    }

    @Test("no time passes while so much waits that nothing more is to be judged")
    func full() async throws {
        let queue = Self.queue()
        let rig = try CoordinatorRig(Self.rules, queue: queue)
        let held = try #require(rig.held)
        try await rig.coordinator.publishLeftOver()
        for _ in 0..<20_000 { held.add(AlertCore.Output()) }
        #expect(held.isFull)
        let clock = await rig.core.memory.engine.clock
        rig.wait(until: 105)
        try await rig.coordinator.tick()
        #expect(await rig.core.memory.engine.clock == clock)
    }

    @Test("a notifier's state is its share's own")
    func notifiers() async throws {
        let queue = Self.queue()
        let watching =
            #"{rules: [{id: "n", kind: "technical", metric: "notifier-status", severity: "warning", oneOf: ["failing"], staleAfter: "1d"}]}"#
        let rig = try CoordinatorRig(watching, notifiers: ["web"], queue: queue)
        let held = try #require(rig.held)
        try await withRunning({ try await rig.coordinator.deliverHeld() }, stop: { held.drain() }) {
            await rig.coordinator.report(notifier: "web-s00", .failing)
            await rig.coordinator.report(notifier: "page-s00", .failing)
            // At a start those that are not there any more, by their share's name, are told to be well.
            try await rig.coordinator.publishLeftOver()
            try await held.waitUntilLeft(held.add(AlertCore.Output()))
        }
        #expect(rig.told.last == "_module.vigil-notifier.page-s00 cleared" && !rig.told.contains("_module.vigil-notifier.web-s00 cleared"))
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
        let handler = CommandHandler(message: IncomingMessage(topic: "t", payload: []))
        for _ in 0..<1000 { #expect(requests.add(handler)) }
        #expect(!requests.add(handler))
        requests.signal()
        let (all, none) = (requests.take(), requests.take())
        #expect(all.handlers.count == 1000 && all.cause == .asked && none.handlers.isEmpty && none.cause == .found(digest: nil))
        var wishes = requests.wishes.makeAsyncIterator()
        #expect(await wishes.next() != nil)
        #expect(requests.add(handler))
        #expect(await wishes.next() != nil)
        #expect(requests.take().handlers.count == 1)
    }

    @Test("who asks gets what is there, also where something was merely found meanwhile")
    func causes() {
        let requests = ReloadRequests()
        requests.signal(.found(digest: "a"))
        #expect(requests.take().cause == .found(digest: "a"))
        requests.signal()
        requests.signal(.found(digest: "a"))
        #expect(requests.take().cause == .asked)
        requests.signal(.found(digest: "b"))
        #expect(requests.take().cause == .found(digest: "b"))
    }
}
