import Testing

@testable import MessageBus

@Suite("The copies of a message that a broker sends for several subscriptions")
struct SubscriptionCopiesTests {
    private let name: UInt32 = 161_171_021, all: UInt32 = 160_304_993, last: UInt32 = 259_885_596

    private static func copies(_ filters: String..., former: [String] = [], resumes: Bool = false) -> SubscriptionCopies {
        var copies = SubscriptionCopies(resumes: resumes)
        copies.listen(to: filters, former: former)
        return copies
    }

    /// The payloads of what is taken of a stream of copies.
    private func taken(
        _ stream: [(payload: UInt8, identifiers: [UInt32])], by copies: inout SubscriptionCopies, topic: String = "a/b/c",
        qos: QoS = .atLeastOnce
    ) -> [UInt8] {
        stream.compactMap { payload, identifiers in
            var message = IncomingMessage(topic: topic, payload: [payload], qos: qos)
            return copies.isCopy(&message, identifiers: identifiers) ? nil : payload
        }
    }

    @Test("are known by identifiers, which filters have that overlap another or did, made of the filter by FNV-1a")
    func identifiers() {
        var copies = Self.copies("a/#", "a/+/c", "b", "a/b/+")
        // The hash of 32 bits, its four highest bits laid over its four lowest.
        #expect(copies.identifier(for: "a/#") == all && copies.identifier(for: "a/+/c") == name)
        #expect(copies.identifier(for: "a/b/+") == last)
        #expect(copies.identifier(for: "b") == nil)
        #expect(Self.copies("a/#", former: ["a/b"]).identifier(for: "a/#") == nil)
        copies.listen(to: ["b", "a/#"])
        #expect(copies.identifier(for: "a/#") == all && copies.identifier(for: "b") == nil)
    }

    @Test("follow each other: the first is taken, whatever the list is now, and an equal message is none of them")
    func first() {
        // a/b/+ goes before a/+/c, and that before a/#.
        var copies = Self.copies("a/#", "a/b/+", "a/+/c")
        #expect(taken([(1, [last]), (1, [name]), (1, [all]), (2, [last]), (2, [name]), (2, [all])], by: &copies) == [1, 2])
        #expect(taken([(7, [last]), (7, [name]), (7, [all]), (7, [last]), (7, [name]), (7, [all])], by: &copies) == [7, 7])
        // Queued while there were fewer filters, or others, and by one that nobody knows any more.
        #expect(
            taken([(1, [all]), (2, [all]), (3, [name]), (3, [all]), (4, [name]), (5, [9]), (5, [all])], by: &copies) == [1, 2, 3, 4, 5])
        // The same, where all say the same.
        #expect(taken([(1, [all]), (1, [all]), (1, [name]), (1, [all]), (1, [name]), (1, [name])], by: &copies) == [1, 1, 1, 1, 1])
    }

    @Test("have one identifier each: what has none, or several, comes once")
    func single() {
        var copies = Self.copies("a/#", "a/b/+", "a/+/c")
        #expect(taken([(1, []), (1, []), (1, [all]), (1, []), (1, [name]), (1, [])], by: &copies) == [1, 1, 1, 1, 1, 1])
        #expect(taken([(1, [name, all]), (1, [name, all]), (1, [all])], by: &copies) == [1, 1, 1])
    }

    @Test("agree in topic, payload and properties, but not in how long they would have been kept, and are of one quality")
    func same() {
        var copies = Self.copies("a/#", "a/b/+", "a/+/c")
        func isCopy(_ message: IncomingMessage, _ identifier: UInt32) -> Bool {
            var message = message
            return copies.isCopy(&message, identifiers: [identifier])
        }
        func message(
            _ topic: String = "a/b/c", _ type: String? = nil, left: Duration? = nil, retained: Bool = false, qos: QoS = .atLeastOnce
        )
            -> IncomingMessage
        {
            let properties = MessageProperties(contentType: type, expiry: left)
            return IncomingMessage(topic: topic, payload: [1], retained: retained, qos: qos, properties: properties)
        }
        #expect(!isCopy(message(left: .seconds(3)), name) && isCopy(message(left: .seconds(2)), all))
        for other in [message("a/x/c"), message("a/b/c", "text/plain"), message(retained: true)] {
            #expect(!isCopy(message(), name) && !isCopy(other, all))
        }
        // One of QoS 0 overtakes what waits for an acknowledgement.
        #expect(!isCopy(message(), name) && !isCopy(message(qos: .atMostOnce), name) && isCopy(message(), all))
        #expect(isCopy(message(qos: .atMostOnce), all))
    }

    @Test("are soon known also of a broker that sends them in another order than Mosquitto")
    func disorder() {
        var copies = Self.copies("a/#", "a/+/c")
        let count = SubscriptionCopies.mostDisorders
        let stream = (0..<20 as Range<UInt8>).flatMap { [($0, [all]), ($0, [name])] }
        #expect(taken(stream, by: &copies).count == 20 + count)
    }

    @Test("may lack the first ones where a connection begins behind them")
    func resumed() {
        func earlier(_ identifier: UInt32, resumes: Bool = true, retained: Bool = false) -> [Int] {
            var copies = Self.copies("a/#", "a/+/c", former: ["a/b/+", "x/#"], resumes: resumes)
            return (1...2 as ClosedRange<UInt8>).map { payload in
                var message = IncomingMessage(topic: "a/b/c", payload: [payload], retained: retained)
                #expect(!copies.isCopy(&message, identifiers: [identifier]))
                return message.earlierCopies
            }
        }
        #expect(earlier(all) == [2, 0] && earlier(name) == [1, 0] && earlier(last) == [0, 0] && earlier(9) == [0, 0])
        #expect(earlier(all, resumes: false) == [0, 0] && earlier(all, retained: true) == [0, 0])
    }
}
