import MessageBus
import TestSupport
import Testing

@Suite("A requester", .timeLimit(.minutes(4)))
struct RequesterTests {
    /// Answers every request with its payload reversed, until the consumer ends.
    private func answer(_ consumer: Consumer, _ publisher: Publisher, withCorrelation: Bool) async throws {
        for try await batch in consumer.batches {
            for message in batch.messages {
                guard let topic = message.properties.responseTopic else { continue }
                var properties = MessageProperties()
                if withCorrelation { properties.correlationData = message.properties.correlationData }
                try await publisher.publish(OutgoingMessage(topic: topic, payload: message.payload.reversed(), properties: properties))
            }
            batch.settle(.committed)
        }
    }

    @Test("gets to each of many requests its own answer, matched by correlation data or by topic", arguments: [true, false])
    func matches(withCorrelation: Bool) async throws {
        let server = try await MosquittoServer.start()
        let events = EventLog()
        let responder = server.consumer("responder", "questions", onEvent: events.note)
        let publisher = Publisher(configuration: PublisherConfiguration(broker: server.configuration(clientID: "p")))
        let requester = Requester(broker: server.configuration(clientID: "asker"), responsePrefix: "responses/asker")
        try await withRunning(publisher) { publisher in
            try await withRunning(responder) { responder in
                try await withRunning({ try await requester.run() }, stop: { requester.drain() }) {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { try await answer(responder, publisher, withCorrelation: withCorrelation) }
                        try await events.waitUntilReady()
                        try await withThrowingTaskGroup(of: Bool.self) { questions in
                            for number in UInt8(0)..<50 {
                                questions.addTask {
                                    let reply = try await requester.request(timeout: .seconds(120)) { _ in
                                        OutgoingMessage(topic: "questions", payload: [1, number])
                                    }
                                    return reply.payload == [number, 1]
                                }
                            }
                            for try await isRight in questions { #expect(isRight) }
                        }
                        group.cancelAll()
                    }
                }
            }
        }
    }

    @Test("ends with timed out when nobody answers, and with closed when it drains")
    func noAnswer() async throws {
        let server = try await MosquittoServer.start()
        let events = EventLog()
        let listener = server.consumer("listener", "q", onEvent: events.note)
        let requester = Requester(broker: server.configuration(clientID: "asker"), responsePrefix: "responses/x")
        try await withRunning(listener) { listener in
            try await events.waitUntilReady()
            try await withRunning({ try await requester.run() }, stop: {}) {
                let late = await #expect(throws: BusError.self) {
                    try await requester.request(timeout: .milliseconds(50)) { _ in OutgoingMessage(topic: "other", payload: []) }
                }
                #expect(late?.code == .timedOut)
                async let closed = await #expect(throws: BusError.self) {
                    try await requester.request(timeout: .seconds(120)) { _ in OutgoingMessage(topic: "q", payload: []) }
                }
                for try await request in listener.batches {
                    request.settle(.committed)
                    #expect(request.messages.first?.properties.responseTopic?.hasPrefix("responses/x/") == true)
                    break
                }
                requester.drain()
                #expect(await closed?.code == .closed)
            }
        }
    }

    @Test("asks and hears over a single connection, at a broker that allows an account no second one")
    func oneConnection() async throws {
        let server = try await MosquittoServer.start(extra: "use_username_as_clientid true")
        let events = EventLog()
        let responder = server.consumer("responder", "questions", onEvent: events.note)
        var configuration = server.configuration(clientID: "asker")
        configuration.username = "anna-watch"
        let requester = Requester(broker: configuration, responsePrefix: "responses/anna-watch")
        let publisher = Publisher(configuration: PublisherConfiguration(broker: server.configuration(clientID: "p")))
        try await withRunning(publisher) { publisher in
            try await withRunning(responder) { responder in
                try await events.waitUntilReady()
                try await withRunning({ try await requester.run() }, stop: { requester.drain() }) {
                    async let answering: Void = answer(responder, publisher, withCorrelation: true)
                    for number in UInt8(0)..<10 {
                        let reply = try await requester.request(timeout: .seconds(120)) { _ in
                            OutgoingMessage(topic: "questions", payload: [1, number])
                        }
                        #expect(reply.payload == [number, 1])
                    }
                    responder.drain()
                    try await answering
                }
            }
        }
    }
}
