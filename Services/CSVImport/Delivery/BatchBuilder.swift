package import VigilSchema

/// A batch in flight, with its index in the file's order.
package struct PreparedBatch: Sendable {
    /// From 0. Reading the same file in the same way gives the same batches in the same order.
    package let index: Int
    /// The partition of its participants.
    package let partition: Partition
    /// The batch.
    package let batch: ObservationBatch

    /// Whether all its readings are withheld; it then only keeps its index.
    package var isEmpty: Bool { batch.groups.isEmpty }
}

/// Divides readings into batches, each of one partition and bounded size, in an order that depends on the readings
/// only.
struct BatchBuilder {
    /// The JSON size at which a batch is closed: some 500 readings, which a store writes in a few milliseconds, so that
    /// live data need not wait long. The bus accepts 256 KiB.
    private static let largestBatch = 64_000
    /// `{"metric":"","time":1469477627.953672,"value":-12.345678901234567,"unit":"","zone":120,"seq":12},`
    private static let fixedSize = 100

    fileprivate struct Open {
        var groups: [ObservationGroup] = []
        var places: [Int32: Int] = [:]
        var size = 0
    }

    private let origin: String
    private let received: Timestamp
    private var open: [Partition: Open] = [:]
    private var next = 0

    /// - Parameters:
    ///   - origin: the import's id in the ledger.
    ///   - received: the time of the first import of the content, so that a repetition corrects nothing.
    init(origin: String, received: Timestamp) {
        self.origin = origin
        self.received = received
    }

    /// Adds a block and returns the full batches.
    mutating func add(_ block: ReadingBlock, subjects: [Subjects.Subject], metrics: [MetricPlan]) -> [PreparedBatch] {
        var full: [PreparedBatch] = []
        for group in block.groups { add(group, &full) }
        var start = 0
        while start < block.readings.count {
            let subject = block.readings[start].subject
            var end = start + 1
            while end < block.readings.count, block.readings[end].subject == subject { end += 1 }
            add(block, start..<end, subjects[Int(subject)], metrics, &full)
            start = end
        }
        return full
    }

    /// The remaining observations, by partition.
    mutating func finish() -> [PreparedBatch] {
        let partitions = open.keys.sorted()
        return partitions.compactMap { close($0) }
    }

    /// Adds observations from a Vigil export with their times of receipt.
    private mutating func add(_ group: ObservationGroup, _ full: inout [PreparedBatch]) {
        let partition = Partition(participant: group.participant)
        var head = group
        head.observations = []
        var batch = open.removeValue(forKey: partition) ?? Open()
        var isOpen = false
        for observation in group.observations {
            if !isOpen {
                batch.groups.append(head)
                batch.size += 200 + group.participant.utf8.count + group.source.utf8.count
                isOpen = true
            }
            batch.groups[batch.groups.count - 1].observations.append(observation)
            batch.size +=
                BatchBuilder.fixedSize + observation.metric.utf8.count + observation.unit.utf8.count
                + BatchBuilder.size(observation.content)
            guard batch.size >= BatchBuilder.largestBatch else { continue }
            open[partition] = batch
            if let closed = close(partition) { full.append(closed) }
            (batch, isOpen) = (Open(), false)
        }
        open[partition] = batch
    }

    /// Adds consecutive readings of one subject.
    private mutating func add(
        _ block: ReadingBlock, _ range: Range<Int>, _ subject: Subjects.Subject, _ metrics: [MetricPlan], _ full: inout [PreparedBatch]
    ) {
        let partition = subject.partition
        var batch = open.removeValue(forKey: partition) ?? Open()
        for index in range {
            let reading = block.readings[index]
            let metric = metrics[Int(reading.metric)]
            let content = block.content(of: reading)
            let place = batch.place(of: reading.subject, subject, received: received)
            if block.withheld.isEmpty || !block.withheld.contains(index) {
                batch.groups[place].observations.append(
                    Observation(
                        metric: metric.name, time: Timestamp(microseconds: reading.time), sequence: reading.sequence,
                        interval: reading.interval, content: content, unit: metric.unit,
                        zone: reading.zone == ParsedTime.noZone ? nil : reading.zone))
            }
            // Withheld readings count too, because a batch's index means the same part of the file in every run.
            batch.size += BatchBuilder.fixedSize + metric.name.utf8.count + metric.unit.utf8.count + BatchBuilder.size(content)
            if batch.size >= BatchBuilder.largestBatch {
                open[partition] = batch
                if let closed = close(partition) { full.append(closed) }
                batch = Open()
            }
        }
        open[partition] = batch
    }

    private static func size(_ content: Observation.Content) -> Int {
        switch content {
        case .value: 0
        case .text(let text): 2 * text.utf8.count
        case .samples(let samples, _): 20 * samples.count
        }
    }

    private mutating func close(_ partition: Partition) -> PreparedBatch? {
        guard let batch = open.removeValue(forKey: partition), !batch.groups.isEmpty else { return nil }
        next += 1
        return PreparedBatch(
            index: next - 1, partition: partition,
            batch: ObservationBatch(id: ULID.make(at: received), origin: origin, groups: batch.groups.filter { !$0.observations.isEmpty }))
    }
}

extension BatchBuilder.Open {
    /// The subject's group, created if missing.
    fileprivate mutating func place(of number: Int32, _ subject: Subjects.Subject, received: Timestamp) -> Int {
        if let known = places[number] { return known }
        groups.append(
            ObservationGroup(
                participant: subject.participant, source: subject.source, session: subject.session, received: received, observations: []))
        places[number] = groups.count - 1
        size += 200 + subject.participant.utf8.count + subject.source.utf8.count
        return groups.count - 1
    }
}
