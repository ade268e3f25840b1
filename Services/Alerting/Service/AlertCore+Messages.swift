import AlertRules
import Foundation
import MessageBus
import Synchronization
import VigilSchema

extension AlertCore {
    /// Processes one message.
    func take(_ message: IncomingMessage, now: ClockSample) {
        switch try? Topic(parsing: message.topic) {
        // A retained message is not new; every receiver has had the observations.
        case .readings, .derived: if !message.retained { takeBatch(message, now: now) }
        case .request(_, "alert"): takeCommand(message, now: now)
        case .moduleStatus(let service, let instance): takeStatus(message, service, instance, now: now)
        default:
            guard message.topic == markerTopic, !message.retained else { return }
            go(memory.time.reach(String(decoding: message.payload, as: UTF8.self), at: now), now)
        }
    }

    private func takeBatch(_ message: IncomingMessage, now: ClockSample) {
        do {
            let batch = try decoder.decode(message.payload.span)
            guard memory.batches.insert(batch.id) else {
                counts.repeated.add(1, ordering: .relaxed)
                return
            }
            transaction.record.batches.append(batch.id)
            for group in batch.groups where group.source != Self.sourceName { take(group, now: now) }
            if let oldest = batch.groups.map(\.received).min() {
                counts.lag.store(max(0, now.wall - oldest.microseconds), ordering: .relaxed)
            }
        } catch {
            // Batches come from the suite itself, so an unreadable one is reported and not requested again.
            counts.malformed.add(1, ordering: .relaxed)
            let reject = Reject(
                participant: "unknown", device: "unknown", time: Timestamp(microseconds: now.wall), error: error, count: 0,
                topic: message.topic, payload: message.payload)
            transaction.answers.append(Reply(to: Topic.reject(participant: "unknown", device: "unknown").path) { try reject.encoded() })
        }
    }

    private func take(_ group: ObservationGroup, now: ClockSample) {
        go(memory.time.follow(received: group.received.microseconds, at: now, from: memory.engine.clock), now)
        var readings: [Reading] = []
        let source = Reading.source(named: group.source)
        var zone: Int16?
        for observation in group.observations {
            zone = observation.zone ?? zone
            guard let metric = memory.engine.rules.metric(named: observation.metric) else { continue }
            let value: Double
            switch observation.content {
            case .value(let number): value = number
            case .text(let text): value = memory.engine.rules.code(ofText: text)
            case .samples: continue
            }
            readings.append(
                Reading(
                    metric: metric, time: observation.time.microseconds, received: group.received.microseconds, value: value, source: source
                ))
        }
        take(readings, of: group.participant, zone: zone, now: now)
    }

    private func take(_ readings: [Reading], of participant: String, zone: Int16? = nil, now: ClockSample) {
        guard !readings.isEmpty else { return }
        let now = wall(now)
        guard let index = index(of: participant) else {
            counts.strangers.add(readings.count, ordering: .relaxed)
            return
        }
        counts.readings.add(readings.count, ordering: .relaxed)
        memory.dirty.insert(index)
        if let zone { memory.zones[index] = zone }
        shown.touch(index)
        transaction.record.entries.append(.readings(participant: participant, now: now, readings))
        memory.engine.take(readings, of: index, now: now, into: &transaction.output)
    }

    private func takeStatus(_ message: IncomingMessage, _ service: String, _ instance: String, now: ClockSample) {
        guard let state = ModuleReport.state(in: message.payload) else { return }
        take(TechnicalMetric.moduleStatus, state, of: TechnicalMetric.participant(service: service, instance: instance), now: now)
    }

    private func take(_ technical: String, _ text: String, of participant: String, now: ClockSample) {
        guard let metric = memory.engine.rules.metric(named: technical) else { return }
        let time = wall(now)
        let reading = Reading(metric: metric, time: time, received: time, value: memory.engine.rules.code(ofText: text))
        take([reading], of: participant, now: now)
    }

    /// Processes a notifier's condition.
    package func take(notifier: String, _ condition: NotifierCondition, now: ClockSample) throws -> Output {
        try whole(now) {
            pass(to: now, isHearing: false)
            let participant = TechnicalMetric.participant(service: "vigil-notifier", instance: notifier)
            take(TechnicalMetric.notifierStatus, condition.rawValue, of: participant, now: now)
            return try commit(now: now)
        }
    }

    /// The participant's index; nil: too many participants.
    func index(of participant: String) -> Int? {
        let index = memory.engine.index(of: participant, capacity: capacity)
        for freed in memory.engine.takeFreed() {
            memory.dirty.insert(freed)
            memory.zones[freed] = nil
        }
        return index
    }
}

/// A module's retained status.
private enum ModuleReport {
    private struct Report: Decodable { let state: String }

    /// `online`, `draining` or `offline`; `removed` for an empty message, with which an operator removes an instance;
    /// nil for anything else.
    static func state(in payload: [UInt8]) -> String? {
        if payload.isEmpty { return "removed" }
        // An unreadable message of another service says nothing.
        return (try? JSONDecoder().decode(Report.self, from: Data(payload)))?.state
    }
}
