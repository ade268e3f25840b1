import MessageBus
import TestSupport
import Testing

@testable import Alerting

@Suite("Publishing what the core decided")
struct OutboxPublisherTests {
    @Test("publishes each message once, those of one alert in their order", arguments: [1, 2, 3, 5, 100])
    func order(people: Int) async throws {
        let publisher = InMemoryPublisher()
        let messages = (0..<3).flatMap { step in
            (0..<people).map {
                OutgoingMessage(topic: "vigil/v1/\(step == 1 ? "alerts" : "alert-events")/\($0)/high", payload: [UInt8(step)])
            }
        }
        try await OutboxPublisher(publisher).publish(messages)
        let published = publisher.messages
        #expect(published.count == messages.count)
        for person in 0..<people {
            #expect(published.filter { $0.topic.hasSuffix("/\(person)/high") }.map(\.payload) == [[0], [1], [2]])
        }
    }
}
