package import AlertRules
package import MessageBus
import Synchronization
import VigilSchema

/// The engine with its memory: takes messages, keeps what they changed, and says what is to be published.
///
/// An actor. Each call commits its inputs and outputs in one transaction before it returns; what it returns is published, and then
/// told by `published`. After a crash the journal is replayed, which leads to the same state, and what was not published is given
/// out again, byte for byte.
package actor AlertCore {
    /// What must be published, in order, and answers that nobody keeps.
    package struct Output: Sendable {
        package var messages: [OutgoingMessage] = []
        /// Answers to commands: to whoever asked, and kept by nobody.
        package var answers: [OutgoingMessage] = []
        /// Commands to read the rules again, which wait for their answer.
        var reloads: [CommandHandler] = []
        /// The id of the last of the kept ones; 0: none.
        var last: Int64 = 0
    }

    private static let sourceName = "vigil-alert"
    var engine: AlertEngine
    let store: AlertStore
    private(set) var files: [RuleFile]
    private var batches = RecentBatches()
    var acknowledged = AckWatermark()
    var dirty: Set<Int> = []
    private var journalled = 0
    private var lastCheckpoint: Int64
    private let keepsNotices: Bool
    private let decoder = BatchDecoder()
    var record = JournalRecord()
    /// Answered once everything that came before them is kept.
    private var questions: [(CommandHandler, CommandMessage)] = []
    var output = EngineOutput()
    var time: EngineTime
    /// Where the message goes, and comes back from, that tells that nothing waits at the broker any more.
    let markerTopic: String
    private let capacity: Int
    /// What happened since the start.
    package nonisolated let counts = AlertCounts()

    /// Opens the file and takes the engine back to where it was.
    /// - Parameters:
    ///   - keepsNotices: whether notifiers will fetch events.
    ///   - capacity: how many participants are remembered at most.
    ///   - markerTopic: a topic of its own, which `take` is given the messages of.
    package init(
        path: String, rules: [RuleFile], keepsNotices: Bool, markerTopic: String, capacity: Int = 10_000, now: ClockSample,
        bootID: String = ClockSample.bootID
    ) throws {
        store = try AlertStore(path: path)
        self.keepsNotices = keepsNotices
        let known = try store.rules()
        let former = known.isEmpty ? rules : known
        self.markerTopic = markerTopic
        self.capacity = capacity
        engine = AlertEngine(rules: try RuleSetReader.read(former), now: now.wall)
        lastCheckpoint = now.wall
        files = former
        if let clock = try store.meta("clock") { try engine.restore(clock: clock) }
        if let kept = try store.meta("batches") { batches = try RecentBatches(decoding: kept) }
        for (place, name, state) in try store.participants() { try engine.restore(participant: name, at: place, state) }
        engine.rebookAll()
        for bytes in try store.journal() {
            let record = try JournalRecord(decoding: bytes)
            for batch in record.batches { _ = batches.insert(batch) }
            dirty.formUnion(try engine.replay(record, capacity: capacity))
        }
        time = try EngineTime(after: try store.meta("time"), clock: engine.clock, wall: engine.lastNow, now: now, bootID: bootID)
        try store.keep(time: time.encoded)
        if known.isEmpty {
            try store.checkpoint([], clock: engine.encodedClock, batches: batches.encoded, rules: rules)
        }
    }

    /// Takes observations and commands in their order.
    package func take(_ messages: [IncomingMessage], now: ClockSample) throws -> Output {
        pass(to: now, isHearing: true)
        var answers = marker()
        for message in messages {
            switch try? Topic(parsing: message.topic) {
            case .readings: takeBatch(message, now: now, &answers)
            case .alertCommand(let participant, let rule): answers += answer(message, participant, rule, now: now)
            case .moduleStatus(let service, let instance): takeStatus(message, service, instance, now: now)
            default:
                guard message.topic == markerTopic else { continue }
                go(time.reach(String(decoding: message.payload, as: UTF8.self), at: now), now)
            }
        }
        var output = try commit(now: now.wall, answers: answers)
        output.reloads = questions.filter { $1.command == "reload" }.map(\.0)
        output.answers += questions.filter { $1.command != "reload" }.flatMap { $0.reply(answer($1, $0.participant, $0.rule)) }
        questions = []
        return output
    }

    /// Lets time pass.
    package func advance(to now: ClockSample) throws -> Output {
        pass(to: now, isHearing: false)
        let output = try commit(now: now.wall, answers: marker())
        if abs(now.wall - lastCheckpoint) > 300_000_000 || journalled > 64 << 20 { try checkpoint(now: now.wall) }
        return output
    }

    /// Replaces the rules; those that are gone clear their alerts.
    package func reload(_ next: [RuleFile], now: ClockSample) throws -> Output {
        let rules = try RuleSetReader.read(next)
        pass(to: now, isHearing: false)
        engine.retire(for: rules, now: wall(now), into: &output)
        let result = try commit(now: now.wall, answers: marker())
        engine.adopt(rules)
        files = next
        dirty = Set(engine.names.indices)
        try checkpoint(now: now.wall)
        return result
    }

    /// Writes the state of everyone who changed and empties the journal.
    package func checkpoint(now: Int64) throws {
        let changed = dirty.sorted().map { (place: $0, name: engine.names[$0], state: engine.encoded(participant: $0)) }
        try store.checkpoint(changed, clock: engine.encodedClock, batches: batches.encoded, rules: files)
        dirty.removeAll(keepingCapacity: true)
        journalled = 0
        lastCheckpoint = now
    }

    private func takeBatch(_ message: IncomingMessage, now: ClockSample, _ answers: inout [OutgoingMessage]) {
        do {
            let batch = try decoder.decode(message.payload.span)
            guard batches.insert(batch.id) else {
                counts.repeated.add(1, ordering: .relaxed)
                return
            }
            record.batches.append(batch.id)
            for group in batch.groups where group.source != Self.sourceName { take(group, now: now) }
            if let oldest = batch.groups.map(\.received).min() {
                counts.lag.store(max(0, now.wall - oldest.microseconds), ordering: .relaxed)
            }
        } catch {
            // The sender of a batch is the suite itself; what cannot be read is told and not asked for again.
            counts.malformed.add(1, ordering: .relaxed)
            let reject = Reject(
                participant: "unknown", device: "unknown", time: Timestamp(microseconds: now.wall), error: error, count: 0,
                topic: message.topic, payload: message.payload)
            guard let payload = try? reject.encoded() else { return }
            answers.append(OutgoingMessage(topic: Topic.reject(participant: "unknown", device: "unknown").path, payload: payload))
        }
    }

    private func take(_ group: ObservationGroup, now: ClockSample) {
        go(time.follow(received: group.received.microseconds, at: now, from: engine.clock), now)
        var readings: [Reading] = []
        for observation in group.observations {
            guard let metric = engine.rules.metric(named: observation.metric) else { continue }
            let value: Double
            switch observation.content {
            case .value(let number): value = number
            case .text(let text): value = engine.rules.code(ofText: text)
            case .samples: continue
            }
            readings.append(
                Reading(
                    metric: metric, time: observation.time.microseconds, received: group.received.microseconds, value: value))
        }
        take(readings, of: group.participant, now: now)
    }

    private func take(_ readings: [Reading], of participant: String, now: ClockSample) {
        guard !readings.isEmpty else { return }
        let now = wall(now)
        guard let place = place(of: participant) else {
            counts.strangers.add(readings.count, ordering: .relaxed)
            return
        }
        counts.readings.add(readings.count, ordering: .relaxed)
        dirty.insert(place)
        record.entries.append(.readings(participant: participant, now: now, readings))
        engine.take(readings, of: place, now: now, into: &output)
    }

    private func takeStatus(_ message: IncomingMessage, _ service: String, _ instance: String, now: ClockSample) {
        guard let metric = engine.rules.metric(named: TechnicalMetric.moduleStatus),
            let state = ModuleReport.state(in: message.payload)
        else { return }
        let name = TechnicalMetric.participant(service: service, instance: instance)
        let time = wall(now)
        take([Reading(metric: metric, time: time, received: time, value: engine.rules.code(ofText: state))], of: name, now: now)
    }

    private func answer(_ message: IncomingMessage, _ participant: String, _ rule: String, now: ClockSample) -> [OutgoingMessage] {
        var handler = CommandHandler(message: message, participant: participant, rule: rule, now: now.wall)
        if let query = handler.query() {
            questions.append((handler, query))
            return []
        }
        guard let request = handler.request() else { return handler.replies }
        let rules = rule == "all" ? engine.rules.rules.indices.map { $0 } : engine.rules.rule(named: rule).map { [$0] } ?? []
        if let identity = handler.identity {
            guard batches.insert(identity) else { return handler.reply(#"{"ok":true,"repeated":true}"#) }
            record.batches.append(identity)
        }
        guard !rules.isEmpty else {
            return handler.refuse(engine.rules.unknownRule(rule).description)
        }
        var refusal: AlertCommandError?
        for place in rules {
            let name = engine.rules.rules[place].id
            do throws(AlertCommandError) {
                try apply(request, participant, name, place, now: wall(now))
            } catch {
                refusal = error
            }
        }
        if let refusal, rule != "all" { return handler.refuse(refusal.description) }
        return handler.reply(#"{"ok":true}"#)
    }

    private func apply(
        _ request: AlertRequest, _ participant: String, _ name: String, _ rule: Int, now: Int64
    ) throws(AlertCommandError) {
        guard let place = place(of: participant) else { throw .tooManyParticipants(capacity) }
        try engine.apply(request, to: place, rule: rule, now: now, into: &output)
        dirty.insert(place)
        record.entries.append(.command(participant: participant, rule: name, request, now: now))
    }

    /// Nil where there are too many others.
    private func place(of participant: String) -> Int? {
        defer { dirty.formUnion(engine.takeFreed()) }
        return engine.place(of: participant, capacity: capacity)
    }

    /// Writes what the engine took and gave since the last time.
    private func commit(now: Int64, answers: [OutgoingMessage]) throws -> Output {
        defer {
            record = JournalRecord()
            output = EngineOutput()
        }
        counts.events.add(output.events.count, ordering: .relaxed)
        counts.ignored.add(output.ignored, ordering: .relaxed)
        guard record.isNews || !output.isEmpty || isTimeToNote(now) else {
            return Output(answers: answers)
        }
        let encoder = OutputEncoder(engine: engine, now: now)
        let parts = try encoder.encode(output, source: Self.sourceName)
        journalled += record.entries.reduce(0) { $0 + $1.weight }
        let kept = try store.commit(
            record, publish: parts.messages, notices: keepsNotices ? parts.events.map(\.2) : [], history: parts.events,
            published: acknowledged.forget(at: now)
        )
        lastNoted = now
        return Output(messages: kept.map(Self.message), answers: answers, last: kept.last?.id ?? 0)
    }

    private var lastNoted: Int64 = 0

    /// The passing of time alone is noted every few seconds, so that a restart knows about what time it was.
    private func isTimeToNote(_ now: Int64) -> Bool { abs(now - lastNoted) > 5_000_000 }

    static func message(_ kept: AlertStore.Outgoing) -> OutgoingMessage {
        OutgoingMessage(
            topic: kept.topic, payload: kept.payload, retained: kept.isRetained,
            properties: MessageProperties(contentType: kept.payload.isEmpty ? nil : "application/json"))
    }
}
