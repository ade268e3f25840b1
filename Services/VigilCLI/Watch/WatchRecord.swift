import Foundation
import MessageBus
import VigilSchema

/// A line of `vigil watch --output json`: one object, with what it is about as `kind`.
struct WatchRecord: Encodable {
    var kind: String
    var participant: String?
    var source: String?
    var session: String?
    var metric: String?
    var time: Double?
    var value: Double?
    var text: String?
    var samples: [Double]?
    var period: Double?
    var unit: String?
    var reject: Reject?
    var alert: AlertMessage?
    var service: String?
    var instance: String?
    var state: String?

    init(kind: String) { self.kind = kind }

    /// The lines for a message.
    static func lines(_ message: IncomingMessage, _ topic: Topic, _ filter: WatchLines) -> [String] {
        records(message, topic, filter).compactMap { record in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return (try? encoder.encode(record)).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private static func records(_ message: IncomingMessage, _ topic: Topic, _ filter: WatchLines) -> [WatchRecord] {
        var record = WatchRecord(kind: "reading")
        switch topic {
        case .readings, .waveforms, .derived:
            guard let batch = try? BatchDecoder().decode(message.payload.span) else { return [] }
            return batch.groups.filter { filter.shows($0.participant) }.flatMap { group in
                group.observations.filter { filter.metrics.isEmpty || filter.metrics.contains($0.metric) }.map {
                    WatchRecord($0, of: group)
                }
            }
        case .alertEvent(let participant, _):
            guard filter.shows(participant), let alert = try? AlertMessage(decoding: message.payload) else { return [] }
            (record.kind, record.participant, record.alert, record.time) = ("alert", participant, alert, alert.time)
        case .reject(let participant, let device):
            guard filter.shows(participant), let reject = try? Reject(decoding: message.payload) else { return [] }
            (record.kind, record.participant, record.source, record.reject, record.time) = (
                "refusal", participant, device, reject, reject.time
            )
        case .moduleStatus(let service, let instance):
            let object = try? JSONSerialization.jsonObject(with: Data(message.payload)) as? [String: Any]
            (record.kind, record.service, record.instance, record.state) = ("service", service, instance, object?["state"] as? String)
        default: return []
        }
        return [record]
    }

    private init(_ observation: Observation, of group: ObservationGroup) {
        self.init(kind: "reading")
        (participant, source, session) = (group.participant, group.source, group.session)
        (metric, time, unit) = (observation.metric, observation.time.seconds, observation.unit)
        switch observation.content {
        case .value(let value): self.value = value
        case .text(let text): self.text = text
        case .samples(let samples, let period):
            self.samples = samples
            self.period = period
            kind = "waveform"
        }
        if observation.interval > 0 { period = Double(observation.interval) }
    }
}
