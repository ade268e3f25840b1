import MessageBus

/// Publishes the core's messages: those of one alert in order, different alerts at once.
struct OutboxPublisher: Sendable {
    private static let width = 32
    private let publisher: any MessagePublisher
    private let onDrop: @Sendable (BusError) -> Void

    /// - Parameter onDrop: called for each message that the broker refuses for good.
    init(_ publisher: any MessagePublisher, onDrop: @escaping @Sendable (BusError) -> Void = { _ in }) {
        self.publisher = publisher
        self.onDrop = onDrop
    }

    /// Returns once the broker has acknowledged all of them.
    func publish(_ messages: [OutgoingMessage]) async throws {
        guard messages.count > 2 else {
            for message in messages { try await send(message) }
            return
        }
        let lanes = lanes(messages)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, lane) in lanes.enumerated() {
                if number >= Self.width { try await group.next() }
                group.addTask {
                    for message in lane { try await send(message) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Publishes one. What the broker will never take is given up and told, so that it does not hold back what comes after it.
    private func send(_ message: OutgoingMessage) async throws(BusError) {
        do throws(BusError) {
            try await publisher.publish(message)
        } catch {
            switch error.code {
            case .invalidTopic, .notAuthorized, .messageTooLarge, .refused: onDrop(error)
            default: throw error
            }
        }
    }

    /// By the topic's last two levels, which an alert's state and its events share.
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
