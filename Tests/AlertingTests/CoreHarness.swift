import AlertRules
import Alerting
import Foundation
import MessageBus
import SQLiteDatabase
import TestSupport
import VigilSchema

/// `vigil-alert` without broker and network: its core on a state file, with a machine whose clocks and restarts the test decides.
final class CoreHarness {
    static let start: Int64 = 1_700_000_000
    private static let marker = "vigil/v1/modules/vigil-alert/test/caught-up"
    private let folder: TemporaryFolder
    private let files: [RuleFile]
    private let capacity: Int
    private var core: AlertCore
    private var bootID = "first"
    private var number = 0
    /// The messages that wait at the broker to come back.
    private var markers: [IncomingMessage] = []
    /// Seconds since the start, as the machine's even counter has it.
    private(set) var now: Int64 = 0
    /// By how much the wall clock has leapt.
    var leap: Int64 = 0
    private var seen: [AlertMessage] = []
    private var messages: [OutgoingMessage] = []
    private var last: IncomingMessage?
    /// The newest event's number of each alert: after a restart some are published again.
    private var numbers: [String: UInt32] = [:]

    init(_ rules: String, capacity: Int = 100) throws {
        self.capacity = capacity
        folder = try TemporaryFolder("alert-core")
        files = [RuleFile(name: "test.json5", text: rules)]
        core = try Self.open(folder, files, capacity, ClockSample(wall: Self.start * 1_000_000, boot: 0), bootID)
    }

    private static func open(_ folder: TemporaryFolder, _ files: [RuleFile], _ capacity: Int, _ now: ClockSample, _ bootID: String) throws
        -> AlertCore
    {
        try AlertCore(
            path: folder.path("state.sqlite"), rules: files, markerTopic: marker, capacity: capacity, now: now,
            bootID: bootID)
    }

    private var moment: ClockSample { ClockSample(wall: (Self.start + now + leap) * 1_000_000, boot: now * 1_000_000) }

    /// Time passes, with the service's ticks.
    func run(to second: Int64) async throws {
        while now < second {
            now += 1
            try await note(try await core.advance(to: moment))
        }
    }

    /// The process is killed and started again at this second; `reboot`: the machine too.
    func restart(at second: Int64, reboot: Bool = false) async throws {
        now = second
        if reboot { bootID += "+" }
        core = try Self.open(folder, files, capacity, moment, bootID)
        try await note(try await core.leftOver())
    }

    /// Nobody looks until this second: the process was stopped, or the machine slept.
    func sleep(to second: Int64) async throws {
        now = second
        try await note(try await core.advance(to: moment))
    }

    /// A heart rate as it comes from the broker; what waited there was received before now.
    func read(_ value: Double, of participant: String = "12", received: Int64? = nil) async throws {
        number += 1
        let time = Timestamp(microseconds: (Self.start + leap + (received ?? now)) * 1_000_000)
        let observation = Observation(metric: "heart-rate", time: time, content: .value(value), unit: "/min")
        let group = ObservationGroup(participant: participant, source: "a", received: time, observations: [observation])
        let payload = BatchEncoder.encode(ObservationBatch(id: "batch-\(number)", groups: [group]))
        try await take(Topic.readings(Partition(participant: participant)).path, payload)
    }

    func command(_ json: String, rule: String) async throws {
        try await take(Topic.alertCommand(participant: "12", rule: rule).path, Array(json.utf8))
    }

    /// The broker has nothing more that waited: what the service sent itself comes back.
    func drain() async throws {
        let waiting = markers
        markers = []
        for marker in waiting { try await take(marker.topic, marker.payload) }
    }

    /// Lets the state file be written, or not.
    func disk(isFull: Bool) throws {
        let file = try Database(path: folder.path("state.sqlite"))
        for table in ["journal", "events", "meta", "rules", "participants"] {
            try file.execute(
                isFull
                    ? "CREATE TRIGGER full_\(table) BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
                    : "DROP TRIGGER full_\(table)")
        }
    }

    func checkpoint() async throws { try await core.checkpoint(now: moment) }

    /// The broker gives the newest message out again, which was not acknowledged.
    func redeliver() async throws {
        if let last { try await note(try await core.take([last], now: moment)) }
    }

    /// Something could not be published.
    func publishingFailed() async { await core.publishingFailed() }

    /// Every message of a kind that was given out to be published.
    func published(_ kind: String) -> [OutgoingMessage] { messages.filter { $0.topic.hasPrefix("vigil/v1/\(kind)") } }

    /// Returns what happened since the last call: `rule transition`.
    func happened() -> [String] {
        defer { seen = [] }
        return seen.map { "\($0.rule) \($0.transition)" }
    }

    /// The event times of what happened since the last call, in seconds since the start.
    func times() -> [Int64] {
        defer { seen = [] }
        return seen.map { Int64($0.time) - Self.start }
    }

    /// The number of the newest event of an alert.
    func lastNumber(of participant: String, _ rule: String) -> UInt32? {
        numbers[Topic.alertEvent(participant: participant, rule: rule).path]
    }

    private func take(_ topic: String, _ payload: [UInt8]) async throws {
        let message = IncomingMessage(topic: topic, payload: payload, retained: false, qos: .atLeastOnce, properties: MessageProperties())
        last = message
        try await note(try await core.take([message], now: moment))
    }

    private func note(_ output: AlertCore.Output) async throws {
        messages += output.messages
        for message in output.messages where message.topic.contains("/alert-events/") {
            let event = try AlertMessage(decoding: message.payload)
            guard event.sequence > numbers[message.topic] ?? 0 else { continue }
            numbers[message.topic] = event.sequence
            seen.append(event)
        }
        for marker in output.messages where marker.topic == Self.marker {
            markers.append(
                IncomingMessage(
                    topic: marker.topic, payload: marker.payload, retained: false, qos: .atLeastOnce, properties: MessageProperties()))
        }
        await core.published(output, at: moment)
    }
}
