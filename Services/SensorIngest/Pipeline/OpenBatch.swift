import VigilSchema

/// A canonical batch that is still being filled.
struct OpenBatch: Sendable {
    /// What the observations of a group share.
    struct GroupKey: Hashable {
        let address: DeviceAddress
        let session: String?
    }

    private(set) var groups: [ObservationGroup] = []
    /// Who asked for a receipt and has readings in it, in order.
    private(set) var receiptRequests: [Int] = []
    private var places: [GroupKey: Int] = [:]
    private var last: (key: GroupKey, place: Int)?
    private var bytes = 0
    private var count = 0

    /// Adds the observation to its group; true where the batch is full with it.
    mutating func add(
        _ observation: Observation, _ key: GroupKey, received: Timestamp, ask: Int?, limits: BatchAssembler.Limits
    ) -> Bool {
        if let ask, receiptRequests.last != ask { receiptRequests.append(ask) }
        let place = place(of: key, received: received)
        groups[place].observations.append(observation)
        bytes += observation.estimatedSize
        count += 1
        return bytes >= limits.bytes || count >= limits.count
    }

    private mutating func place(of key: GroupKey, received: Timestamp) -> Int {
        if let last, last.key == key { return last.place }
        let place = places[key] ?? groups.count
        if place == groups.count {
            groups.append(
                ObservationGroup(
                    participant: key.address.participant, source: key.address.device, session: key.session, received: received,
                    observations: []))
            places[key] = place
            bytes += 150
        }
        last = (key, place)
        return place
    }
}

extension Observation {
    /// About how many bytes it takes in a canonical batch.
    fileprivate var estimatedSize: Int {
        switch content {
        case .value: 100
        case .text(let text): 100 + text.utf8.count
        // A sample takes five to eight bytes when it comes from a converter, up to twenty when it was computed.
        case .samples(let samples, _): 100 + samples.count * 10
        }
    }
}
