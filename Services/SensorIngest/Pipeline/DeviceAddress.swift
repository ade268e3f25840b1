package import VigilSchema

/// Who sends on an `ingest/<participant>/<device>` topic.
package struct DeviceAddress: Hashable, Sendable {
    package let participant: String
    package let device: String
    /// The participant's share of the bus.
    package let partition: Partition

    package init(participant: String, device: String) {
        self.participant = participant
        self.device = device
        partition = Partition(participant: participant)
    }

    /// Stands in where the topic names nobody.
    package static let unknown = DeviceAddress(participant: "unknown", device: "unknown")
}
