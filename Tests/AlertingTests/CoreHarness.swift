import AlertRules
import Foundation
import MessageBus
import TestSupport
import VigilSchema

@testable import Alerting

/// `vigil-alert` without broker and network: its core on a store, with a machine whose clocks and restarts the test decides.
final class CoreHarness {
    static let start: Int64 = 1_700_000_000
    private static let marker = "vigil/v1/modules/vigil-alert/test/caught-up"
    private let stores: any CoreStores
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
    /// The answers to commands and what is said of messages that cannot be read.
    private(set) var answers: [OutgoingMessage] = []
    private var last: IncomingMessage?
    /// The newest event's number of each alert: after a restart some are published again.
    private var numbers: [String: UInt32] = [:]

    init(_ rules: String, on kind: StoreKind = .sqlite, capacity: Int = 100) async throws {
        self.capacity = capacity
        stores = try await kind.stores()
        files = [RuleFile(name: "test.json5", text: rules)]
        core = try await Self.open(stores, files, capacity, ClockSample(wall: Self.start * 1_000_000, boot: 0), bootID)
    }

    private static func open(_ stores: any CoreStores, _ files: [RuleFile], _ capacity: Int, _ now: ClockSample, _ bootID: String)
        async throws -> AlertCore
    {
        let core = try await stores.core(rules: files, markerTopic: marker, capacity: capacity, now: now, bootID: bootID)
        try await core.commits?.flush()
        return core
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
        core = try await Self.open(stores, files, capacity, moment, bootID)
        try await note(try await core.leftOver())
    }

    /// Goes on after a failed commit: a core that cannot be rebuilt from its store is made anew, as its share's work is begun anew.
    func recover() async throws {
        if core.commits != nil { try await restart(at: now) }
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
        try await take(CommandRequest.topic(), CommandRequest.payload(json, rule: rule))
    }

    /// Returns the answer to a command that says where it wants one.
    func ask(
        _ json: String, of participant: String = "12", rule: String, number: UInt16 = 0, isRepeat: Bool? = nil
    ) async throws -> String {
        answers = []
        try await take(
            "vigil/v1/requests/a/alert", CommandRequest.payload(json, of: participant, rule: rule), responseTopic: "vigil/v1/responses/a/1",
            number: number, isRepeat: isRepeat)
        return answers.map { String(decoding: $0.payload, as: UTF8.self) }.joined(separator: "\n")
    }

    /// Reads other rules, as from then on.
    func reload(_ rules: String) async throws {
        try await note(try await core.reload([RuleFile(name: "test.json5", text: rules)], now: moment))
    }

    /// Tells whether a notifier's receiver can be reached.
    func report(_ notifier: String, isFailing: Bool) async throws {
        try await note(try await core.take(notifier: notifier, isFailing ? .failing : .delivering, now: moment))
    }

    /// Time passes, and nobody looks.
    func wait(until second: Int64) { now = second }

    /// Whether decisions can be stored.
    var health: StoreHealth { core.health }

    /// What has been counted since the process began.
    var counts: AlertCounts { core.counts }

    /// The rules in force.
    var rules: [String] { get async { await core.files.map(\.text) } }

    /// The broker has nothing more that waited: what the service sent itself comes back.
    func drain() async throws {
        let waiting = markers
        markers = []
        for marker in waiting { try await take(marker.topic, marker.payload) }
    }

    /// Lets the state be written, or not.
    func refuseWrites(_ refuses: Bool) throws { try stores.refuseWrites(refuses) }

    func checkpoint() async throws {
        try await core.checkpoint(now: moment)
        try await core.commits?.flush()
    }

    /// Forgets a participant.
    func erase(_ participant: String) async throws {
        try await note(try await core.erase(participant, now: moment).output)
        try await core.commits?.flush()
    }

    /// The bytes of everything that the core would be rebuilt from.
    func kept() async throws -> [[UInt8]] {
        let store = try await stores.store()
        var kept: [[UInt8]] = []
        try store.eachRecord { kept.append($0) }
        try store.eachParticipant { kept.append(Array($0.name.utf8) + $0.state) }
        return kept
    }

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

    /// A message comes.
    func take(
        _ topic: String, _ payload: [UInt8], retained: Bool = false, responseTopic: String? = nil, number: UInt16 = 0, isRepeat: Bool? = nil
    ) async throws {
        let message = IncomingMessage(
            topic: topic, payload: payload, retained: retained, properties: MessageProperties(responseTopic: responseTopic),
            packetID: number, isRepeat: isRepeat)
        last = message
        try await note(try await core.take([message], now: moment))
    }

    private func note(_ output: AlertCore.Output) async throws {
        // Nothing leaves before what it follows from is durable.
        try await core.commits?.flush()
        let published = output.messages + output.withdrawals
        messages += published
        answers += output.answers.compactMap(\.message)
        for deferredCommand in output.deferredCommands {
            switch deferredCommand.kind {
            case .why:
                answers += deferredCommand.handler.reply(
                    await core.why(deferredCommand.handler.participant, deferredCommand.handler.rule, deliveries: [])
                ).compactMap(
                    \.message)
            case .rules: answers += deferredCommand.handler.reply(await core.rules()).compactMap(\.message)
            case .reload, .test, .notifiers, .erase, .export, .history: break
            }
        }
        for message in published where message.topic.contains("/alert-events/") {
            let event = try AlertMessage(decoding: message.payload)
            guard event.sequence > numbers[message.topic] ?? 0 else { continue }
            numbers[message.topic] = event.sequence
            seen.append(event)
        }
        for marker in published where marker.topic == Self.marker {
            markers.append(
                IncomingMessage(
                    topic: marker.topic, payload: marker.payload, retained: false, qos: .atLeastOnce, properties: MessageProperties()))
        }
        await core.published(output, at: moment)
    }
}
