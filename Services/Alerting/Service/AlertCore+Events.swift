import AlertRules
import Foundation
import MessageBus
import VigilSchema

extension AlertCore {
    /// The entries of the event log for the engine's decisions, in order, then the scores.
    func entries(_ now: ClockSample) throws -> [AlertEntry] {
        var entries: [AlertEntry] = []
        for event in transaction.output.events {
            let name = memory.engine.names[event.participant]
            var message = AlertMessage(event, memory.engine.rules, participant: name, decided: now.wall)
            message.zone = memory.zones[event.participant].map { Int($0) }
            memory.dirty.insert(event.participant)
            shown.note(message, event, at: now.boot)
            let isOver = event.alert.phase == .none && event.alert.silencedUntil == nil && event.alert.clearedUntil == nil
            entries.append(
                AlertEntry(kind: isOver ? .end : .transition, participant: name, rule: message.rule, content: try message.encoded()))
        }
        return entries + scores(now.wall)
    }

    private func scores(_ now: Int64) -> [AlertEntry] {
        let groups = Dictionary(grouping: transaction.output.derived, by: \.participant).map { participant, scores in
            ObservationGroup(
                participant: memory.engine.names[participant], source: Self.sourceName, received: Timestamp(microseconds: now),
                observations: scores.map(Self.observation))
        }
        return Dictionary(grouping: groups) { Partition(participant: $0.participant) }.map { partition, groups in
            let batch = ObservationBatch(id: ULID.make(at: Timestamp(microseconds: now)), groups: groups)
            return AlertEntry(kind: .message, topic: Topic.readings(partition).path, content: BatchEncoder.encode(batch))
        }
    }

    private static func observation(_ score: DerivedValue) -> Observation {
        let content: Observation.Content =
            switch score.content {
            case .number(let number): .value(number)
            case .text(let text): .text(text)
            }
        let unit = MetricCatalogue.standard.definition(named: score.metric)?.unit ?? "1"
        return Observation(metric: score.metric, time: Timestamp(microseconds: score.time), content: content, unit: unit)
    }

    /// The messages of an entry. The event of a transition comes before the state, so that a state never shows an
    /// unannounced transition.
    static func messages(_ entry: AlertEntry) -> [OutgoingMessage] {
        switch entry.kind {
        case .transition, .end:
            [
                message(Topic.alertEvent(participant: entry.participant, rule: entry.rule).path, entry.content),
                message(
                    Topic.alert(participant: entry.participant, rule: entry.rule).path, entry.kind == .end ? [] : entry.content,
                    isRetained: true),
            ]
        case .message, .retained: [message(entry.topic, entry.content, isRetained: entry.kind == .retained)]
        }
    }

    static func message(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) -> OutgoingMessage {
        OutgoingMessage(
            topic: topic, payload: payload, retained: isRetained,
            properties: MessageProperties(contentType: payload.isEmpty ? nil : "application/json"))
    }

    /// The states of alerts whose value has changed since their publication, each at most once in a few seconds. They
    /// are not stored; after a crash the next change updates them.
    func refreshed(_ now: ClockSample) -> [OutgoingMessage] {
        shown.refresh(memory.engine, now: now).compactMap { message in
            guard let payload = try? message.encoded() else { return nil }
            return Self.message(Topic.alert(participant: message.participant, rule: message.rule).path, payload, isRetained: true)
        }
    }
}

/// The present alerts as last published, so that their state can follow the newest value.
struct ShownAlerts {
    /// The shortest time between two updates of an alert, in microseconds.
    private static let interval: Int64 = 5_000_000

    struct Shown {
        var message: AlertMessage
        /// The monotonic time of the publication.
        var time: Int64
    }

    /// By participant and rule, as indices of the engine.
    var alerts: [Int: [Int: Shown]] = [:]
    /// The participants whose values may have changed.
    var touched: Set<Int> = []

    init() {}

    /// Restores what an earlier process published last.
    init(_ store: any AlertStore, _ engine: AlertEngine) throws {
        for entry in try store.present() {
            guard let participant = engine.knownIndex(of: entry.participant), let rule = engine.rules.rule(named: entry.rule) else {
                continue
            }
            let message = try AlertMessage(decoding: entry.content)
            guard message.state == "active" else { continue }
            alerts[participant, default: [:]][rule] = Shown(message: message, time: 0)
            touched.insert(participant)
        }
    }

    /// Notes that a participant's values may have changed.
    mutating func touch(_ participant: Int) {
        if alerts[participant] != nil { touched.insert(participant) }
    }

    /// Notes a transition.
    mutating func note(_ message: AlertMessage, _ event: AlertEvent, at time: Int64) {
        if event.alert.phase == .active {
            alerts[event.participant, default: [:]][event.rule] = Shown(message: message, time: time)
        } else if alerts[event.participant]?.removeValue(forKey: event.rule) != nil, alerts[event.participant]?.isEmpty == true {
            alerts[event.participant] = nil
            touched.remove(event.participant)
        }
    }

    /// The states that must be published again.
    mutating func refresh(_ engine: AlertEngine, now: ClockSample) -> [AlertMessage] {
        var changed: [AlertMessage] = []
        for participant in touched {
            var isWaiting = false
            for (rule, shown) in alerts[participant] ?? [:] {
                guard let message = Self.current(shown.message, engine, participant, rule) else { continue }
                guard now.boot - shown.time >= Self.interval else {
                    isWaiting = true
                    continue
                }
                alerts[participant]?[rule] = Shown(message: message, time: now.boot)
                changed.append(message)
            }
            if !isWaiting { touched.remove(participant) }
        }
        return changed
    }

    /// The alert with its newest value, under the same number.
    func newest(_ message: AlertMessage, _ engine: AlertEngine) -> AlertMessage {
        guard let participant = engine.knownIndex(of: message.participant), let rule = engine.rules.rule(named: message.rule),
            alerts[participant]?[rule]?.message.sequence == message.sequence
        else { return message }
        return Self.current(message, engine, participant, rule) ?? message
    }

    /// The message with the newest value; nil: unchanged.
    private static func current(_ message: AlertMessage, _ engine: AlertEngine, _ participant: Int, _ rule: Int) -> AlertMessage? {
        let (alert, time) = engine.snapshot(participant: participant, rule: rule)
        guard alert.phase == .active, alert.value != message.value else { return nil }
        return message.updated(to: alert, engine.rules.rules[rule], engine.rules, at: time)
    }
}
