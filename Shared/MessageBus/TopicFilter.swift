/// Topic filters as MQTT 5 has them (section 4.7), compared as bytes.
package enum TopicFilter {
    /// Returns whether a filter matches a topic.
    package static func matches(_ filter: Span<UInt8>, _ topic: Span<UInt8>) -> Bool {
        var place = 0, start = 0
        while place < filter.count {
            switch filter[place] {
            case UInt8(ascii: "#"): return true
            case UInt8(ascii: "+"):
                while start < topic.count, topic[start] != separator { start += 1 }
            case let byte where start < topic.count && topic[start] == byte: start += 1
            // What ends in /# also takes the topic before the slash.
            case separator: return start == topic.count && place + 1 < filter.count && filter[place + 1] == UInt8(ascii: "#")
            default: return false
            }
            place += 1
        }
        return start == topic.count
    }

    /// Returns whether a filter matches a topic.
    package static func matches(_ filter: String, _ topic: String) -> Bool { matches(filter.utf8Span.span, topic.utf8Span.span) }

    private static let separator = UInt8(ascii: "/")

    /// Returns whether there is a topic that both match.
    package static func overlap(_ one: String, _ other: String) -> Bool {
        let (first, second) = (
            one.split(separator: "/", omittingEmptySubsequences: false), other.split(separator: "/", omittingEmptySubsequences: false)
        )
        for (a, b) in zip(first, second) {
            if a == "#" || b == "#" { return true }
            guard a == b || a == "+" || b == "+" else { return false }
        }
        let longer = first.count > second.count ? first : second, common = min(first.count, second.count)
        return longer.count == common || longer.count == common + 1 && longer[common] == "#"
    }
}

/// Tells the copies of one message apart that a broker sends for each of several subscriptions that match its topic.
///
/// Each subscription that overlaps another has an identifier (MQTT 5, section 3.8.2.1.2), made of its filter, so that it stays the same over
/// restarts and what waited in a session is still known. Of a message's copies the one of the first filter that matches is taken. A value without
/// I/O.
struct SubscriptionCopies {
    /// Those that overlap another, in the order in which they count.
    private let filters: [(text: String, identifier: UInt32)]

    /// - Parameter subscriptions: All of the connection's.
    init(_ subscriptions: [Subscription]) {
        let texts = subscriptions.map(\.filter)
        let overlapping = texts.indices.filter { one in
            texts.indices.contains { $0 != one && TopicFilter.overlap(texts[$0], texts[one]) }
        }
        filters = overlapping.map { (texts[$0], Self.identifier(of: texts[$0])) }
    }

    /// The identifier with which to subscribe; nil where none is needed.
    func identifier(for filter: String) -> UInt32? { filters.first { $0.text == filter }?.identifier }

    /// Returns whether another copy of the message is to be taken in place of this one.
    /// - Parameter identifiers: Those that the broker sent with it; none where it knows no identifiers, or it comes from an older session.
    func isCopy(topic: String, identifiers: [UInt32]) -> Bool {
        guard !identifiers.isEmpty, let first = filters.first(where: { TopicFilter.matches($0.text, topic) }) else { return false }
        return !identifiers.contains(first.identifier)
    }

    /// 1 to 268,435,455: FNV-1a of the filter.
    private static func identifier(of filter: String) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        for byte in filter.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return max(1, (hash ^ (hash >> 28)) & 0x0FFF_FFFF)
    }
}
