/// Tells the copies of one message apart that a broker sends for each of several subscriptions that match its topic.
///
/// Each subscription that overlaps another has an identifier (MQTT 5, section 3.8.2.1.2), made of its filter, so that it stays the same over
/// restarts. What waits in a session was matched by the subscriptions of the moment when it came, which may be others than now's: a list that has
/// changed since says nothing of how often it comes. So a copy is known by what it carries. It follows another that says the same for another
/// subscription at once, in the order of `TopicFilter.precedes`, and the first is taken. An equal message that was published later begins with a
/// subscription that the copies before had already, or that goes before theirs.
///
/// Where the connection broke between two copies, the second may come alone, as the first message of the next one: see
/// `IncomingMessage.earlierCopies`. A value without I/O.
struct SubscriptionCopies {
    /// The copies of a message that came last.
    private struct Copies {
        let message: IncomingMessage
        var identifiers: [UInt32]
    }

    /// Copies that come in another order than Mosquitto's are taken for messages, so many times: at a change of the list two messages may look
    /// like it. Beyond that the broker has an order of its own.
    static let mostDisorders = 8

    /// The filters that overlap another or have, and those that a session may still have.
    private var filters: [UInt32: String] = [:]
    private var overlapping: Set<String> = []
    /// Of QoS 0, and of the others: the broker may send a message of the one between copies of a message of the other.
    private var last: [Copies?] = [nil, nil]
    private var disorders = 0
    /// The next message is the first one that the session kept.
    private var resumes: Bool

    /// - Parameter resumes: True where the broker still had the session.
    init(resumes: Bool = false) { self.resumes = resumes }

    /// Notes the filters that are listened to from now on, and those that are given up and may still bring something. What has had an identifier
    /// keeps it.
    mutating func listen(to wanted: [String], former: some Sequence<String> = []) {
        let all = wanted.map { (text: $0, levels: TopicFilter.levels($0)) }
        let wide = all.filter { $0.levels.contains("+") || $0.levels.last == "#" }
        for one in wide {
            for other in all where other.text != one.text && TopicFilter.overlap(one.levels, other.levels) {
                overlapping.formUnion([one.text, other.text])
            }
        }
        for text in overlapping { filters[Self.identifier(of: text)] = text }
        for text in former { filters[Self.identifier(of: text)] = text }
    }

    /// The identifier with which to subscribe; nil where none is needed.
    func identifier(for filter: String) -> UInt32? { overlapping.contains(filter) ? Self.identifier(of: filter) : nil }

    /// Returns whether another copy of the message was taken in place of this one.
    /// - Parameter identifiers: Those that the broker sent with it: none where it knows none, or the filter overlapped no other; several where it sends
    ///   a message once for all subscriptions.
    mutating func isCopy(_ message: inout IncomingMessage, identifiers: [UInt32]) -> Bool {
        let isFirst = resumes && message.qos != .atMostOnce && !message.retained
        if isFirst { resumes = false }
        let index = message.qos == .atMostOnce ? 0 : 1
        guard identifiers.count == 1, let identifier = identifiers.first else {
            if last[index] != nil { last[index] = nil }
            return false
        }
        if let before = last[index], before.message.saysTheSame(as: message), follows(identifier, before.identifiers) {
            last[index]?.identifiers.append(identifier)
            return true
        }
        if isFirst { message.earlierCopies = preceding(identifier, message.topic) }
        last[index] = Copies(message: message, identifiers: [identifier])
        return false
    }

    /// Returns whether a copy for a subscription comes behind those of the same message for others.
    private mutating func follows(_ identifier: UInt32, _ before: [UInt32]) -> Bool {
        guard let last = before.last, !before.contains(identifier) else { return false }
        guard let filter = filters[identifier], let former = filters[last], !TopicFilter.precedes(former, filter) else { return true }
        disorders += 1
        return disorders > Self.mostDisorders
    }

    /// The number of filters for which a broker would have sent the message before.
    private func preceding(_ identifier: UInt32, _ topic: String) -> Int {
        guard let filter = filters[identifier] else { return 0 }
        return filters.values.count { $0 != filter && TopicFilter.matches($0, topic) && TopicFilter.precedes($0, filter) }
    }

    /// 1 to 268,435,455: FNV-1a of the filter.
    private static func identifier(of filter: String) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        for byte in filter.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return max(1, (hash ^ (hash >> 28)) & 0x0FFF_FFFF)
    }
}

extension IncomingMessage {
    /// Returns whether another message could be a copy: only the delivery's number differs, and how long the broker would have kept it.
    fileprivate func saysTheSame(as other: IncomingMessage) -> Bool {
        guard payload == other.payload, topic == other.topic, retained == other.retained else { return false }
        var (mine, others) = (properties, other.properties)
        (mine.expiry, others.expiry) = (nil, nil)
        return mine == others
    }
}
