import TestSupport
import Testing

@testable import MessageBus

@Suite("Subscriptions", .timeLimit(.minutes(4)))
struct SubscriptionTests {
    @Test(
        "matches topics as MQTT 5 says",
        arguments: [
            ("a/b", "a/b", true), ("a/b", "a/bc", false), ("a/b", "a", false), ("a/+", "a/b", true), ("a/+", "a/", true),
            ("a/+", "a", false),
            ("a/+", "a/b/c", false), ("a/#", "a", true), ("a/#", "a/b/c", true), ("a/#", "ab", false), ("#", "a/b", true),
            ("+/b", "/b", true),
            ("+", "", true), ("+/+", "a", false), ("a/+/c", "a/b/c", true), ("a/+/c", "a/b/d", false), ("a/b/+", "a/b", false),
        ])
    func matches(filter: String, topic: String, isMatch: Bool) { #expect(TopicFilter.matches(filter, topic) == isMatch) }

    @Test(
        "knows which filters have a topic in common",
        arguments: [
            ("a/+/c", "a/b/+", true), ("a/#", "a", true), ("a/#", "+/b/c", true), ("a/b", "a/c", false), ("a/+", "a/b/c", false),
            ("a/b/#", "a/b", true), ("a/b/#", "a", false), ("#", "x/y", true), ("+", "a/b", false),
        ])
    func overlap(one: String, other: String, isOverlap: Bool) {
        #expect(TopicFilter.overlap(one, other) == isOverlap)
        #expect(TopicFilter.overlap(other, one) == isOverlap)
    }

    @Test("delivers once what several of its subscriptions match, where the broker sends a copy for each")
    func copies() async throws {
        let server = try await MosquittoServer.start()
        let events = EventLog()
        let consumer = Consumer(
            configuration: ConsumerConfiguration(
                broker: server.configuration(clientID: "c"),
                subscriptions: ["a/#", "a/+/c", "a/b/+", "other"].map { Subscription($0) }), onEvent: events.note)
        try await withRunning(consumer) { consumer in
            try await events.waitUntilReady()
            try await server.publish(["a/b/c", "other", "a/b/c", "a/x", "other"].map { OutgoingMessage(topic: $0, payload: [1]) })
            #expect(try await consumer.takeMessages(5).map(\.topic) == ["a/b/c", "other", "a/b/c", "a/x", "other"])
        }
    }

    /// A list of filters that changes while messages wait by them.
    struct Change: Sendable, CustomTestStringConvertible {
        let first: [String]
        let second: [String]
        var testDescription: String { "\(first) \(second)" }

        /// All match, and each list overlaps, so that its filters have identifiers.
        static let all = [
            Change(first: ["clinic/#", "+/ward/+"], second: ["clinic/ward/data", "clinic/#", "+/ward/+"]),
            Change(first: ["clinic/ward/data", "clinic/#", "+/ward/+"], second: ["clinic/#", "+/ward/+"]),
            Change(first: ["clinic/#", "+/+/x"], second: ["clinic/ward/data", "clinic/+/x", "+/+/x", "#"]),
            Change(first: ["clinic/ward/data", "clinic/+/x", "+/+/x", "#"], second: ["clinic/#", "+/+/x"]),
            Change(first: ["clinic/#"], second: ["clinic/ward/+"]), Change(first: ["clinic/ward/+"], second: ["clinic/#"]),
            Change(first: ["clinic/#"], second: ["clinic/#", "clinic/ward/+"]),
            Change(first: ["clinic/#", "clinic/ward/+"], second: ["clinic/#"]),
        ]
    }

    @Test(
        "delivers each message once that was queued before its subscriptions changed, and after, also where all say the same",
        arguments: Change.all, [(false, false), (false, true), (true, false), (true, true)])
    func changed(_ change: Change, _ mode: (restarts: Bool, areEqual: Bool)) async throws {
        let server = try await MosquittoServer.start()
        let broker = server.configuration(clientID: "c", session: .persistent(expiry: .seconds(600)))
        let lists = [change.first, change.second].map { $0.map { Subscription($0, retainHandling: .never) } }
        var configuration = ConsumerConfiguration(broker: broker, subscriptions: [Subscription("own")])
        // The rest waits at the broker.
        configuration.receiveMaximum = 20
        try await Self.openSession(configuration, lists[0])
        let payloads = (0..<200).map { mode.areEqual ? "same" : "\($0)" }
        let messages = payloads.map { OutgoingMessage(topic: "clinic/ward/data", payload: Array($0.utf8)) }
        try await server.publish(Array(messages[..<100]))
        if mode.restarts { configuration.formerFilters = change.first.filter { !change.second.contains($0) } }
        let events = EventLog(), consumer = Consumer(configuration: configuration, onEvent: events.note)
        consumer.subscribe(alsoTo: lists[mode.restarts ? 1 : 0])
        let found = try await withRunning(consumer) { consumer in
            try await eventually("the connection") { events.events.contains { if case .connected = $0 { true } else { false } } }
            consumer.subscribe(alsoTo: lists[1])
            async let texts = Self.takeToEnd(consumer)
            try await Self.ready(change.second, events)
            try await server.publish(messages[100...] + [OutgoingMessage(topic: "own", payload: Array("end".utf8))])
            return try await texts
        }
        #expect(found == payloads)
    }

    private static func openSession(_ configuration: ConsumerConfiguration, _ others: [Subscription]) async throws {
        let events = EventLog()
        let consumer = Consumer(configuration: configuration, onEvent: events.note)
        consumer.subscribe(alsoTo: others)
        try await withRunning(consumer) { _ in try await ready(["own"] + others.map(\.filter), events) }
    }

    private static func ready(_ filters: [String], _ log: EventLog) async throws {
        try await eventually(within: .seconds(30), "the subscriptions") {
            filters.allSatisfy { log.events.contains(.subscribed(filter: $0, qos: .atLeastOnce)) }
        }
    }

    private static func takeToEnd(_ consumer: Consumer) async throws -> [String] {
        var texts: [String] = []
        while texts.last != "end" { texts += try await consumer.takeMessages(1).map(\.text) }
        return texts.dropLast()
    }

    @Test("subscribes at once to what is added while it runs and gives up what is gone, also where a session outlives the connection")
    func changes() async throws {
        let server = try await MosquittoServer.start()
        let events = EventLog()
        let configuration = ConsumerConfiguration(
            broker: server.configuration(clientID: "c", session: .persistent(expiry: .seconds(600))), subscriptions: [Subscription("own")])
        try await withRunning(Consumer(configuration: configuration, onEvent: events.note)) { consumer in
            try await events.waitUntilReady()
            consumer.subscribe(alsoTo: [Subscription("new/1"), Subscription("new/2")])
            try await eventually(within: .seconds(30), "the new filters") {
                ["new/1", "new/2"].allSatisfy { events.events.contains(.subscribed(filter: $0, qos: .atLeastOnce)) }
            }
            try await server.publish(["new/1", "new/2", "own"].map { OutgoingMessage(topic: $0, payload: [1]) })
            #expect(try await consumer.takeMessages(3).map(\.topic) == ["new/1", "new/2", "own"])
            consumer.subscribe(alsoTo: [Subscription("new/2"), Subscription("new/3")])
            try await eventually(within: .seconds(30), "the next filter") {
                events.events.contains(.subscribed(filter: "new/3", qos: .atLeastOnce))
            }
            try await server.publish(["new/1", "new/3"].map { OutgoingMessage(topic: $0, payload: [1]) })
            #expect(try await consumer.takeMessages(1).map(\.topic) == ["new/3"])
        }
        // Another process, which is told what the session may still have.
        var next = configuration
        next.formerFilters = ["new/2", "new/3"]
        let later = EventLog()
        try await withRunning(Consumer(configuration: next, onEvent: later.note)) { consumer in
            try await later.waitUntilReady()
            consumer.subscribe(alsoTo: [Subscription("new/4")])
            try await eventually(within: .seconds(30), "the last filter") {
                later.events.contains(.subscribed(filter: "new/4", qos: .atLeastOnce))
            }
            try await server.publish(["new/2", "new/3", "new/4"].map { OutgoingMessage(topic: $0, payload: [1]) })
            #expect(try await consumer.takeMessages(1).map(\.topic) == ["new/4"])
        }
    }

    @Test("tells what a broker refuses of the added ones, and goes on with the others")
    func refused() async throws {
        let broker = try ScriptedBroker { packet in
            switch packet.type {
            case ScriptedBroker.connect: ScriptedBroker.accepted()
            case ScriptedBroker.subscribe:
                ScriptedBroker.granted(packet, reason: String(decoding: packet.body, as: UTF8.self).contains("secret") ? 0x87 : 1)
            default: []
            }
        }
        let events = EventLog()
        let consumer = Consumer(
            configuration: ConsumerConfiguration(
                broker: BrokerConfiguration(port: broker.port, clientID: "c"), subscriptions: [Subscription("own")]), onEvent: events.note)
        consumer.subscribe(alsoTo: [Subscription("secret"), Subscription("open")])
        try await withRunning(consumer) { _ in try await events.waitUntilReady() }
        #expect(events.events.contains(.subscriptionRefused(filter: "secret", reason: 0x87)))
        #expect(events.events.contains { if case .subscribed("open", _) = $0 { true } else { false } })
        #expect(!events.events.contains { if case .disconnected = $0 { true } else { false } })
    }
}
