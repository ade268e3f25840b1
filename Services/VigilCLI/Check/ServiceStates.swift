import Foundation
import MessageBus
import ServiceKit
import VigilSchema

/// The retained states of the services at a broker.
struct ServiceStates: Sendable {
    private struct Report: Decodable {
        let service: String
        let instance: String
        let state: String
        let version: String
        let shares: Int?
    }

    /// Service to instance to state.
    private var states: [String: [String: String]] = [:]
    /// The numbers of shares that instances go by, and the services of each.
    private var shares: [Int: Set<String>] = [:]

    /// Reads them from a broker: what is retained comes at once after the subscription, and then a message of our own.
    static func read(_ session: BrokerSession) async throws -> ServiceStates {
        let mark = "\(Topic.prefix)receipts/vigil-check/mark-\(UInt32.random(in: 0...UInt32.max))"
        let filters = [Topic.Filter.moduleStatus, mark].map { Subscription($0) }
        let tell: @Sendable () async throws -> Void = {
            try await session.publishing { try await $0.publish(OutgoingMessage(topic: mark, payload: [1])) }
        }
        return try await session.receiving(filters, subscribed: tell) { batches in
            var states = ServiceStates()
            for try await batch in batches {
                defer { batch.settle(.committed) }
                for message in batch.messages {
                    if message.topic == mark { return states }
                    states.add(message)
                }
            }
            return states
        }
    }

    mutating func add(_ message: IncomingMessage) {
        guard let report = try? JSONDecoder().decode(Report.self, from: Data(message.payload)) else { return }
        states[report.service, default: [:]][report.instance] = report.state
        if report.state == "online" { shares[report.shares ?? 1, default: []].insert(report.service) }
    }

    /// Indicates whether the service has ever been at this broker.
    func isKnown(_ service: String) -> Bool { states[service] != nil }

    /// Indicates whether an instance of the service is there.
    func isOnline(_ service: String) -> Bool { states[service]?.values.contains { $0 == "online" || $0 == "draining" } == true }

    /// Whether services that are online go by one number of shares; nil where none of them has more than one.
    /// - Parameter services: those that are looked at; modules of other programs have none.
    func sharesFinding(_ services: [String]) -> CheckReport.Finding? {
        let told = shares.mapValues { $0.filter(services.contains).sorted() }.filter { !$0.value.isEmpty }.sorted { $0.key > $1.key }
        guard let most = told.first?.key, most > 1 else { return nil }
        let words = told.map { "\($0.key) at \($0.value.joined(separator: ", "))" }.joined(separator: "; ")
        let isWell = told.count == 1
        return CheckReport.Finding(
            what: "shares", isWell: isWell, words: isWell ? words : "\(words); give every service the same --shares")
    }

    /// Indicates whether an instance of the service is online.
    func finding(_ service: String) -> CheckReport.Finding {
        guard let instances = states[service] else {
            return CheckReport.Finding(
                what: service, isWell: false, words: "has never been online at this broker; start it, and see its log for why it ended")
        }
        let words = instances.sorted { $0.key < $1.key }.map { "\($0.key) is \($0.value)" }.joined(separator: ", ")
        let isWell = instances.values.contains("online")
        return CheckReport.Finding(what: service, isWell: isWell, words: isWell ? words : "\(words); start it, and see its log")
    }
}
