import Testing

@testable import MessageBus

@Suite("Topic filters")
struct TopicFilterTests {
    /// Levels of which filters and topics are made here.
    private static func texts(_ levels: [String]) -> [String] {
        var all: [String] = levels
        var longest = levels
        for _ in 0..<2 {
            longest = longest.flatMap { start in levels.map { start + "/" + $0 } }
            all += longest
        }
        return all
    }

    /// Section 4.7.1 of MQTT 5, level by level.
    private static func matches(_ filter: [Substring], _ topic: [Substring]) -> Bool {
        guard let first = filter.first else { return topic.isEmpty }
        if first == "#" { return true }
        guard let level = topic.first else { return false }
        return (first == "+" || first == level) && matches(Array(filter.dropFirst()), Array(topic.dropFirst()))
    }

    private static func isValid(_ filter: String) -> Bool {
        filter.split(separator: "/", omittingEmptySubsequences: false).dropLast().allSatisfy { $0 != "#" }
    }

    private static func levels(_ text: String) -> [Substring] { text.split(separator: "/", omittingEmptySubsequences: false) }

    private static let filters = texts(["a", "ab", "", "+", "#"]).filter(isValid)
    private static let topics = texts(["a", "ab", "b", ""])

    @Test("match as a reading of them level by level does")
    func reference() {
        for filter in Self.filters {
            for topic in Self.topics where TopicFilter.matches(filter, topic) != Self.matches(Self.levels(filter), Self.levels(topic)) {
                Issue.record("\(filter) \(topic)")
            }
        }
    }

    @Test("overlap where some topic is matched by both")
    func overlap() {
        let topics = Self.texts(["a", "ab", "b", ""])
        let matched = Dictionary(
            uniqueKeysWithValues: Self.filters.map { filter in
                (filter, Set(topics.filter { Self.matches(Self.levels(filter), Self.levels($0)) }))
            })
        for one in Self.filters {
            for other in Self.filters {
                let expected = !(matched[one] ?? []).isDisjoint(with: matched[other] ?? [])
                if TopicFilter.overlap(one, other) != expected { Issue.record("\(one) \(other)") }
            }
        }
    }

    @Test("are told apart as Mosquitto goes through them: a name before +, that before #, and # before an end")
    func order() {
        let ordered = ["a/b/c/#", "a/b/c", "a/b/+", "a/b/#", "a/+/c", "a/+/+", "a/#", "+/b/c", "+/+/#", "#"]
        for (index, one) in ordered.enumerated() {
            for (other, text) in ordered.enumerated() { #expect(TopicFilter.precedes(one, text) == (index < other), "\(one) \(text)") }
        }
    }

    @Test("of a consumer are its own and others, each once; what is gone is given up, also at a later connection")
    func list() {
        var configuration = ConsumerConfiguration(
            broker: BrokerConfiguration(clientID: "c"), subscriptions: [Subscription("own")])
        configuration.formerFilters = ["old", "x"]
        let list = SubscriptionList(configuration)
        #expect(list.version == 0 && list.current.wanted.map(\.filter) == ["own"] && list.current.former == ["old", "x"])
        list.replace(others: [])
        #expect(list.version == 0)
        list.replace(others: ["x", "own", "y", "x"].map { Subscription($0) })
        #expect(list.version == 1 && list.current.version == 1)
        #expect(list.current.wanted.map(\.filter) == ["own", "x", "y"] && list.current.former == ["old"])
        list.replace(others: ["x", "y"].map { Subscription($0) })
        #expect(list.version == 1)
        list.replace(others: [Subscription("y")])
        #expect(list.version == 2 && list.current.former == ["old", "x"] && list.current.wanted.map(\.filter) == ["own", "y"])
        #expect(list.isRequired(Subscription("own")) && !list.isRequired(Subscription("y")))
    }
}
