import Foundation
import MessageBus
import Observability
import ServiceKit
import VigilSchema

/// The newest numbers and the alarms of named people as others' systems know them: entities that Home Assistant discovers, and gauges for Prometheus.
///
/// A value: takes a retained or new message of `latest/…` or `alerts/…`, and gives the discovery message that its first one needs. Home Assistant then
/// reads Vigil's own topics. Bounded: beyond `mostOfPerson` metrics and rules of a person, new ones are left out. Source: Home Assistant, MQTT discovery.
struct HouseEntities {
    static let mostOfPerson = 500

    private let participants: Set<String>
    private let prefix: String
    private let metrics: MetricsRegistry
    private var known: [String: Set<String>] = [:]

    /// - Parameter prefix: the topic below which Home Assistant looks.
    init(participants: Set<String>, prefix: String, metrics: MetricsRegistry) {
        (self.participants, self.prefix, self.metrics) = (participants, prefix, metrics)
    }

    /// The topics of these people.
    static func subscriptions(_ participants: Set<String>) -> [Subscription] {
        participants.sorted().flatMap {
            ["\(Topic.prefix)latest/\($0)/+", "\(Topic.prefix)alerts/\($0)/+"]
        }.map { Subscription($0) }
    }

    mutating func take(_ message: IncomingMessage) -> OutgoingMessage? {
        switch try? Topic(parsing: message.topic) {
        case .latest(let participant, let metric) where participants.contains(participant):
            // A topic that was emptied is of an erased person.
            guard !message.payload.isEmpty else { return hide(metric, participant) }
            guard let reading = Reading(message.payload) else { return nil }
            let isNew = add(metric, of: participant)
            if let value = reading.value, isNew != nil { show(value, reading, metric, participant) }
            return isNew == true
                ? discovery("sensor", participant, metric, sensor(participant, metric, reading)) : nil
        case .alert(let participant, let rule) where participants.contains(participant):
            // A topic that was emptied is of an alert that has ended.
            guard !message.payload.isEmpty, add("alert \(rule)", of: participant) == true else {
                return nil
            }
            return discovery("binary_sensor", participant, "alert_\(rule)", alarm(participant, rule))
        default: return nil
        }
    }

    /// Whether a name is new; nil: there is no room for it.
    private mutating func add(_ name: String, of participant: String) -> Bool? {
        if known[participant, default: []].contains(name) { return false }
        guard known[participant, default: []].count < Self.mostOfPerson else { return nil }
        known[participant, default: []].insert(name)
        return true
    }

    // MARK: Home Assistant

    private func discovery(
        _ component: String, _ participant: String, _ name: String, _ entity: Entity
    ) -> OutgoingMessage {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Plain texts always encode.
        let payload = (try? encoder.encode(entity)) ?? Data()
        return OutgoingMessage(
            topic: "\(prefix)/\(component)/\(Self.node(participant))/\(Self.escaped(name))/config",
            payload: [UInt8](payload),
            retained: true, properties: MessageProperties(contentType: MediaType.json))
    }

    /// The level of a person's discovery topics.
    static func node(_ participant: String) -> String { "vigil_\(escaped(participant))" }

    /// A name within Home Assistant's alphabet, different for different names.
    private static func escaped(_ name: String) -> String {
        name.replacing("_", with: "_u").replacing(".", with: "_d")
    }

    private func sensor(_ participant: String, _ metric: String, _ reading: Reading) -> Entity {
        let title = MetricCatalogue.standard.definition(named: metric)?.title ?? metric
        var entity = Entity(
            title, "\(participant)/\(metric)", participant,
            topic: Topic.latest(participant: participant, metric: metric))
        entity.template = reading.value == nil ? "{{ value_json.text }}" : "{{ value_json.value }}"
        guard reading.value != nil else { return entity }
        if Self.fleeting.contains(metric) { entity.expiry = Self.shelfLife }
        entity.stateClass = "measurement"
        if reading.unit != "1" { entity.unit = Self.units[reading.unit] ?? reading.unit }
        if reading.unit == "Cel" { entity.deviceClass = "temperature" }
        return entity
    }

    private func alarm(_ participant: String, _ rule: String) -> Entity {
        var entity = Entity(
            "Alarm \(rule)", "\(participant)/alert/\(rule)", participant,
            topic: .alert(participant: participant, rule: rule))
        // Also where it is better again and only waits for somebody to acknowledge it.
        entity.template = "{{ 'ON' if value and value_json.state == 'active' else 'OFF' }}"
        entity.deviceClass = "problem"
        return entity
    }

    /// What monitors measure all the time: an old value is none, and becomes "unavailable" after so many seconds.
    private static let fleeting: Set = [
        "heart-rate", "pulse-rate", "respiration-rate", "oxygen-saturation", "skin-temperature", "skin-conductance", "perfusion-index",
    ]
    private static let shelfLife = 900

    /// UCUM units as Home Assistant writes them.
    private static let units = [
        "/min": "/min", "Cel": "°C", "[degF]": "°F", "mm[Hg]": "mmHg", "[lb_av]": "lb", "um": "µm",
        "[iU]": "IU",
    ]

    /// A discovery payload.
    private struct Entity: Encodable {
        struct Device: Encodable {
            let identifiers: [String]
            let name: String
            var manufacturer = "Vigil"
        }

        let name: String
        let identifier: String
        let topic: String
        let attributesTopic: String
        var template = ""
        var unit: String?
        var stateClass: String?
        var deviceClass: String?
        var expiry: Int?
        let device: Device

        init(_ name: String, _ identifier: String, _ participant: String, topic: Topic) {
            (self.name, self.identifier) = (name, "vigil/\(identifier)")
            (self.topic, attributesTopic) = (topic.path, topic.path)
            device = Device(identifiers: ["vigil/\(participant)"], name: "Vigil \(participant)")
        }

        enum CodingKeys: String, CodingKey {
            case name, device
            case identifier = "unique_id"
            case topic = "state_topic"
            case attributesTopic = "json_attributes_topic"
            case template = "value_template"
            case unit = "unit_of_measurement"
            case stateClass = "state_class"
            case deviceClass = "device_class"
            case expiry = "expire_after"
        }
    }

    // MARK: Prometheus

    private func show(_ value: Double, _ reading: Reading, _ metric: String, _ participant: String) {
        let labels = ["participant": participant, "metric": metric]
        metrics.gauge(
            "vigil_person_value", help: "The newest value of a person's metric",
            labels: labels.merging(["unit": reading.unit]) { $1 }
        ).set(value)
        metrics.gauge(
            "vigil_person_value_timestamp_seconds", help: "The time of the newest value", labels: labels
        ).set(reading.time)
    }

    private mutating func hide(_ metric: String, _ participant: String) -> OutgoingMessage? {
        for name in ["vigil_person_value", "vigil_person_value_timestamp_seconds"] {
            metrics.remove(name, labels: ["participant": participant, "metric": metric])
        }
        known[participant]?.remove(metric)
        return nil
    }

    /// A message of `latest/…`.
    private struct Reading: Decodable {
        let time: Double
        let value: Double?
        let text: String?
        let unit: String

        init?(_ payload: [UInt8]) {
            guard let reading = try? JSONDecoder().decode(Reading.self, from: Data(payload)),
                reading.value != nil || reading.text != nil
            else { return nil }
            self = reading
        }
    }
}
