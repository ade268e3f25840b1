/// Topic filters as MQTT 5 has them (section 4.7), compared as bytes.
package enum TopicFilter {
    /// Returns whether a filter matches a topic.
    package static func matches(_ filter: Span<UInt8>, _ topic: Span<UInt8>) -> Bool {
        var index = 0, start = 0
        while index < filter.count {
            switch filter[index] {
            case UInt8(ascii: "#"): return true
            case UInt8(ascii: "+"):
                while start < topic.count, topic[start] != separator { start += 1 }
            case let byte where start < topic.count && topic[start] == byte: start += 1
            // What ends in /# also takes the topic before the slash.
            case separator: return start == topic.count && index + 1 < filter.count && filter[index + 1] == UInt8(ascii: "#")
            default: return false
            }
            index += 1
        }
        return start == topic.count
    }

    /// Returns whether a filter matches a topic.
    package static func matches(_ filter: String, _ topic: String) -> Bool { matches(filter.utf8Span.span, topic.utf8Span.span) }

    private static let separator = UInt8(ascii: "/")

    /// Returns whether there is a topic that both match.
    package static func overlap(_ one: String, _ other: String) -> Bool { overlap(levels(one), levels(other)) }

    /// The levels of a filter.
    static func levels(_ filter: String) -> [Substring] { filter.split(separator: "/", omittingEmptySubsequences: false) }

    /// Returns whether there is a topic that filters of these levels both match.
    static func overlap(_ first: [Substring], _ second: [Substring]) -> Bool {
        for (a, b) in zip(first, second) {
            if a == "#" || b == "#" { return true }
            guard a == b || a == "+" || b == "+" else { return false }
        }
        let longer = first.count > second.count ? first : second, common = min(first.count, second.count)
        return longer.count == common || longer.count == common + 1 && longer[common] == "#"
    }

    /// Returns whether Mosquitto sends a message that both filters match for the first one before it sends it for the other: at the first level in which
    /// they differ a name goes before `+`, and that before `#`, which itself goes before a filter's end.
    static func precedes(_ one: String, _ other: String) -> Bool {
        let first = levels(one), second = levels(other)
        for (a, b) in zip(first, second) where a != b { return rank(a) < rank(b) }
        return first.count > second.count
    }

    private static func rank(_ level: Substring) -> Int { level == "#" ? 2 : level == "+" ? 1 : 0 }
}
