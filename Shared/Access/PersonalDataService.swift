import Foundation
package import MessageBus
package import Observability
package import ServiceKit
import Settings
import VigilSchema

/// A service's answer to the order to forget a participant.
package struct ErasureConfirmation: Codable, Hashable, Sendable {
    /// True where nothing of the participant is left with this service.
    package var ok: Bool
    /// For example `vigil-alert`.
    package var service: String
    package var instance: String
    /// The number of things that were removed, by what they are; those of which there were none left out.
    package var removed: [String: Int]
    /// The reason why something may be left.
    package var error: String?

    package init(service: String, instance: String, removed: [String: Int], error: String? = nil) {
        (ok, self.service, self.instance, self.error) = (error == nil, service, instance, error)
        self.removed = removed.filter { $0.value > 0 }
    }

    /// As JSON.
    package func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return Array(try encoder.encode(self))
    }
}

/// Obeys orders to erase a participant, which come on `requests/<account>/<service>`, and confirms each: for a service that takes no other requests.
///
/// An order that cannot be obeyed is answered with the reason; it may be given again as often as one likes.
package struct ErasureService<Batches: AsyncSequence & Sendable>: Service where Batches.Element == MessageBatch {
    private struct Order: Decodable {
        let command: String
        let participant: String?
    }

    private let batches: Batches
    private let service: String
    private let instance: String
    private let replies: ReplyPublisher
    private let log: Logger
    private let erase: @Sendable (String) async throws -> [String: Int]

    /// - Parameters:
    ///   - batches: The orders, checked by `GuardedRequests`.
    ///   - erase: Removes everything of a participant from memory and disk, and counts it by what it is.
    package init(
        batches: Batches, service: String, instance: String, replies: ReplyPublisher, log: Logger,
        erase: @escaping @Sendable (String) async throws -> [String: Int]
    ) {
        (self.batches, self.service, self.instance) = (batches, service, instance)
        (self.replies, self.log, self.erase) = (replies, log, erase)
    }

    package func run() async throws {
        for try await batch in batches {
            for message in batch.messages { try await obey(message) }
            batch.settle(.committed)
        }
    }

    private func obey(_ message: IncomingMessage) async throws {
        // An order that the broker had kept is nobody's of now.
        guard !message.retained, let asked = message.properties.responseTopic else { return }
        let topic = try? ReplyTopic(asked, correlation: message.properties.correlationData, of: .account)
        let answer = await confirmation(of: try? JSONDecoder().decode(Order.self, from: Data(message.payload)))
        guard let topic else { return }
        try await replies.publish([Reply(to: topic.path, correlation: topic.correlation, expiry: .seconds(3600)) { try answer.encoded() }])
    }

    private func confirmation(of order: Order?) async -> ErasureConfirmation {
        guard let order, order.command == "erase", let participant = order.participant, Name.isValid(participant) else {
            return refused("the order is no {\"command\": \"erase\", \"participant\": …}")
        }
        do {
            let removed = try await erase(participant)
            log.notice("a participant was erased", ["things": "\(removed.values.reduce(0, +))"])
            return ErasureConfirmation(service: service, instance: instance, removed: removed)
        } catch {
            log.error("a participant could not be erased", ["error": "\(error)"])
            return refused("\(error)")
        }
    }

    private func refused(_ reason: String) -> ErasureConfirmation {
        ErasureConfirmation(service: service, instance: instance, removed: [:], error: reason)
    }
}

extension ServiceContext {
    /// The members that take orders to erase a participant, for a service that takes no other requests.
    /// - Parameter name: As in the topic, for example `ingest`.
    package func erasure(
        _ name: String, _ erase: @escaping @Sendable (String) async throws -> [String: Int]
    ) throws -> [ServiceGroup.Member] {
        let consumer = try consumer("erasure", [Subscription(Topic.Filter.requests(to: name), retainHandling: .never)]) {
            // An order that nobody waits for any more is given again.
            $0.broker.session = .clean
        }
        let requests = RequestGuard(service: name, control: try AccessControl(configuration) ?? .open, log: logger)
        let service = ErasureService(
            batches: GuardedRequests(consumer.batches, requests, replies: replies, trail: try auditTrail), service: service,
            instance: instance,
            replies: replies, log: logger, erase: erase)
        return [ServiceGroup.Member("erasure", service, draining: .endsByItself), consumer.member]
    }

    /// The audit trail, told over the bus.
    package var auditTrail: BusAuditTrail {
        get throws {
            let account = try configuration[CommonSettings.brokerUser] ?? String(service.dropFirst("vigil-".count))
            return BusAuditTrail(publisher, account: account, log: logger)
        }
    }
}
