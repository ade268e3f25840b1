import AlertRules
import VigilSchema

/// Turns what the engine decided into messages.
struct OutputEncoder {
    /// The messages to publish, and the events by participant and rule.
    struct Parts {
        var messages: [AlertStore.Outgoing] = []
        var events: [(String, String, [UInt8])] = []
    }

    let engine: AlertEngine
    let now: Int64

    func encode(_ output: EngineOutput, source: String) throws -> Parts {
        var parts = Parts()
        for event in output.events { try add(event, to: &parts) }
        parts.messages += scores(output.derived, source: source)
        return parts
    }

    private func add(_ event: AlertEvent, to parts: inout Parts) throws {
        let name = engine.names[event.participant]
        let message = AlertMessage(event, engine.rules, participant: name, decided: now)
        let payload = try message.encoded()
        parts.events.append((name, message.rule, payload))
        parts.messages.append(
            AlertStore.Outgoing(
                topic: Topic.alertEvent(participant: name, rule: message.rule).path, payload: payload, isRetained: false))
        let isOver = event.alert.phase == .none && event.alert.silencedUntil == nil && event.alert.clearedUntil == nil
        parts.messages.append(
            AlertStore.Outgoing(
                topic: Topic.alert(participant: name, rule: message.rule).path, payload: isOver ? [] : payload, isRetained: true))
    }

    private func scores(_ derived: [DerivedObservation], source: String) -> [AlertStore.Outgoing] {
        let groups = Dictionary(grouping: derived, by: \.participant).map { participant, scores in
            ObservationGroup(
                participant: engine.names[participant], source: source, received: Timestamp(microseconds: now),
                observations: scores.map(observation))
        }
        return Dictionary(grouping: groups) { Partition(participant: $0.participant) }.map { partition, groups in
            let batch = ObservationBatch(id: ULID.make(at: Timestamp(microseconds: now)), groups: groups)
            return AlertStore.Outgoing(topic: Topic.readings(partition).path, payload: BatchEncoder.encode(batch), isRetained: false)
        }
    }

    private func observation(_ score: DerivedObservation) -> Observation {
        let content: Observation.Content =
            switch score.content {
            case .number(let number): .value(number)
            case .text(let text): .text(text)
            }
        let unit = MetricCatalogue.standard.definition(named: score.metric)?.unit ?? "1"
        return Observation(metric: score.metric, time: Timestamp(microseconds: score.time), content: content, unit: unit)
    }
}
