import Foundation
import MessageBus
import VigilSchema

/// The sensors that bridges have announced to Home Assistant, and the mappings that follow from what they said of themselves.
///
/// Announcements are kept by their topics: a later one replaces an earlier, an empty one takes it away. Bounded, because strangers announce. A value
/// without I/O.
package struct DiscoveredSensors: Sendable {
    /// The fate of an announced sensor.
    package struct Remark: Sendable, Hashable {
        package let topic: String
        /// The metric, or the reason why there is none.
        package let text: String
        package let isUnderstood: Bool
    }

    /// The first level of the topics on which sensors are announced; nil where nobody listens for them.
    package let prefix: String?
    private var announced: [String: [DiscoveredEntity]] = [:]
    /// The announcements themselves, by topic.
    private(set) var payloads: [String: [UInt8]] = [:]
    private var count = 0
    private var bytes = 0
    /// The bound beyond which announcements were passed over; nil where none was.
    private var excess: String?
    static let maximumSensors = 2000
    /// Of all announcements and their topics.
    static let maximumBytes = 8 << 20
    private static let maximumTopicLength = 1024

    /// The filters on which announcements come.
    package let filters: [String]

    package init(prefix: String? = nil) {
        self.prefix = prefix
        filters = prefix.map { ["\($0)/+/+/config", "\($0)/+/+/+/config"] } ?? []
    }

    /// Takes note of an announcement. False where it changes nothing.
    mutating func announce(_ payload: [UInt8], topic: String) -> Bool {
        let entities = DiscoveredEntity.read(payload, topic: topic)
        let before = announced[topic] ?? []
        guard entities != before else { return false }
        let size = entities.isEmpty ? 0 : Self.size(topic, payload), freed = payloads[topic].map { Self.size(topic, $0) } ?? 0
        guard count - before.count + entities.count <= Self.maximumSensors else {
            excess = "\(Self.maximumSensors) sensors are announced"
            return false
        }
        guard bytes - freed + size <= Self.maximumBytes else {
            excess = "\(Self.maximumBytes >> 20) MiB are announced"
            return false
        }
        forget([topic])
        guard !entities.isEmpty else { return true }
        count += entities.count
        bytes += size
        (announced[topic], payloads[topic]) = (entities, payload)
        return true
    }

    private static func size(_ topic: String, _ payload: [UInt8]) -> Int { topic.utf8.count + payload.count }

    /// The topics of announcements that name a participant, or sensors that are the participant's.
    func announcements(naming participant: String, people: GlobTable) -> [String] {
        announced.filter { topic, entities in
            topic.isNaming(participant) || entities.contains { $0.isNaming(participant) || Self.person($0, people) == participant }
        }.keys.sorted()
    }

    /// Forgets announcements, until they come again.
    mutating func forget(_ topics: [String]) {
        for topic in topics {
            count -= announced.removeValue(forKey: topic)?.count ?? 0
            bytes -= payloads.removeValue(forKey: topic).map { Self.size(topic, $0) } ?? 0
        }
    }

    /// The mappings, one a state topic, beside those of files, which go first.
    func mappings(beside files: MappingSet) -> [Mapping] {
        var readings: [String: [Mapping.Reading]] = [:], first: [String: DiscoveredEntity] = [:]
        for (entity, verdict) in judged(beside: files) {
            guard case .understood(let guess) = verdict else { continue }
            first[entity.topic] = first[entity.topic] ?? entity
            readings[entity.topic, default: []].append(Self.reading(entity, guess))
        }
        return first.keys.sorted().compactMap { topic in
            first[topic].map { Self.mapping($0, readings[topic] ?? [], people: files.people) }
        }
    }

    /// The fate of each sensor, in words.
    func remarks(beside files: MappingSet) -> [Remark] {
        let all = judged(beside: files).map { entity, verdict in
            switch verdict {
            case .understood(let guess):
                Remark(topic: entity.topic, text: "\(guess.metric), by \(guess.reason)", isUnderstood: true)
            case .not(let reason): Remark(topic: entity.topic, text: reason, isUnderstood: false)
            }
        }
        guard let excess else { return all }
        return all + [Remark(topic: "others", text: "more than \(excess)", isUnderstood: false)]
    }

    // MARK: - What an announcement means

    private enum Verdict {
        case understood(MetricGuess)
        case not(String)
    }

    private func judged(beside files: MappingSet) -> [(DiscoveredEntity, Verdict)] {
        announced.keys.sorted().flatMap { topic in (announced[topic] ?? []).map { ($0, Self.verdict(on: $0, beside: files)) } }
    }

    private static func verdict(on entity: DiscoveredEntity, beside files: MappingSet) -> Verdict {
        let name = entity.names.first ?? entity.topic
        guard isPlain(entity.topic) else { return .not("\(name): its state topic is none of a bridge's") }
        if files.declares(entity.topic) { return .not("\(name): a mapping file listens to it already") }
        if let objection = entity.objection { return .not("\(name): \(objection)") }
        guard let guess = MetricGuess(names: entity.names, unit: entity.unit, deviceClass: entity.deviceClass) else {
            return .not("\(name)\(entity.unit.map { " in \($0)" } ?? ""): no metric is known by that name")
        }
        return .understood(guess)
    }

    /// Announcements of strangers may name no other topics than a bridge's own: nothing of the suite's, nothing of the broker's, no wildcards.
    private static func isPlain(_ topic: String) -> Bool {
        !topic.isEmpty && topic.utf8.count <= maximumTopicLength && !topic.hasPrefix("$") && !topic.hasPrefix(Topic.prefix)
            && !topic.contains { "+#{}\0".contains($0) }
    }

    private static func reading(_ entity: DiscoveredEntity, _ guess: MetricGuess) -> Mapping.Reading {
        var reading = Mapping.Reading(metric: Mapping.Source(origin: .constant(guess.metric)))
        reading.value = Mapping.Source(origin: .expression(entity.path.flatMap { try? MappingExpression($0) } ?? .path(.record, [])))
        // Where none was announced, a glucose may be in either.
        if entity.unit != nil { reading.unit = Mapping.Source(origin: .constant(guess.unit)) }
        // Home Assistant's words for a sensor that is away.
        let away = ["unavailable", "unknown", "none", "nan"].map(Glob.init)
        for place in reading.value?.expressions ?? [] { reading.when.tests.append((place, .not(away))) }
        return reading
    }

    /// Whose a sensor is, by its identifiers and its topic's levels.
    private static func person(_ entity: DiscoveredEntity, _ people: GlobTable) -> String? {
        (entity.identifiers + entity.topic.split(separator: "/").map(String.init)).lazy.compactMap { people[$0] }.first
    }

    private static func mapping(_ entity: DiscoveredEntity, _ readings: [Mapping.Reading], people: GlobTable) -> Mapping {
        let levels = entity.topic.split(separator: "/").map(String.init)
        let person = person(entity, people)
        let device = entity.device ?? levels.suffix(2).joined(separator: "-")
        var mapping = Mapping(
            file: "discovery", name: "discovered \(entity.topic)", topics: [MappingTopic(entity.topic)],
            format: entity.path == nil ? .plain : .json, columns: [], separator: ",", when: Mapping.Condition(), each: [],
            participant: Mapping.Source(origin: .constant(person ?? "unknown")),
            device: Mapping.Source(origin: .constant(Name.valid(device))),
            part: nil, time: Mapping.Time(places: [], clock: nil, format: MappingTime(zone: .current)), period: nil, until: nil,
            readings: readings, refusal: nil, takesKnownNames: false,
            takesCertainNamesOnly: false,
            // What else stands in the message is another sensor's, or nobody's.
            ignored: [Glob("*")], ignoresAll: true)
        mapping.isAnnounced = true
        mapping.findKeys()
        return mapping
    }
}
