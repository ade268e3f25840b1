import Access
import Foundation
import VigilSchema

/// A stored row without one participant.
enum RedactionResult: Equatable {
    /// It does not mention the participant.
    case unchanged
    /// Nothing is left of it.
    case removed
    case changed([UInt8])
}

/// A notifier's stored group.
struct StoredNotifierGroup: Sendable {
    let notifier: String
    let name: String
    let state: [UInt8]

    /// Whether it is about this participant only.
    func isOf(_ participant: String) -> Bool { name.split(separator: ",").contains("participant=\(participant)") }

    func without(_ participant: String) throws -> RedactionResult {
        if isOf(participant) { return .removed }
        let prefix = "\(participant)/"
        guard var kept = try? JSONDecoder().decode(NotificationGroup.Kept.self, from: Data(state)),
            kept.names.contains(where: { $0.hasPrefix(prefix) })
        else { return .unchanged }
        kept.keepNames { !$0.hasPrefix(prefix) }
        return .changed([UInt8](try JSONEncoder().encode(kept)))
    }

    /// Its data about a participant; nil: none. A group of others may name alerts that were sent or escalated.
    func personalData(of participant: String) throws -> [String: Any]? {
        let state = try JSONSerialization.jsonObject(with: Data(state)) as? [String: Any] ?? [:]
        if isOf(participant) { return ["notifier": notifier, "group": name, "state": state] }
        let prefix = "\(participant)/"
        let told = (state["told"] as? [String] ?? []).filter { $0.hasPrefix(prefix) }
        let escalated = (state["escalated"] as? [String: Any] ?? [:]).keys.filter { $0.hasPrefix(prefix) }.sorted()
        return told.isEmpty && escalated.isEmpty ? nil : ["notifier": notifier, "told": told, "escalated": escalated]
    }
}

/// Pending scores in the event log: a batch of several participants.
struct StoredScores {
    let batch: ObservationBatch

    /// Nil for anything but a batch.
    init?(_ content: [UInt8]) {
        guard let batch = try? BatchDecoder().decode(content.span) else { return nil }
        self.batch = batch
    }

    func without(_ participant: String) -> RedactionResult {
        guard batch.groups.contains(where: { $0.participant == participant }) else { return .unchanged }
        var left = batch
        left.groups.removeAll { $0.participant == participant }
        return left.groups.isEmpty ? .removed : .changed(BatchEncoder.encode(left))
    }

    /// A participant's own scores; nil: none.
    func personalData(of participant: String) throws -> [String: Any]? {
        var own = batch
        own.groups.removeAll { $0.participant != participant }
        guard !own.groups.isEmpty else { return nil }
        return ["scores": try JSONSerialization.jsonObject(with: Data(BatchEncoder.encode(own)))]
    }
}

extension PersonalData {
    /// The data of an alert store about a participant.
    /// - Parameters:
    ///   - transitions: those of the participant, oldest first.
    ///   - messages: everything else in the event log.
    init(of participant: String, transitions: [[UInt8]], messages: [[UInt8]], groups: [StoredNotifierGroup]) throws {
        self.init()
        let events = try transitions.compactMap { try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any] }
        let scores = try messages.compactMap { try StoredScores($0)?.personalData(of: participant) }
        try add("transitions", events + scores)
        try add("notifications", groups.compactMap { try $0.personalData(of: participant) })
    }
}
