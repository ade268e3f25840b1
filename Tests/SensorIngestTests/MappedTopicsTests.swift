import Foundation
import MessageBus
import Observability
import ServiceKit
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest

/// The topics that ingest listens to while files are read again and bridges announce sensors, at a real broker.
@Suite("Topics of mappings", .timeLimit(.minutes(4)))
struct MappedTopicsTests {
    private static func file(_ topics: String...) throws -> MappingSet {
        let list = topics.map { "\"\($0)\"" }.joined(separator: ", ")
        return try MappingFile.parse(
            """
            {mappings: [{topics: [\(list)], format: "plain", participant: "anna", device: "a", readings: [{metric: "heart-rate", value: "."}]}]}
            """)
    }

    /// Runs a body with a consumer that follows the rules, and its events.
    private func following(
        _ rules: MappingRules, at server: MosquittoServer, file: String,
        _ body: @escaping @Sendable (Consumer, EventLog) async throws -> Void
    ) async throws {
        let topics = MappedTopics(rules: rules, path: file, log: Logger(service: "test", level: .error, sink: { _ in }))
        var configuration = ConsumerConfiguration(
            broker: server.configuration(clientID: "devices", session: .persistent(expiry: .seconds(600))),
            subscriptions: [Subscription("vigil/v1/ingest/+/+", retainHandling: .never)])
        configuration.formerFilters = topics.former
        let events = EventLog()
        let consumer = Consumer(configuration: configuration, onEvent: events.note)
        topics.follow(consumer)
        try await withRunning(consumer) { consumer in
            try await events.waitUntilReady()
            try await body(consumer, events)
        }
    }

    private func subscribed(_ filter: String, _ events: EventLog) async throws {
        try await eventually(within: .seconds(30), "the subscription to \(filter)") {
            events.events.contains { if case .subscribed(filter, _) = $0 { true } else { false } }
        }
    }

    private func publish(_ topics: String..., at server: MosquittoServer) async throws {
        try await server.publish(topics.map { OutgoingMessage(topic: $0, payload: Array("61".utf8)) })
    }

    @Test("are subscribed to as soon as a file that is read again brings them, and given up with it, also over a restart")
    func reload() async throws {
        let server = try await MosquittoServer.start()
        let folder = try TemporaryFolder("vigil-topics")
        let rules = MappingRules(try Self.file("rooms/+/pulse", "old/pulse"))
        try await following(rules, at: server, file: folder.path("topics")) { consumer, events in
            try await publish("rooms/bath/pulse", "old/pulse", at: server)
            #expect(try await consumer.takeMessages(2).map(\.topic) == ["rooms/bath/pulse", "old/pulse"])
            rules.replace(with: try Self.file("rooms/+/pulse", "new/pulse"))
            try await subscribed("new/pulse", events)
            try await publish("old/pulse", "new/pulse", at: server)
            #expect(try await consumer.takeMessages(1).map(\.topic) == ["new/pulse"])
        }
        // Another process, whose files have lost the topic meanwhile, and the broker has kept the session.
        try await following(MappingRules(try Self.file("rooms/+/pulse")), at: server, file: folder.path("topics")) { consumer, events in
            try await publish("new/pulse", "rooms/kitchen/pulse", at: server)
            #expect(try await consumer.takeMessages(1).map(\.topic) == ["rooms/kitchen/pulse"])
        }
    }

    @Test("are those of sensors that were announced before and while ingest listens, until they are taken back")
    func announced() async throws {
        let server = try await MosquittoServer.start()
        let folder = try TemporaryFolder("vigil-topics")
        let (topic, payload) = DiscoveryTests.announcements[3]
        try await server.publish([OutgoingMessage(topic: topic, payload: Array(payload.utf8), retained: true)])
        let rules = MappingRules(try Self.file("rooms/+/pulse"), discoveryPrefix: "homeassistant")
        try await following(rules, at: server, file: folder.path("topics")) { consumer, events in
            var reader = MessageReader(mappings: rules)
            #expect(reader.read(try await consumer.takeMessages(1), received: .now).refusals.isEmpty)
            try await subscribed("lolo/weight/kg", events)
            try await publish("lolo/weight/kg", at: server)
            let result = reader.read(try await consumer.takeMessages(1), received: .now)
            #expect(result.accepted == 1 && result.refusals.isEmpty)

            let (later, strap) = DiscoveryTests.announcements[2]
            try await server.publish([OutgoingMessage(topic: later, payload: Array(strap.utf8), retained: true)])
            _ = reader.read(try await consumer.takeMessages(1), received: .now)
            try await subscribed("strap7/state", events)
            try await server.publish([OutgoingMessage(topic: topic, payload: [], retained: true)])
            _ = reader.read(try await consumer.takeMessages(1), received: .now)
            try await publish("lolo/weight/kg", "rooms/bath/pulse", at: server)
            #expect(try await consumer.takeMessages(1).map(\.topic) == ["rooms/bath/pulse"])
        }
    }

    @Test("that were announced for a person who is erased are given up, and out of the kept list; files that name the person are told of")
    func erasure() async throws {
        let server = try await MosquittoServer.start()
        let folder = try TemporaryFolder("vigil-topics")
        let rules = MappingRules(try Self.file("rooms/+/pulse"), discoveryPrefix: "homeassistant")
        let erasure = MappingErasure(rules: rules)
        try await following(rules, at: server, file: folder.path("topics")) { consumer, events in
            let (topic, payload) = DiscoveryTests.announcements[3]
            rules.announce([(topic, Array(payload.utf8))])
            try await subscribed("lolo/weight/kg", events)
            #expect(try String(contentsOfFile: folder.path("topics"), encoding: .utf8).contains("lolo/weight/kg"))
            #expect(rules.announcements(naming: "lolo") == [topic] && rules.announcements(naming: "lol").isEmpty)
            #expect(erasure.forget("lol") == ["mapped topics": 0])
            #expect(erasure.forget("lolo") == ["mapped topics": 1])
            #expect(try !String(contentsOfFile: folder.path("topics"), encoding: .utf8).contains("lolo"))
            // The session knows the topic no more: what comes after it arrives, and it does not.
            try await eventually(within: .seconds(30), "the topic to be given up") {
                try await publish("lolo/weight/kg", "rooms/bath/pulse", at: server)
                let topics = try await consumer.takeMessages(1).map(\.topic)
                return topics == ["rooms/bath/pulse"]
            }
        }
        #expect(throws: MappingErasure.Named.self) { try erasure.check("anna") }
        #expect(throws: Never.self) { try erasure.check("ben") }
        let table = try MappingFile.parse(#"{tables: {people: {"A4:*": "ben"}}, mappings: []}"#)
        #expect(MappingErasure.Named(places: table.places(naming: "ben")).description.contains("the table people"))
    }
}
