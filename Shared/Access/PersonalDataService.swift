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

/// Obeys orders to give what a service keeps of a participant, and to forget it, which come on `requests/<account>/<service>`: for a service that takes
/// no other requests.
///
/// An order that cannot be obeyed is answered with the reason; it may be given again as often as one likes.
package struct PersonalDataService<Batches: AsyncSequence & Sendable>: Service where Batches.Element == MessageBatch {
    private struct Order: Decodable {
        let command: String
        let participant: String?
        let part: Int?
    }

    private let batches: Batches
    private let service: String
    private let instance: String
    private let replies: ReplyPublisher
    private let log: Logger
    private let data: PersonalDataAccess

    /// - Parameters:
    ///   - batches: The orders, checked by `GuardedRequests`.
    ///   - data: The way to the data.
    package init(
        batches: Batches, service: String, instance: String, replies: ReplyPublisher, log: Logger, data: PersonalDataAccess
    ) {
        (self.batches, self.service, self.instance) = (batches, service, instance)
        (self.replies, self.log, self.data) = (replies, log, data)
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
        let answer = try await answer(to: try? JSONDecoder().decode(Order.self, from: Data(message.payload)))
        guard let topic else { return }
        try await replies.publish([Reply(to: topic.path, correlation: topic.correlation, expiry: .seconds(3600)) { answer }])
    }

    private func answer(to order: Order?) async throws -> [UInt8] {
        guard let order, let participant = order.participant, Name.isValid(participant) else {
            return try refused("the order is no {\"command\": \"erase\", \"participant\": …}")
        }
        do {
            switch order.command {
            case "erase": return try await erase(participant)
            case "export":
                let text = try await data.export(participant).json
                return try PersonalDataPart(of: text, part: order.part ?? 0, service: service, instance: instance).encoded()
            default: return try refused("the command is neither erase nor export")
            }
        } catch {
            log.error("an order about a participant could not be obeyed", ["order": order.command, "error": "\(error)"])
            return try refused("\(error)")
        }
    }

    private func erase(_ participant: String) async throws -> [UInt8] {
        let removed = try await data.erase(participant)
        log.notice("a participant was erased", ["things": "\(removed.values.reduce(0, +))"])
        return try ErasureConfirmation(service: service, instance: instance, removed: removed).encoded()
    }

    private func refused(_ reason: String) throws -> [UInt8] {
        try ErasureConfirmation(service: service, instance: instance, removed: [:], error: reason).encoded()
    }
}

/// The two things that a person may ask of a service: to see what it keeps, and to have it forgotten.
package struct PersonalDataAccess: Sendable {
    /// Gives everything that is kept of a participant but what is secret.
    let export: @Sendable (String) async throws -> PersonalData
    /// Removes everything of a participant from memory and disk, and counts it by what it is.
    let erase: @Sendable (String) async throws -> [String: Int]

    package init(
        export: @escaping @Sendable (String) async throws -> PersonalData, erase: @escaping @Sendable (String) async throws -> [String: Int]
    ) {
        (self.export, self.erase) = (export, erase)
    }
}

extension ServiceContext {
    /// The members that take orders about a participant's data, for a service that takes no other requests.
    /// - Parameter name: As in the topic, for example `ingest`.
    package func personalData(_ name: String, _ data: PersonalDataAccess) throws -> [ServiceGroup.Member] {
        let consumer = try consumer("erasure", [Subscription(Topic.Filter.requests(to: name), retainHandling: .never)]) {
            // An order that nobody waits for any more is given again.
            $0.broker.session = .clean
        }
        let requests = RequestGuard(service: name, control: try AccessControl(configuration) ?? .open, log: logger)
        let service = PersonalDataService(
            batches: GuardedRequests(consumer.batches, requests, replies: replies, trail: try auditTrail), service: service,
            instance: instance, replies: replies, log: logger, data: data)
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
