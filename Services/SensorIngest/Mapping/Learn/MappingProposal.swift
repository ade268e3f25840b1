import VigilSchema

/// The mapping file that is proposed for what was heard on a bus: each guess marked as one, each question asked.
///
/// Messages that mappings in force take already are left out. Bounded: so many topics, and so many keys of each.
package struct MappingProposal: Sendable {
    private struct Heard: Sendable {
        var format: MappingFormat
        /// The keys with a number behind them, in the order in which they were heard.
        var numbers: [String] = []
        var others: [String] = []
        var count = 0
    }

    private let known: MappingSet
    private var heard: [String: Heard] = [:]
    private var order: [String] = []
    private var entities: [DiscoveredEntity] = []
    /// Messages that a mapping in force takes.
    package private(set) var taken = 0
    /// Messages, all of them.
    package private(set) var messages = 0
    private static let maximumTopics = 2000
    private static let maximumKeys = 64

    /// - Parameter known: The mappings in force.
    package init(known: MappingSet = MappingSet()) { self.known = known }

    /// Takes note of a message.
    package mutating func hear(topic: String, payload: [UInt8]) {
        guard !topic.hasPrefix(Topic.prefix), Self.canStand(topic), !payload.isEmpty, payload.count <= 1 << 20 else { return }
        messages += 1
        let announced = DiscoveredEntity.read(payload, topic: topic)
        if !announced.isEmpty {
            for entity in announced where entities.count < Self.maximumTopics && !entities.contains(entity) && Self.canStand(entity.topic) {
                entities.append(entity)
            }
            return
        }
        if let parts = try? known.read(payload, topic: topic, received: Timestamp(seconds: 1_700_000_000)),
            parts.contains(where: { !$0.decoded.readings.isEmpty })
        {
            taken += 1
            return
        }
        note(topic, payload)
    }

    /// Decides if a topic, which an announcement may make up, can stand in a mapping file: there wildcards are filters, and braces names.
    private static func canStand(_ topic: String) -> Bool {
        !topic.isEmpty && topic.utf8.count < 65_536 && !topic.contains { "{}+#".contains($0) || $0 == "\0" }
    }

    private mutating func note(_ topic: String, _ payload: [UInt8]) {
        guard heard[topic] != nil || order.count < Self.maximumTopics else { return }
        if heard[topic] == nil { order.append(topic) }
        guard let document = try? MappingFormat.json.read(payload, columns: [], separator: ","), case .object = document else {
            let text = (try? MappingFormat.plain.read(payload, columns: [], separator: ",")) ?? .null
            var now = heard[topic] ?? Heard(format: .plain)
            now.count += 1
            if text.measure != nil, now.numbers.isEmpty { now.numbers = ["."] }
            heard[topic] = now
            return
        }
        var now = heard[topic] ?? Heard(format: .json)
        now.count += 1
        collect(document, path: "", depth: 0, &now)
        heard[topic] = now
    }

    private func collect(_ value: MappingValue, path: String, depth: Int, _ now: inout Heard) {
        guard case .object(let members) = value, depth < 4 else { return }
        for member in members where now.numbers.count + now.others.count < Self.maximumKeys {
            // What a path cannot hold is nobody's measurement.
            let key = member.key.text
            guard !key.isEmpty, !key.contains(where: { "[]\"'\\".contains($0) }) else { continue }
            let isPlain = key.allSatisfy { $0.isLetter || $0.isNumber || "_- ".contains($0) }
            let step = isPlain ? key : "[\"\(key)\"]"
            let place = path.isEmpty || step.hasPrefix("[") ? path + step : path + "." + step
            if case .object = member.value {
                collect(member.value, path: place, depth: depth + 1, &now)
            } else if case .boolean = member.value {
                if !now.others.contains(place) { now.others.append(place) }
            } else if member.value.measure != nil {
                if !now.numbers.contains(place) { now.numbers.append(place) }
            } else if !now.others.contains(place) {
                now.others.append(place)
            }
        }
    }

    // MARK: - The file

    /// The mappings that are proposed.
    private var proposals: [ProposedMapping] {
        var found: [ProposedMapping] = []
        for entity in entities { Self.add(entity, to: &found) }
        let announced = Set(entities.map(\.topic))
        for topic in order where !announced.contains(topic) {
            guard let heard = heard[topic] else { continue }
            let proposal = ProposedMapping(topic: topic, format: heard.format, numbers: heard.numbers, others: heard.others)
            if let place = found.firstIndex(where: { $0.takes(proposal) }) { found[place].join(proposal) } else { found.append(proposal) }
        }
        return found
    }

    private static func add(_ entity: DiscoveredEntity, to found: inout [ProposedMapping]) {
        let proposal = ProposedMapping(entity)
        if let place = found.firstIndex(where: { $0.topics == proposal.topics && $0.format == proposal.format }) {
            found[place].readings += proposal.readings
            found[place].questions += proposal.questions
        } else {
            found.append(proposal)
        }
    }

    /// Decides if a mapping file can hold it: what strangers name may be too long, or nothing that can be named there.
    private static func isTaken(_ proposal: ProposedMapping) -> Bool {
        let file = ["{tables: {people: {}}, mappings: ["] + proposal.lines(name: "learned") + ["]}"]
        return (try? MappingFile.parse(file.joined(separator: "\n"))) != nil
    }

    /// The questions that only somebody who knows the sensors can answer.
    package var questions: [String] { proposals.flatMap(\.questions).map(ProposedMapping.onOneLine) }

    /// A mapping file, as JSON5.
    package var text: String {
        let proposals = proposals
        let useful = proposals.filter { !$0.readings.isEmpty && Self.isTaken($0) }
        var lines = [
            "// Proposed by vigil map learn from \(messages) messages, of which mappings in force take \(taken) already. Every line that says GUESSED is to be looked at.",
            "{", "  tables: {",
            "    // Whose is which? Fill in: \"identifier, or the part of it with *\": \"participant\". What is not listed is kept for \"unknown\".",
            "    people: {",
        ]
        lines += Set(useful.flatMap(\.identifiers)).sorted().map { "      // \(ProposedMapping.quoted($0)): \"anna\"," }
        lines += ["    },", "  },", "  mappings: ["]
        for (number, proposal) in useful.enumerated() { lines += proposal.lines(name: "learned-\(number + 1)") }
        lines += ["  ],", "}"]
        let idle = proposals.filter(\.readings.isEmpty)
        if !idle.isEmpty {
            lines.append(
                "// Nothing is known by the names on: \(idle.flatMap(\.topics).prefix(20).map(ProposedMapping.quoted).joined(separator: ", "))"
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
