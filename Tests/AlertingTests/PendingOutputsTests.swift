import MessageBus
import Observability
import Synchronization
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import Alerting

@Suite("What waits until it is durable", .timeLimit(.minutes(3)))
struct PendingOutputsTests {
    /// The outputs beside a queue whose commits a test confirms by `flush`, and what leaves.
    private final class Rig: Sendable {
        let queue = CommitQueue(position: 0, entry: 0, log: Logger(service: "test", level: .error)) { work throws(StoreError) in
            work.last?.number ?? 0
        }
        let held: PendingOutputs
        /// What left, in order: a topic, `announced RULE TRANSITION` or `deferredCommand`.
        let log = Mutex<[String]>([])
        let outcomes = Mutex<[MessageBatch.Outcome]>([])

        init() { held = PendingOutputs(commits: queue, log: Logger(service: "test", level: .error)) }

        func note(_ line: String) { log.withLock { $0.append(line) } }
        var lines: [String] { log.withLock { $0 } }

        func batch(_ bytes: Int = 1) -> MessageBatch {
            MessageBatch(messages: [IncomingMessage(topic: "t", payload: [UInt8](repeating: 0, count: bytes))]) { outcome in
                self.outcomes.withLock { $0.append(outcome) }
            }
        }

        func run(failing topic: String? = nil) async throws {
            try await held.run { output in
                for message in output.messages {
                    if message.topic == topic { throw BusError(.connectionLost, during: .publish) }
                    self.note(message.topic)
                }
            } announce: { alarms in
                for alarm in alarms { self.note("announced \(alarm.rule) \(alarm.transition)") }
            } deferredCommand: { _ in
                self.note("deferredCommand")
            }
        }
    }

    private static func output(_ topics: String..., bytes: Int = 0) -> AlertCore.Output {
        AlertCore.Output(messages: topics.map { OutgoingMessage(topic: $0, payload: [UInt8](repeating: 0, count: bytes)) })
    }

    private static func alarm(
        _ rule: String, _ transition: String = "raised", severity: String = "critical", change: (inout AlertMessage) -> Void = { _ in }
    ) throws -> OutgoingMessage {
        var message = AlertMessage(
            participant: "12", rule: rule, sequence: 1, transition: transition, cause: "reading", time: 1, decided: 1, state: "active",
            severity: severity, priority: "high", kind: "medical", group: "heart", since: 1)
        change(&message)
        return OutgoingMessage(topic: Topic.alertEvent(participant: "12", rule: rule).path, payload: try message.encoded())
    }

    @Test("leaves in order, each once its commit is confirmed; then its batch is acknowledged")
    func order() async throws {
        let rig = Rig()
        let free = rig.held.add(Self.output("free"))
        try rig.queue.add(CommitQueue.Commit([], entry: 1))
        let bound = rig.held.add(Self.output("bound"), of: rig.batch())
        try await withRunning({ try await rig.run() }, stop: { rig.held.drain() }) {
            try await rig.held.waitUntilLeft(free)
            #expect(rig.lines == ["free"] && !bound.left.isOpen && rig.outcomes.withLock { $0.isEmpty })
            #expect(await !rig.held.hasLeft(bound, within: .milliseconds(20)))
            #expect(await rig.held.hasLeft(free, within: .zero))
            try await rig.queue.flush()
            try await rig.held.waitUntilLeft(bound)
            #expect(rig.lines == ["free", "bound"] && rig.outcomes.withLock { $0 } == [.committed])
            #expect(await rig.held.hasLeft(rig.held.add(Self.output("late")), within: .seconds(3600)))
        }
        #expect(rig.lines == ["free", "bound", "late"])
    }

    @Test("drained, it ends only when everything has left")
    func drain() async throws {
        let rig = Rig()
        rig.held.add(Self.output("a"))
        rig.held.add(Self.output("b"))
        rig.held.drain()
        try await rig.run()
        #expect(rig.lines == ["a", "b"])
    }

    @Test("what cannot be published is given back with all that follows, and nothing more is kept")
    func failure() async throws {
        let rig = Rig()
        let held = ["a", "b", "c"].map { rig.held.add(Self.output($0, bytes: 30 << 20), of: rig.batch()) }
        #expect(rig.held.isFull)
        await #expect(throws: BusError.self) { try await rig.run(failing: "b") }
        #expect(rig.lines == ["a"] && rig.outcomes.withLock { $0 } == [.committed, .rejected, .rejected])
        #expect(held.allSatisfy { $0.left.isOpen } && !rig.held.isFull)
        let late = rig.held.add(Self.output("d", bytes: 65 << 20))
        #expect(late.left.isOpen && !rig.held.isFull)
        await #expect(throws: (any Error).self) { try await rig.held.waitUntilLeft(late) }
    }

    @Test("ends with the queue of commits, and tells nothing more")
    func ended() async throws {
        let rig = Rig()
        rig.held.add(Self.output("a"))
        rig.queue.drain()
        try await rig.queue.run()
        await #expect(throws: CancellationError.self) { try await rig.run() }
        #expect(rig.lines.isEmpty)
    }

    @Test("is full beyond 64 MiB, of messages and of the batches that they come of, and has room again once something has left")
    func bytes() async throws {
        let rig = Rig()
        try rig.queue.add(CommitQueue.Commit([], entry: 1))
        rig.held.add(Self.output("a", "b", bytes: 16 << 20), of: rig.batch(32 << 20))
        #expect(!rig.held.isFull)
        rig.held.add(Self.output("c", bytes: 1))
        #expect(rig.held.isFull)
        try await withRunning({ try await rig.run() }, stop: { rig.held.drain() }) {
            try await rig.queue.flush()
            await rig.held.waitForRoom()
            #expect(!rig.held.isFull && rig.lines.prefix(2) == ["a", "b"])
        }
        #expect(rig.lines.count == 3)
    }

    @Test("is full beyond 20,000 decisions")
    func count() {
        let rig = Rig()
        for _ in 0..<20_000 { rig.held.add(AlertCore.Output()) }
        #expect(!rig.held.isFull)
        rig.held.add(AlertCore.Output())
        #expect(rig.held.isFull)
    }

    @Test("while the database is silent, critical alarms that begin and are not kept quiet are told once, before they are durable")
    func announces() async throws {
        let rig = Rig()
        let beginnings = [
            "raised", "severity-raised", "recurred", "uninhibited", "silence-ended", "clear-ended", "worsened", "reminded",
        ]
        let others = ["pending", "acknowledged", "severity-lowered", "recovered", "data-lost", "escalated", "cleared"]
        let began = ContinuousClock.now
        try rig.queue.add(CommitQueue.Commit([], entry: 1))
        var output = AlertCore.Output(messages: try (beginnings + others).map { try Self.alarm("a", $0) })
        output.messages += [
            try Self.alarm("mild", severity: "warning"), try Self.alarm("seen") { $0.acknowledged = true },
            try Self.alarm("quiet") { $0.silenced = true }, try Self.alarm("below") { $0.inhibited = true },
            try Self.alarm("over") { $0.state = "none" },
            OutgoingMessage(topic: Topic.alert(participant: "12", rule: "state").path, payload: try Self.alarm("state").payload),
        ]
        rig.held.add(output)
        rig.held.add(AlertCore.Output(messages: [try Self.alarm("second")]))
        try await withRunning({ try await rig.run() }, stop: { rig.held.drain() }) {
            let first = beginnings.map { "announced a \($0)" } + ["announced second raised"]
            try await eventually("the announcement") { rig.lines.count >= first.count }
            #expect(rig.lines == first && ContinuousClock.now - began >= .seconds(1) && PendingOutputs.patience == .seconds(1))
            // What comes while it is still silent is told at once, and what was told is not told again.
            rig.held.add(AlertCore.Output(messages: [try Self.alarm("third")]))
            try await eventually("the next") { rig.lines.count > first.count }
            #expect(rig.lines == first + ["announced third raised"])
            try await rig.queue.flush()
            try await eventually("what is stored") { rig.lines.last == Topic.alertEvent(participant: "12", rule: "third").path }
            #expect(rig.lines.count { $0.hasPrefix("announced") } == first.count + 1)
        }
    }

    @Test("what is stored waits for no commit, and nothing that was given out before is announced, however long the database is silent")
    func leftOver() async throws {
        let rig = Rig()
        try rig.queue.add(CommitQueue.Commit([], entry: 1))
        try await eventually("silence") { rig.queue.age > PendingOutputs.patience }
        let (old, new) = (try Self.alarm("old"), try Self.alarm("new"))
        var left = AlertCore.Output(messages: [old])
        (left.repeated, left.isDurable) = (1, true)
        let first = rig.held.add(left)
        left.isDurable = false
        rig.held.add(left)
        var both = AlertCore.Output(messages: [old, new])
        both.repeated = 1
        let last = rig.held.add(both)
        try await withRunning({ try await rig.run() }, stop: { rig.held.drain() }) {
            try await rig.held.waitUntilLeft(first)
            try await eventually("the announcement") { rig.lines.count > 1 }
            #expect(rig.lines == [old.topic, "announced new raised"])
            try await rig.queue.flush()
            try await rig.held.waitUntilLeft(last)
        }
        #expect(rig.lines == [old.topic, "announced new raised", old.topic, old.topic, new.topic])
    }

    @Test("an alarm is told unconfirmed as an event and as a state that the broker does not keep")
    func unconfirmed() throws {
        let alarm = try AlertMessage(decoding: try Self.alarm("fast").payload)
        let messages = alarm.unconfirmedMessages
        #expect(messages.map(\.topic) == ["vigil/v1/alert-events/12/fast", "vigil/v1/alerts/12/fast"])
        for message in messages {
            var told = try AlertMessage(decoding: message.payload)
            #expect(told.unconfirmed == true && !message.retained)
            told.unconfirmed = alarm.unconfirmed
            #expect(told == alarm)
        }
    }

    @Test("what a command asks for beside the engine is handed on once its answer has left")
    func deferredCommands() async throws {
        let rig = Rig()
        let handler = CommandHandler(message: IncomingMessage(topic: "t", payload: []))
        func output(_ topic: String, _ kind: AlertCore.DeferredCommand.Kind) -> AlertCore.Output {
            var output = Self.output(topic)
            output.deferredCommands = [AlertCore.DeferredCommand(kind: kind, handler: handler)]
            return output
        }
        let (first, second) = (output("answer", .reload), output("next", .history))
        try await withRunning({ try await rig.run() }, stop: { rig.held.drain() }) {
            rig.held.add(first)
            try await eventually("the deferredCommand") { rig.lines == ["answer", "deferredCommand"] }
            try await rig.held.waitUntilLeft(rig.held.add(second))
            try await eventually("the next deferredCommand") { rig.lines.count == 4 }
        }
    }
}
