import AlertRules
import MessageBus
import Observability
import Shares
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

/// The lines of a log: `error: what is said`.
final class LogLines: Sendable {
    private let entries = Mutex<[LogEntry]>([])

    var logger: Logger {
        Logger(service: "test", level: .debug) { entry in self.entries.withLock { $0.append(entry) } }
    }

    var lines: [String] { entries.withLock { $0.map { "\($0.level): \($0.message)" } } }

    /// The values of a metadata key in the lines that say something.
    func values(_ key: String, of message: String) -> [String] {
        entries.withLock { $0.filter { $0.message == message }.compactMap { $0.metadata[key] } }
    }
}

/// A coordinator on a state file, without a broker; its clock is the test's.
final class CoordinatorRig: Sendable {
    static let start: Int64 = 1_700_000_000
    static let plain = #"{rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110, staleAfter: "2h"}]}"#

    let folder: TemporaryFolder
    let publisher = InMemoryPublisher()
    let answers = InMemoryPublisher()
    let log = LogLines()
    let feed: NotifierFeed
    let core: AlertCore
    let coordinator: AlertCoordinator
    /// What waits for the commits of `queue`, where the rig is a share's.
    let held: PendingOutputs?
    private let time: Mutex<Int64>

    /// - Parameters:
    ///   - queue: of a share's commits; nil: the rig is no share's.
    ///   - second: of the machine's even clock.
    init(
        _ rules: String = plain, in folder: TemporaryFolder? = nil, notifiers: [String] = [], capacity: Int = 100,
        queue: CommitQueue? = nil,
        at second: Int64 = 100
    ) throws {
        let folder = try folder ?? TemporaryFolder("coordinator")
        let path = try folder.write(rules, to: "rules.json5")
        let files = try RuleFolder.read(path)
        (self.folder, feed) = (folder, NotifierFeed(notifiers))
        time = Mutex(second * 1_000_000)
        core = try AlertCore(
            path: folder.path("state.sqlite"), rules: files, markerTopic: "marker", capacity: capacity, feed: feed,
            now: Self.sample(second * 1_000_000), bootID: "one")
        let held = queue.map { [log] in PendingOutputs(commits: $0, log: log.logger) }
        self.held = held
        let share = try #require(Share(0, of: 1))
        let clock = Mutex<CoordinatorRig?>(nil)
        coordinator = AlertCoordinator(
            core: core, path: path, outbox: OutboxPublisher(publisher), replies: ReplyPublisher(answers), feed: feed,
            instance: "test", sharing: held.map { .init(share: share, held: $0, reloads: "reloads") }, log: log.logger,
            now: { clock.withLock { $0?.now ?? Self.sample(second * 1_000_000) } })
        clock.withLock { $0 = self }
    }

    private static func sample(_ boot: Int64) -> ClockSample { ClockSample(wall: start * 1_000_000 + boot, boot: boot) }

    var now: ClockSample { Self.sample(time.withLock { $0 }) }

    /// Sets the clock, in microseconds after a second.
    func wait(until second: Int64, _ microseconds: Int64 = 0) { time.withLock { $0 = second * 1_000_000 + microseconds } }

    var store: SQLiteAlertStore { get throws { try SQLiteAlertStore(path: folder.path("state.sqlite")) } }

    /// The transitions that were published, with repeats.
    var told: [String] {
        publisher.messages.filter { $0.topic.contains("/alert-events/") }.map {
            (try? AlertMessage(decoding: $0.payload)).map { "\($0.participant) \($0.transition)" } ?? "?"
        }
    }

    /// A batch with one heart rate, measured now.
    func reading(_ value: Double, of participant: String = "12", id: String? = nil) -> IncomingMessage {
        let time = Timestamp(microseconds: now.wall)
        let observation = Observation(metric: "heart-rate", time: time, content: .value(value), unit: "/min")
        let group = ObservationGroup(participant: participant, source: "a", received: time, observations: [observation])
        let batch = ObservationBatch(id: id ?? ULID.make(at: time), groups: [group])
        return IncomingMessage(topic: Topic.readings(Partition(participant: participant)).path, payload: BatchEncoder.encode(batch))
    }

    /// Gives a command, and returns what was answered until it was carried out.
    func ask(_ json: String, of participant: String = "12", rule: String = "all") async throws -> [String] {
        let before = answers.messages.count
        let message = CommandRequest.message(json, of: participant, rule: rule, answeredOn: "vigil/v1/responses/a/1")
        try await coordinator.take([message])
        coordinator.drainQuestions()
        await coordinator.answerQuestions()
        return answers.messages.dropFirst(before).map { String(decoding: $0.payload, as: UTF8.self) }
    }
}
