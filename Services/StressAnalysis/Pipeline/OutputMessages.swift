import MessageBus
import VigilSchema

/// Puts derived observations of many people into batches, one or more a partition.
enum OutputMessages {
    /// About how many observations stay below the bus's 256 KiB a batch.
    private static let largest = 1500

    /// The messages to publish. A participant's observations keep their order.
    static func of(_ pending: [String: [Observation]], at time: Timestamp) -> [OutgoingMessage] {
        var groups: [Partition: [ObservationGroup]] = [:]
        for (participant, observations) in pending.sorted(by: { $0.key < $1.key }) {
            for start in stride(from: 0, to: observations.count, by: largest) {
                let part = Array(observations[start..<min(start + largest, observations.count)])
                groups[Partition(participant: participant), default: []].append(
                    ObservationGroup(participant: participant, source: StressEngine.source, received: time, observations: part))
            }
        }
        return groups.sorted { $0.key < $1.key }.flatMap { partition, groups in
            split(groups).map { message(partition, $0, at: time) }
        }
    }

    private static func split(_ groups: [ObservationGroup]) -> [[ObservationGroup]] {
        var batches: [[ObservationGroup]] = []
        var room = 0
        for group in groups {
            if group.observations.count > room {
                batches.append([])
                room = largest
            }
            batches[batches.count - 1].append(group)
            room -= group.observations.count
        }
        return batches
    }

    private static func message(_ partition: Partition, _ groups: [ObservationGroup], at time: Timestamp) -> OutgoingMessage {
        OutgoingMessage(
            topic: Topic.readings(partition).path,
            payload: BatchEncoder.encode(ObservationBatch(id: ULID.make(at: time), groups: groups)),
            properties: MessageProperties(contentType: MediaType.batch))
    }
}
