import Foundation
package import MessageBus
package import Observability
package import VigilSchema

/// Takes lines for the one audit trail, which the timeline keeps.
package protocol AuditTrailWriting: Sendable {
    /// Returns once the lines are in the trail, or are on their way to it and cannot be lost.
    func write(_ entries: [AuditEntry]) async throws
}

/// Tells the audit trail over the bus: the broker keeps the lines until the timeline has them. Lines may come twice, as any message of the bus.
package struct BusAuditTrail: AuditTrailWriting {
    private let publisher: any MessagePublisher
    private let topic: Topic
    private let log: Logger

    /// - Parameter account: The service's own at the broker, by which the trail tells who reports.
    package init(_ publisher: any MessagePublisher, account: String, log: Logger) {
        (self.publisher, self.log) = (publisher, log)
        topic = .audit(account: account)
    }

    package func write(_ entries: [AuditEntry]) async throws {
        guard !entries.isEmpty else { return }
        let payload = [UInt8](try JSONEncoder().encode(entries))
        let message = OutgoingMessage(topic: topic.path, payload: payload, properties: MessageProperties(contentType: MediaType.json))
        do throws(BusError) {
            try await publisher.publish(message)
        } catch {
            // The access list of an earlier version: what people ask for is carried out all the same.
            guard error.code == .notAuthorized else { throw error }
            log.error("the audit trail could not be told", ["lines": "\(entries.count)", "error": error.description])
        }
    }
}
