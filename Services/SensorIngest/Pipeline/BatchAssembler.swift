package import VigilSchema

/// Sorts observations of many devices into canonical batches: one a partition and kind, closed at a size or a count.
///
/// Within a device the order is kept: its readings stay in the order in which they were added, and so do its waveforms.
package struct BatchAssembler: Sendable {
    /// The limits at which a batch is closed, besides there being nothing more to add.
    package struct Limits: Sendable, Hashable {
        /// Estimated bytes of the encoded batch. Architecture: at most 256 KiB.
        package var bytes: Int
        /// Observations.
        package var count: Int

        package init(bytes: Int = 240 << 10, count: Int = 5000) {
            self.bytes = bytes
            self.count = count
        }
    }

    /// A closed batch and where it goes.
    package struct Closed: Sendable {
        package let topic: Topic
        package let batch: ObservationBatch
        /// The receipt requests whose readings it holds, and which those are.
        package let receiptRequests: [ReceiptCoverage]
        /// The line in which it waits, of the device that sent more than its budget; nil where it need not.
        package var line: String?
    }

    private let limits: Limits
    private var open: [Topic: OpenBatch] = [:]
    /// The open batches' topics, in the order in which they were opened.
    private var order: [Topic] = []
    /// The open batches of devices that send more than their budgets, by their lines, and these in the order in which they were opened.
    private var deferred: [Line: OpenBatch] = [:]
    private var deferredOrder: [Line] = []
    /// Small, so that others' batches have their turn between two of them.
    private static let deferredLimits = Limits(bytes: 48 << 10, count: 500)

    private struct Line: Hashable {
        let topic: Topic
        let address: DeviceAddress
    }
    private var closed: [Closed] = []

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// The longest block of samples that stays whole: with it a batch stays below 256 KiB.
    package static let longestBlock = 8192

    /// The longest time that one block may last, in seconds: the store takes none that is longer.
    private static let longestTime = 86_400.0

    /// The samples of a block that stay together.
    private static func together(period: Double) -> Int {
        guard period > 0 else { return longestBlock }
        return Int(min(Double(longestBlock), max(1, (longestTime / period).rounded(.down))))
    }

    /// Adds an observation to its batch, closing the batch when it is full. A block of very many samples, or of more than a day, is added in parts.
    /// - Parameter ask: the place of the wish for a receipt that covers the observation.
    package mutating func add(
        _ observation: Observation, from address: DeviceAddress, part: String? = nil, session: String?, received: Timestamp,
        ask: Int? = nil,
        isDeferred: Bool = false
    ) {
        guard case .samples(let samples, let period) = observation.content, case let size = Self.together(period: period),
            samples.count > size
        else {
            return addWhole(observation, from: address, part: part, session: session, received: received, ask: ask, isDeferred: isDeferred)
        }
        for start in stride(from: 0, to: samples.count, by: size) {
            var piece = observation
            piece.time = observation.time.advanced(bySeconds: Double(start) * period)
            piece.content = .samples(Array(samples[start..<min(start + size, samples.count)]), period: period)
            addWhole(
                piece, from: address, part: part, session: session, received: received, ask: ask, continues: start > 0,
                isDeferred: isDeferred)
        }
    }

    private mutating func addWhole(
        _ observation: Observation, from address: DeviceAddress, part: String?, session: String?, received: Timestamp, ask: Int?,
        continues: Bool = false, isDeferred: Bool
    ) {
        let topic: Topic
        if case .samples = observation.content { topic = .waveforms(address.partition) } else { topic = .readings(address.partition) }
        let key = OpenBatch.GroupKey(address: address, part: part, session: session)
        if isDeferred {
            return addDeferred(observation, key, Line(topic: topic, address: address), received: received, ask: ask, continues: continues)
        }
        if open[topic] == nil { order.append(topic) }
        let isFull = open[topic, default: OpenBatch()].add(
            observation, key, received: received, ask: ask, continues: continues, limits: limits)
        if isFull { close(topic, at: received) }
    }

    private mutating func addDeferred(
        _ observation: Observation, _ key: OpenBatch.GroupKey, _ line: Line, received: Timestamp, ask: Int?, continues: Bool
    ) {
        if deferred[line] == nil { deferredOrder.append(line) }
        let isFull = deferred[line, default: OpenBatch()].add(
            observation, key, received: received, ask: ask, continues: continues, limits: Self.deferredLimits)
        if isFull { close(line, at: received) }
    }

    private mutating func close(_ line: Line, at time: Timestamp) {
        guard let full = deferred.removeValue(forKey: line) else { return }
        closed.append(full.closed(line.topic, line: DeferredLines.name(line.address), at: time))
    }

    /// Closes everything and returns it, in the order in which the batches were filled.
    package mutating func finish(at time: Timestamp) -> [Closed] {
        for topic in order { close(topic, at: time) }
        for line in deferredOrder { close(line, at: time) }
        defer {
            closed.removeAll(keepingCapacity: true)
            order.removeAll(keepingCapacity: true)
            deferredOrder.removeAll()
        }
        return closed
    }

    private mutating func close(_ topic: Topic, at time: Timestamp) {
        guard let full = open.removeValue(forKey: topic) else { return }
        closed.append(full.closed(topic, line: nil, at: time))
    }
}

/// A canonical batch that is still being filled.
struct OpenBatch: Sendable {
    /// The properties that the observations of a group share.
    struct GroupKey: Hashable {
        let address: DeviceAddress
        let part: String?
        let session: String?

        /// The device, or the part of it that measured.
        var source: String { part.map { "\(address.device)/\($0)" } ?? address.device }
    }

    private(set) var groups: [ObservationGroup] = []
    /// The receipt requests whose readings it holds, in order.
    private(set) var receiptRequests: [ReceiptCoverage] = []
    private var places: [GroupKey: Int] = [:]
    private var last: (key: GroupKey, place: Int)?
    private var bytes = 0
    private var count = 0

    /// Adds the observation to its group; true where the batch is full with it.
    /// - Parameter continues: A Boolean value that indicates whether it is the rest of one that was added in parts.
    mutating func add(
        _ observation: Observation, _ key: GroupKey, received: Timestamp, ask: Int?, continues: Bool, limits: BatchAssembler.Limits
    ) -> Bool {
        let place = place(of: key, received: received)
        if let ask {
            if receiptRequests.last?.request != ask { receiptRequests.append(ReceiptCoverage(request: ask)) }
            receiptRequests[receiptRequests.count - 1].add(
                group: place, observation: groups[place].observations.count, continues: continues)
        }
        groups[place].observations.append(observation)
        bytes += observation.estimatedSize
        count += 1
        return bytes >= limits.bytes || count >= limits.count
    }

    func closed(_ topic: Topic, line: String?, at time: Timestamp) -> BatchAssembler.Closed {
        BatchAssembler.Closed(
            topic: topic, batch: ObservationBatch(id: ULID.make(at: time), groups: groups), receiptRequests: receiptRequests, line: line)
    }

    private mutating func place(of key: GroupKey, received: Timestamp) -> Int {
        if let last, last.key == key { return last.place }
        let place = places[key] ?? groups.count
        if place == groups.count {
            groups.append(
                ObservationGroup(
                    participant: key.address.participant, source: key.source, session: key.session, received: received,
                    observations: []))
            places[key] = place
            bytes += 150 + key.source.escapedSize + (key.session?.escapedSize ?? 0)
        }
        last = (key, place)
        return place
    }
}

extension Observation {
    /// About how many bytes it takes in a canonical batch.
    fileprivate var estimatedSize: Int {
        // Those of the catalogue are far shorter than what the hundred bytes have room for.
        let names = max(0, metric.escapedSize + unit.escapedSize - 40)
        return switch content {
        case .value: 100 + names
        case .text(let text): 100 + names + text.escapedSize
        // A sample takes five to eight bytes when it comes from a converter, up to twenty when it was computed.
        case .samples(let samples, _): 100 + names + samples.count * 10
        }
    }
}

extension String {
    /// The bytes that it takes in JSON, without the quotes: a device may send names and texts of nothing but control characters.
    fileprivate var escapedSize: Int {
        utf8.reduce(0) { size, byte in
            switch byte {
            case 0x22, 0x5C: size + 2
            case 0..<0x20: size + 6
            default: size + 1
            }
        }
    }
}
