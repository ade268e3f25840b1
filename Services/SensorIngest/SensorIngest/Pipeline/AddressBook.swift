import VigilSchema

/// Remembers which topic is whose, because parsing a topic costs more than decoding a reading.
///
/// Bounded: publishers choose their topics, so that it is emptied when it has grown to `capacity`.
struct AddressBook {
    private var known: [String: DeviceAddress] = [:]
    private let capacity: Int

    init(capacity: Int = 50_000) { self.capacity = capacity }

    /// The sender on a topic below `ingest/`.
    mutating func address(of topic: String) throws(PayloadError) -> DeviceAddress {
        if let address = known[topic] { return address }
        let address = try parse(topic)
        if known.count >= capacity { known.removeAll(keepingCapacity: true) }
        known[topic] = address
        return address
    }

    private func parse(_ topic: String) throws(PayloadError) -> DeviceAddress {
        do {
            guard case .ingest(let participant, let device) = try Topic(parsing: topic) else {
                throw PayloadError(.badTopic, "devices publish on vigil/v1/ingest/<participant>/<device>")
            }
            return DeviceAddress(participant: participant, device: device)
        } catch let error as PayloadError {
            throw error
        } catch {
            throw PayloadError(.badTopic, "\(error); devices publish on vigil/v1/ingest/<participant>/<device>")
        }
    }
}
