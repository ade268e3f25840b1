import MessageBus
import VigilSchema

/// Batches that are larger than the broker takes are divided, down to single observations; one that is too large by itself is refused in words.
extension BatchAssembler.Closed {
    /// The most bytes of an encoded batch: brokers that take no more than half a MiB are warned of at the start, and the packet is more than the batch.
    static let largest = 480 << 10

    /// Two batches in its place, with ids of their own.
    var halves: [BatchAssembler.Closed] {
        var (group, rest) = (0, batch.count / 2)
        while rest >= batch.groups[group].observations.count {
            rest -= batch.groups[group].observations.count
            group += 1
        }
        var (first, second) = (Array(batch.groups[..<group]), Array(batch.groups[group...]))
        if rest > 0 {
            var begun = batch.groups[group]
            begun.observations = Array(begun.observations[..<rest])
            first.append(begun)
            second[0].observations.removeFirst(rest)
        }
        let divided = receiptRequests.map { $0.divided(atGroup: group, observation: rest) }
        return [half(first, divided.compactMap(\.before)), half(second, divided.compactMap(\.after))]
    }

    private func half(_ groups: [ObservationGroup], _ receiptRequests: [ReceiptCoverage]) -> BatchAssembler.Closed {
        var half = batch
        half.groups = groups
        if let received = groups.first?.received { half.id = ULID.make(at: received) }
        return BatchAssembler.Closed(topic: topic, batch: half, receiptRequests: receiptRequests, line: line)
    }
}

extension IngestResult {
    /// Puts the halves of a batch that the broker finds too large in its place; of a single observation, a refusal.
    /// - Returns: true where it was divided.
    mutating func divide(_ id: String) -> Bool {
        guard let place = batches.firstIndex(where: { $0.batch.id == id }) else { return false }
        guard batches[place].batch.count == 1 else {
            batches.replaceSubrange(place...place, with: batches[place].halves)
            return true
        }
        refuse(batches.remove(at: place))
        return false
    }

    private mutating func refuse(_ single: BatchAssembler.Closed) {
        guard let group = single.batch.groups.first, let observation = group.observations.first else { return }
        let device = group.source.split(separator: "/").first.map(String.init) ?? group.source
        let payload = BatchEncoder.encode(observation)
        let error = PayloadError(
            .tooLarge, "the broker between the services takes no message as large as this reading's, \(payload.count) bytes")
        let topic = Topic.ingest(participant: group.participant, device: device)
        refusals.append(
            Rejection(
                address: DeviceAddress(participant: group.participant, device: device), error: error, count: 1, topic: topic.path,
                payload: payload))
        (accepted, refused) = (accepted - 1, refused + 1)
        for coverage in single.receiptRequests {
            // The rest of a block that was divided is no reading of its own.
            if !coverage.isContinuation(group: 0, observation: 0) { receiptRequests[coverage.request].accepted -= 1 }
            receiptRequests[coverage.request].refused += 1
            receiptRequests[coverage.request].reason = receiptRequests[coverage.request].reason ?? error.reason
        }
    }
}
