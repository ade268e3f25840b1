/// A topic filter whose levels may have names: `home/+/BTtoMQTT/{id}`.
package struct MappingTopic: Sendable, Hashable {
    fileprivate enum Level: Sendable, Hashable {
        case literal(String)
        case any
        case named(String)
        /// All levels that are left.
        case rest
    }

    /// As it is subscribed to.
    package let filter: String
    private let levels: [Level]

    init(_ text: String) {
        levels = text.split(separator: "/", omittingEmptySubsequences: false).map { level in
            switch level {
            case "+": .any
            case "#": .rest
            case _ where level.hasPrefix("{") && level.hasSuffix("}"): .named(String(level.dropFirst().dropLast()))
            default: .literal(String(level))
            }
        }
        filter = levels.map(\.filter).joined(separator: "/")
    }

    /// The names of levels.
    var names: [String] { levels.compactMap { if case .named(let name) = $0 { name } else { nil } } }

    /// The first level, where it is always the same.
    var firstLiteral: String? { if case .literal(let text)? = levels.first { text } else { nil } }

    /// The reason why it cannot be subscribed to; nil where it can.
    var objection: String? {
        if filter.isEmpty || filter.utf8.count > 1024 { return "a topic has 1 to 1024 bytes" }
        for (place, level) in levels.enumerated() {
            switch level {
            case .rest where place < levels.count - 1: return "# stands for all the last levels"
            case .literal(let text) where text.contains("#") || text.contains("+"):
                return "+ stands for a whole level, and # for all the last ones"
            default: continue
            }
        }
        return filter.utf8.contains(0) ? "a topic holds no NUL" : nil
    }

    /// The named levels of a topic that it matches; nil where it does not.
    func match(_ topic: [Substring]) -> TopicNames? {
        guard topic.count == levels.count || levels.last == .rest && topic.count >= levels.count - 1 else { return nil }
        for (level, text) in zip(levels, topic) {
            if case .literal(let wanted) = level, wanted != text { return nil }
        }
        var names = TopicNames()
        for (level, text) in zip(levels, topic) {
            if case .named(let name) = level { names.add(name, String(text)) }
        }
        return names
    }
}

extension MappingTopic.Level {
    fileprivate var filter: String {
        switch self {
        case .literal(let text): text
        case .any, .named: "+"
        case .rest: "#"
        }
    }
}

/// The named levels of a topic: few, so that looking through them is quickest.
struct TopicNames: Sendable {
    private var pairs: [(name: String, level: String)] = []

    subscript(name: String) -> String? { pairs.last { $0.name == name }?.level }

    mutating func add(_ name: String, _ level: String) { pairs.append((name, level)) }
}

/// The filters of mappings, each matched once a message however many mappings have it.
struct TopicIndex: Sendable {
    /// The filters, each once.
    private let topics: [MappingTopic]
    private let byFirst: [String: [Int]]
    private let others: [Int]
    /// The mappings that have a filter, by its place.
    private let listeners: [[Int]]

    init(_ mappings: [Mapping]) {
        var topics: [MappingTopic] = [], listeners: [[Int]] = [], known: [MappingTopic: Int] = [:]
        for (number, mapping) in mappings.enumerated() {
            for topic in mapping.topics {
                let place = known[topic] ?? topics.count
                if place == topics.count {
                    known[topic] = place
                    topics.append(topic)
                    listeners.append([])
                }
                if listeners[place].last != number { listeners[place].append(number) }
            }
        }
        (self.topics, self.listeners) = (topics, listeners)
        byFirst = Dictionary(grouping: topics.indices.filter { topics[$0].firstLiteral != nil }) { topics[$0].firstLiteral ?? "" }
        others = topics.indices.filter { topics[$0].firstLiteral == nil }
    }

    /// The mappings that listen to a topic, in their order, each with the topic's levels as it names them.
    func mappings(for topic: String) -> [(mapping: Int, names: TopicNames)] {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        var found: [(mapping: Int, names: TopicNames)] = []
        for place in levels.first.flatMap({ byFirst[String($0)] }) ?? [] { add(place, levels, to: &found) }
        for place in others { add(place, levels, to: &found) }
        found.sort { $0.mapping < $1.mapping }
        return found
    }

    private func add(_ place: Int, _ levels: [Substring], to found: inout [(mapping: Int, names: TopicNames)]) {
        guard let names = topics[place].match(levels) else { return }
        for number in listeners[place] where !found.contains(where: { $0.mapping == number }) { found.append((number, names)) }
    }
}
