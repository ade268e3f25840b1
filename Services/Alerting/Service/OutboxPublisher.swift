import MessageBus

/// Publishes what the core decided: messages of one alert in order, different alerts at once.
struct OutboxPublisher: Sendable {
    private static let width = 32
    private let publisher: any MessagePublisher

    init(_ publisher: any MessagePublisher) { self.publisher = publisher }

    /// Returns once the broker has acknowledged all of them.
    func publish(_ messages: [OutgoingMessage]) async throws {
        guard messages.count > 2 else {
            for message in messages { try await publisher.publish(message) }
            return
        }
        let lanes = lanes(messages)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, lane) in lanes.enumerated() {
                if number >= Self.width { try await group.next() }
                group.addTask {
                    for message in lane { try await publisher.publish(message) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Publishes an answer. Where the asker named a topic that cannot be published to, nobody is told.
    func publishIfPossible(_ answer: OutgoingMessage) async throws(BusError) {
        do throws(BusError) {
            try await publisher.publish(answer)
        } catch {
            switch error.code {
            case .invalidTopic, .notAuthorized, .messageTooLarge, .refused: return
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
