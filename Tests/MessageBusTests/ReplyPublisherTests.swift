import MessageBus
import TestSupport
import Testing

@Suite("Replies", .timeLimit(.minutes(4)))
struct ReplyPublisherTests {
    private static let accessList = """
        user vigil
        topic readwrite vigil/v1/responses/#
        topic readwrite vigil/v1/data
        """

    private func reply(_ topic: String, _ text: String = "a") -> Reply { Reply(to: topic) { Array(text.utf8) } }

    /// Takes messages until so many different ones have come.
    private func distinct(_ count: Int, of consumer: Consumer) async throws -> Set<String> {
        var found: Set<String> = []
        while found.count < count { found.formUnion(try await consumer.takeMessages(1).map(\.text)) }
        return found
    }

    /// Runs a publisher at a real broker and returns what a subscriber of the responses received and what was counted.
    private func run(
        at server: MosquittoServer, expecting count: Int, _ body: @Sendable @escaping (ReplyPublisher, Publisher) async throws -> Void
    ) async throws -> (received: Set<String>, counters: ReplyPublisher.Counters, publisher: PublisherCounters) {
        let events = EventLog()
        let consumer = server.consumer("reader", "vigil/v1/responses/#", "vigil/v1/data", onEvent: events.note)
        return try await withRunning(consumer) { consumer in
            try await events.waitUntilReady()
            let publisher = Publisher(configuration: PublisherConfiguration(broker: server.configuration(clientID: "service")))
            return try await withRunning(publisher) { publisher in
                let replies = ReplyPublisher(publisher)
                async let received = distinct(count, of: consumer)
                try await body(replies, publisher)
                return (try await received, replies.counters, publisher.counters)
            }
        }
    }

    @Test("drops and counts what the broker refuses by its access list, and sends the rest")
    func refused() async throws {
        let server = try await MosquittoServer.start(
            access: .password(user: "vigil", password: "secret", accessList: Self.accessList))
        let (received, counters, _) = try await run(at: server, expecting: 2) { replies, _ in
            try await replies.publish([
                reply("vigil/v1/responses/a/1", "one"), reply("x"), reply("vigil/v1/responses/a/2", "two"), reply("a/+"), reply(""),
                Reply(to: "vigil/v1/responses/a/3") { throw CancellationError() },
            ])
        }
        #expect(received == ["one", "two"])
        #expect(counters.sent == 2 && counters.dropped == 4)
    }

    @Test("drops what breaks the connection twice, and nothing of what was in flight beside it")
    func poison() async throws {
        let server = try await MosquittoServer.start()
        let deep = String(repeating: "/", count: 300)
        let innocent = (0..<40).map { "innocent \($0)" }
        let (received, counters, publisher) = try await run(at: server, expecting: 41) { replies, publisher in
            async let data: Void = publisher.publish(OutgoingMessage(topic: "vigil/v1/data", payload: Array("data".utf8)))
            var all = innocent.map { reply("vigil/v1/responses/a", $0) }
            all.insert(reply(deep), at: 20)
            try await replies.publish(all)
            try await data
        }
        #expect(received == Set(innocent + ["data"]))
        #expect(counters.sent == 40 && counters.dropped == 1)
        #expect(publisher.reconnects == 2)
    }

    @Test("lets the broker drop a reply that nobody fetches in time")
    func expiry() async throws {
        let server = try await MosquittoServer.start()
        let (_, _, _) = try await run(at: server, expecting: 1) { replies, _ in
            try await replies.publish([Reply(to: "vigil/v1/responses/a", expiry: .seconds(1)) { [65] }])
        }
        #expect(Reply(to: "x", expiry: .seconds(9)) { [] }.message?.properties.expiry == .seconds(9))
        #expect(Reply(to: "x") { [] }.message?.properties.expiry == Reply.defaultExpiry)
    }

    @Test("fails only where the publisher has ended, so that what was to be answered is given back")
    func ended() async throws {
        let publisher = InMemoryPublisher()
        let replies = ReplyPublisher(publisher)
        publisher.failNext(BusError(.connectionLost, during: .publish), BusError(.refused, during: .publish, reason: 0x97))
        try await replies.publish([reply("a"), reply("b"), reply("c")])
        #expect(replies.counters.dropped == 2 && publisher.messages.count == 1)
        for code in [BusError.Code.closed, .cancelled] {
            publisher.failNext(BusError(code, during: .publish))
            await #expect(throws: BusError.self) { try await replies.publish([reply("a")]) }
        }
        publisher.failNext(BusError(.badCredentials, during: .connect))
        await #expect(throws: BusError.self) { try await replies.publish([reply("a")]) }
        #expect(replies.counters.dropped == 2)
    }
}
