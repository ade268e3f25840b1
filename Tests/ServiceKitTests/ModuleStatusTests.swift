import Foundation
import MessageBus
import TestSupport
import Testing

@testable import Observability
@testable import ServiceKit

@Suite("A module's status")
struct ModuleStatusTests {
    private func state(_ message: OutgoingMessage) throws -> String? {
        try (JSONSerialization.jsonObject(with: Data(message.payload)) as? [String: Any])?["state"] as? String
    }

    @Test("is published retained, ends with offline, and is left as offline by the last will")
    func states() async throws {
        let publisher = InMemoryPublisher()
        let status = ModuleStatus(
            service: "vigil-x", instance: "main", publisher: publisher, logger: Logger(service: "x", level: .error) { _ in })
        status.set(.online)
        status.finish()
        try await status.run()
        #expect(try publisher.messages.map(state) == ["online", "offline"])
        #expect(publisher.messages.allSatisfy { $0.retained && $0.topic == "vigil/v1/modules/vigil-x/main/status" })
        let will = ModuleStatus.lastWill(service: "vigil-x", instance: "main")
        #expect(try state(will) == "offline")
        #expect(will.topic == publisher.messages.first?.topic && will.retained)
    }

    @Test("does not end the service when it cannot be published")
    func failure() async throws {
        let publisher = InMemoryPublisher()
        publisher.failNext(BusError(.timedOut, during: .publish))
        let status = ModuleStatus(
            service: "vigil-x", instance: "main", publisher: publisher, logger: Logger(service: "x", level: .error) { _ in })
        status.set(.online)
        status.finish()
        try await status.run()
        #expect(try publisher.messages.map(state) == ["offline"])
    }
}
