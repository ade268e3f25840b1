import VigilSchema

/// What an append adds to the rollups, and which buckets it has to count anew.
struct RollupDelta {
    private var sums: [(key: RollupKey, aggregate: Aggregate)] = []
    private var places: [RollupKey: Int] = [:]
    /// Minutes in which a reading was replaced or removed: they cannot be corrected by adding.
    private(set) var recounts: Set<RollupKey> = []

    /// Where the newest minutes of a few series stand in `sums`, by the series' lowest bits: neighbouring rows mostly fall into the
    /// minutes of the rows before, which are then found without hashing.
    private var recent = [Int](repeating: -1, count: 1024)

    /// Takes a new number in; a text adds nothing.
    mutating func add(_ reading: Reading) {
        guard reading.text == Reading.none else { return }
        let key = RollupKey(reading.identity, level: .minute)
        let one = Aggregate(
            value: reading.value, time: Timestamp(microseconds: reading.identity.time), sequence: reading.identity.sequence)
        let slot = Int(key.participant &* 8 ^ key.metric ^ key.source &* 64) & 1023
        let place = recent[slot]
        if place >= 0, sums[place].key == key { return sums[place].aggregate.merge(one) }
        if let place = places[key] {
            sums[place].aggregate.merge(one)
            recent[slot] = place
        } else {
            places[key] = sums.count
            recent[slot] = sums.count
            sums.append((key, one))
        }
    }

    /// Notes that a reading's minute has to be counted anew.
    mutating func recount(_ identity: Identity) { recounts.insert(RollupKey(identity, level: .minute)) }

    /// The sums of every level, each in the order of its keys.
    func levels() -> [(level: RollupLevel, sums: [(key: RollupKey, aggregate: Aggregate)])] {
        var finer = sums.sorted { $0.key < $1.key }
        return RollupLevel.allCases.map { level in
            if level != .minute { finer = Self.coarser(finer, level) }
            return (level, finer)
        }
    }

    /// The sums of a coarser level. Of one series' bucket the parts follow one another but for other sources' between them.
    private static func coarser(
        _ sums: [(key: RollupKey, aggregate: Aggregate)], _ level: RollupLevel
    ) -> [(key: RollupKey, aggregate: Aggregate)] {
        var result: [(key: RollupKey, aggregate: Aggregate)] = []
        for (key, aggregate) in sums {
            let key = key.coarser(level)
            let known = result.lastIndex { $0.key == key || !$0.key.isBeside(key) }
            if let known, result[known].key == key {
                result[known].aggregate.merge(aggregate)
            } else {
                result.append((key, aggregate))
            }
        }
        return result.sorted { $0.key < $1.key }
    }
}
