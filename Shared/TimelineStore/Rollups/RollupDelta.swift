import VigilSchema

/// What an append adds to the rollups, and which buckets it has to count anew.
struct RollupDelta {
    private(set) var minutes: [RollupKey: Aggregate] = [:]
    /// Minutes in which a reading was replaced or removed: they cannot be corrected by adding.
    private(set) var recounts: Set<RollupKey> = []

    // Neighbouring rows mostly fall into one minute: it is kept out of the dictionary until another comes.
    private var current: (key: RollupKey, aggregate: Aggregate)?

    /// Takes a new number in; a text adds nothing.
    mutating func add(_ reading: Reading) {
        guard reading.text == Reading.none else { return }
        let key = RollupKey(reading.identity, level: .minute)
        let one = Aggregate(
            value: reading.value, time: Timestamp(microseconds: reading.identity.time), sequence: reading.identity.sequence)
        if current?.key == key {
            current?.aggregate.merge(one)
        } else {
            flush()
            current = (key, one)
        }
    }

    /// Notes that a reading's minute has to be counted anew.
    mutating func recount(_ identity: Identity) { recounts.insert(RollupKey(identity, level: .minute)) }

    /// Must be called before the minutes are read.
    mutating func flush() {
        guard let (key, aggregate) = current else { return }
        current = nil
        Self.merge(aggregate, at: key, into: &minutes)
    }

    /// The sums of a level, in the order of their keys.
    func sums(_ level: RollupLevel) -> [(key: RollupKey, aggregate: Aggregate)] {
        guard level != .minute else { return sorted(minutes) }
        var sums: [RollupKey: Aggregate] = [:]
        // In the minutes' order, so that the sums' rounding does not depend on a dictionary's.
        for (key, aggregate) in sorted(minutes) { Self.merge(aggregate, at: key.coarser(level), into: &sums) }
        return sorted(sums)
    }

    private func sorted(_ sums: [RollupKey: Aggregate]) -> [(key: RollupKey, aggregate: Aggregate)] {
        sums.sorted { $0.key < $1.key }.map { (key: $0.key, aggregate: $0.value) }
    }

    private static func merge(_ aggregate: Aggregate, at key: RollupKey, into sums: inout [RollupKey: Aggregate]) {
        if var known = sums[key] {
            known.merge(aggregate)
            sums[key] = known
        } else {
            sums[key] = aggregate
        }
    }
}
