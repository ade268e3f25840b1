import Foundation
package import MessageBus

extension MosquittoServer {
    /// Publishes messages in order over a connection of its own, and returns when all are acknowledged.
    package func publish(_ messages: [OutgoingMessage]) async throws {
        let publisher = Publisher(configuration: PublisherConfiguration(broker: configuration(clientID: "test-\(UUID().uuidString)")))
        try await withRunning(publisher) { publisher in
            for message in messages { try await publisher.publish(message) }
        }
    }

    /// Publishes messages whose payloads are the numbers of a range, in order, at QoS 1.
    package func publish(numbers: Range<Int>, to topic: String) async throws {
        try await publish(numbers.map { OutgoingMessage(topic: topic, payload: Array(String($0).utf8)) })
    }

    /// A consumer of this broker.
    package func consumer(
        _ clientID: String, _ filters: String..., session: BrokerConfiguration.Session = .clean, limits: BatchLimits = BatchLimits(),
        onEvent: @escaping @Sendable (BusEvent) -> Void = { _ in }
    ) -> Consumer {
        let broker = configuration(clientID: clientID, session: session)
        return Consumer(
            configuration: ConsumerConfiguration(broker: broker, subscriptions: filters.map { Subscription($0) }, limits: limits),
            onEvent: onEvent)
    }

    /// Lets the broker know a persistent session, so that messages wait in it.
    package func openSession(_ clientID: String, _ filter: String) async throws {
        let events = EventLog()
        let consumer = consumer(clientID, filter, session: .persistent(expiry: .seconds(3_600)), onEvent: events.note)
        try await withRunning(consumer) { _ in try await events.waitUntilReady() }
    }
}

extension Consumer {
    /// Takes batches, committing each, until so many messages have come.
    package func takeMessages(_ count: Int) async throws -> [IncomingMessage] {
        var messages: [IncomingMessage] = []
        var batches = batches.makeAsyncIterator()
        while messages.count < count, let batch = try await batches.next() {
            messages += batch.messages
            batch.settle(.committed)
        }
        return messages
    }

    /// Takes one batch and leaves it to the caller to settle it.
    package func takeBatch() async throws -> MessageBatch {
        var batches = batches.makeAsyncIterator()
        guard let batch = try await batches.next() else { throw NeverHappened(description: "the batches ended") }
        return batch
    }
}

extension IncomingMessage {
    /// The payload as text.
    package var text: String { String(decoding: payload, as: UTF8.self) }

    /// The payload as a number, as `publish(numbers:to:)` makes it.
    package var number: Int? { Int(text) }
}
