import Access
import MessageBus
import ServiceKit
import Settings
import VigilSchema

/// Has everything that ingest remembers of a participant forgotten: devices, bindings, wishes for receipts, newest readings, topics that were announced
/// for the person.
///
/// Where mapping files or polled servers name the participant, the order fails until they do not: what they name would come again. It fails too while the timeline has
/// not confirmed a batch that holds the participant's readings, which is not thrown away as it holds others' too; and is given again.
struct ParticipantErasure: Sendable {
    let registry: DeviceRegistry
    let shared: SharedDecisions?
    let deviceRules: DeviceRules
    let statuses: DeviceStatusTracker
    let outbox: Outbox
    let latest: LatestValueCache
    let publisher: any MessagePublisher
    let mappings: MappingErasure
    /// The servers that are asked.
    var polled: [PolledSource] = []
    /// Waits between two looks at the outbox.
    var clock: any Clock<Duration> = ContinuousClock()

    /// The number of looks at the outbox, a quarter of a second apart.
    private static let looks = 20

    /// - Returns: the number of things that were removed, by what they are.
    func erase(_ participant: String) async throws -> [String: Int] {
        // First of all: what is left there would be learnt from there again.
        let decisions = try await shared?.erase(participant: participant)
        deviceRules.erase(participant: participant)
        statuses.erase(participant: participant)
        let devices = try await registry.erase(participant: participant)
        let topics = latest.erase(participant: participant)
        for topic in topics { try await publisher.publish(OutgoingMessage(topic: topic.path, payload: [], retained: true)) }
        var wishes = 0
        for look in 1...Self.looks {
            let found = try await outbox.erase(participant: participant)
            wishes += found.wishes
            if found.waiting == 0 { break }
            guard look < Self.looks else { throw Unconfirmed(batches: found.waiting) }
            try await clock.sleep(for: .milliseconds(250))
        }
        let announced = mappings.forget(participant)
        try mappings.check(participant)
        if let source = polled.first(where: { !$0.url.current.isEmpty && $0.participant.current == participant }) {
            throw StillAsked(source: source.name)
        }
        var removed = ["devices": devices, "newest readings": topics.count, "wishes for receipts": wishes]
        removed["shared decisions"] = decisions
        return removed.merging(announced) { $0 + $1 }
    }

    /// - Returns: what would be removed.
    func export(_ participant: String) async throws -> PersonalData {
        var data = try await registry.personalData(of: participant)
        if let shared { data.merge(try PersonalData("shared decisions", try await shared.about(participant))) }
        data.merge(try PersonalData("newest readings", latest.newest(of: participant)))
        data.merge(try await outbox.personalData(of: participant))
        data.merge(try mappings.export(participant))
        return data
    }

    private struct StillAsked: Error, CustomStringConvertible {
        let source: String
        var description: String {
            "the \(source) server is still asked for the participant's readings: set \(source)-url to nothing, and ask again"
        }
    }

    private struct Unconfirmed: Error, CustomStringConvertible {
        let batches: Int
        var description: String { "\(batches) batches with readings of the participant wait for the timeline; ask again when it is there" }
    }
}
