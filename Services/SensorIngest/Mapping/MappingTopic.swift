import MessageBus

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

    /// The last level, where it is always the same.
    fileprivate var lastLiteral: String? { if case .literal(let text)? = levels.last { text } else { nil } }

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

    /// The level of that name in a topic that it matches.
    fileprivate func level(_ name: String, of topic: String) -> String? {
        guard let place = levels.lastIndex(of: .named(name)) else { return nil }
        let texts = topic.split(separator: "/", maxSplits: place + 1, omittingEmptySubsequences: false)
        return place < texts.count ? String(texts[place]) : nil
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

/// The named levels of a topic, looked up when an expression asks for one.
struct TopicNames: Sendable {
    let topic: String
    let filter: MappingTopic
    /// The name of the member at hand, where records are an object's members.
    var key: String?

    /// The name of a topic's last level, where no level is given it; the others are known by their number from 0 on too.
    private static let lastName = "last"

    subscript(name: String) -> String? {
        if let key, name == MappingRecord.keyName { return key }
        if let level = filter.level(name, of: topic) { return level }
        if name == Self.lastName { return topic.split(separator: "/").last.map(String.init) }
        guard let number = Int(name), number >= 0 else { return nil }
        return topic.split(separator: "/", omittingEmptySubsequences: false).dropFirst(number).first.map(String.init)
    }
}

/// The filters of mappings, each matched once a message however many mappings have it.
struct TopicIndex: Sendable {
    /// A mapping that listens to a topic, with the filter by which it does.
    struct Listener: Sendable {
        let mapping: Int
        let filter: Int
        /// The filter's place among the mapping's own.
        fileprivate let rank: Int
    }

    /// The filters, each once.
    private let topics: [MappingTopic]
    /// The bytes of all filters, one after the other, and where each stands: topics are matched without a look at anything else.
    private let bytes: [UInt8]
    private let ranges: [Range<Int>]
    private let byFirst: [String: [Int]]
    /// Of the others, those by their last level.
    private let byLast: [String: [Int]]
    private let others: [Int]
    /// The mappings that have a filter, by its place, in order.
    private let listeners: [[Listener]]

    init(_ mappings: [Mapping]) {
        var topics: [MappingTopic] = [], listeners: [[Listener]] = [], known: [MappingTopic: Int] = [:]
        for (number, mapping) in mappings.enumerated() {
            for (rank, topic) in mapping.topics.enumerated() {
                let place = known[topic] ?? topics.count
                if place == topics.count {
                    known[topic] = place
                    topics.append(topic)
                    listeners.append([])
                }
                if listeners[place].last?.mapping != number {
                    listeners[place].append(Listener(mapping: number, filter: place, rank: rank))
                }
            }
        }
        (self.topics, self.listeners) = (topics, listeners)
        var bytes: [UInt8] = []
        ranges = topics.map { topic in
            bytes += Array(topic.filter.utf8)
            return bytes.count - topic.filter.utf8.count..<bytes.count
        }
        self.bytes = bytes
        byFirst = Dictionary(grouping: topics.indices.filter { topics[$0].firstLiteral != nil }) { topics[$0].firstLiteral ?? "" }
        let rest = topics.indices.filter { topics[$0].firstLiteral == nil }
        byLast = Dictionary(grouping: rest.filter { topics[$0].lastLiteral != nil }) { topics[$0].lastLiteral ?? "" }
        others = rest.filter { topics[$0].lastLiteral == nil }
    }

    /// The mappings that listen to a topic, in their order, each once.
    func listeners(to topic: String) -> [Listener] {
        let places = matching(topic)
        guard let first = places.first else { return [] }
        guard places.count > 1 else { return listeners[first] }
        var found = places.flatMap { listeners[$0] }.sorted { ($0.mapping, $0.rank) < ($1.mapping, $1.rank) }
        // Of a mapping's filters that match, the first counts.
        var kept = 0
        for index in found.indices where kept == 0 || found[kept - 1].mapping != found[index].mapping {
            found[kept] = found[index]
            kept += 1
        }
        found.removeLast(found.count - kept)
        return found
    }

    /// The names of a topic's levels, as a filter has them.
    func names(of topic: String, by filter: Int) -> TopicNames { TopicNames(topic: topic, filter: topics[filter]) }

    /// Returns whether any mapping listens to a topic.
    func hasListeners(to topic: String) -> Bool { !matching(topic).isEmpty }

    /// The filters that match, by their places.
    private func matching(_ topic: String) -> [Int] {
        let bytes = topic.utf8Span.span
        let first = topic.utf8.firstIndex(of: Self.separator).map { String(topic[..<$0]) } ?? topic
        var places = byFirst[first] ?? []
        if !byLast.isEmpty {
            let last = topic.utf8.lastIndex(of: Self.separator).map { String(topic[topic.utf8.index(after: $0)...]) } ?? topic
            places += byLast[last] ?? []
        }
        places.removeAll { !matches($0, bytes) }
        for place in others where matches(place, bytes) { places.append(place) }
        return places
    }

    private static let separator = UInt8(ascii: "/")

    private func matches(_ filter: Int, _ topic: Span<UInt8>) -> Bool {
        TopicFilter.matches(bytes.span.extracting(ranges[filter]), topic)
    }
}
