import MessageBus

/// Publishes the core's messages: those of one alert in order, different alerts concurrently.
struct OutboxPublisher: Sendable {
    private static let width = 32
    /// The pauses before a temporarily refused message is repeated, some three seconds in all.
    private static let pauses = [100, 200, 400, 800, 1600].map { Duration.milliseconds($0) }
    private let publisher: any MessagePublisher
    private let clock: any Clock<Duration>
    private let onDrop: @Sendable (BusError) -> Void

    /// - Parameter onDrop: called for each message that the broker refuses permanently.
    init(
        _ publisher: any MessagePublisher, clock: any Clock<Duration> = ContinuousClock(),
        onDrop: @escaping @Sendable (BusError) -> Void = { _ in }
    ) {
        self.publisher = publisher
        self.clock = clock
        self.onDrop = onDrop
    }

    /// Returns once the broker has acknowledged all of them.
    /// - Throws: if it did not. Messages of other alerts have left as far as possible.
    func publish(_ messages: [OutgoingMessage]) async throws {
        guard messages.count > 2 else {
            for message in messages { try await send(message) }
            return
        }
        let lanes = lanes(messages)
        let failure = await withTaskGroup(of: (any Error)?.self) { group in
            var failure: (any Error)?
            for (number, lane) in lanes.enumerated() {
                if number >= Self.width, let ended = await group.next() { failure = failure ?? ended }
                group.addTask { await self.failure(of: lane) }
            }
            for await ended in group { failure = failure ?? ended }
            return failure
        }
        if let failure { throw failure }
    }

    private func failure(of lane: [OutgoingMessage]) async -> (any Error)? {
        do {
            for message in lane { try await send(message) }
            return nil
        } catch {
            return error
        }
    }

    /// Publishes one message. A permanent refusal is reported and skipped, so that it does not block later messages; a
    /// temporary one is repeated.
    private func send(_ message: OutgoingMessage) async throws {
        var pauses = Self.pauses.makeIterator()
        while true {
            do throws(BusError) {
                return try await publisher.publish(message)
            } catch {
                if error.concernsMessage { return onDrop(error) }
                guard error.isTemporaryRefusal, let pause = pauses.next() else { throw error }
                try await clock.sleep(for: pause)
            }
        }
    }

    /// The key of a message: the topic's last two levels, which an alert's state and events share.
    private func lanes(_ messages: [OutgoingMessage]) -> [[OutgoingMessage]] {
        var order: [String] = []
        var lanes: [String: [OutgoingMessage]] = [:]
        for message in messages {
            let key = message.topic.split(separator: "/").suffix(2).joined(separator: "/")
            if lanes[key] == nil { order.append(key) }
            lanes[key, default: []].append(message)
        }
        return order.compactMap { lanes[$0] }
    }
}
