import VigilSchema

extension LivePicture {
    static let mostWaves = 16
    static let mostSampleBytes = 24 << 20
    /// Ten times what sensors send in twelve seconds: of whom there is more the oldest blocks go, and nobody else's.
    static let mostBytesOfPerson = 4 << 20
    /// The time after which a waveform that has fallen silent is no live picture any more.
    static let silence = Duration.seconds(60)

    /// Takes a block of samples; false where there is no room for it.
    /// - Parameter now: when it came.
    mutating func take(_ block: Block, of participant: String, now: ContinuousClock.Instant = .now) -> Bool {
        while let oldest = order.oldest, oldest.came.duration(to: now) > Self.silence { drop(oldest) }
        guard known(participant), block.cost <= Self.mostBytesOfPerson, people[participant]?.hasRoom(for: block.metric) == true
        else { return false }
        let numbered = order.add(block, of: participant, now: now)
        people[participant]?.waves[block.metric, default: []].append(numbered)
        people[participant]?.sampleBytes += block.cost
        let horizon = block.end.advanced(bySeconds: -Self.waveSeconds)
        while let first = people[participant]?.waves[block.metric]?.first, first.number != numbered.number, first.end < horizon {
            removeFirst(of: block.metric, of: participant)
        }
        while let person = people[participant], person.sampleBytes > Self.mostBytesOfPerson, let metric = person.oldestWave {
            removeFirst(of: metric, of: participant)
        }
        while order.bytes > Self.mostSampleBytes, let oldest = order.oldest { drop(oldest) }
        if order.isSparse {
            let people = people
            order.sweep { people[$0.participant]?.waves[$0.metric]?.first?.number }
        }
        return true
    }

    /// Drops the block at the head of the order, unless it has gone already.
    private mutating func drop(_ oldest: BlockOrder.Place) {
        order.removeOldest()
        guard people[oldest.participant]?.waves[oldest.metric]?.first?.number == oldest.number else { return }
        removeFirst(of: oldest.metric, of: oldest.participant)
    }

    private mutating func removeFirst(of metric: String, of participant: String) {
        guard let removed = people[participant]?.waves[metric]?.removeFirst() else { return }
        people[participant]?.sampleBytes -= removed.cost
        order.removed(removed)
        if people[participant]?.waves[metric]?.isEmpty == true { people[participant]?.waves[metric] = nil }
    }
}

extension LivePicture.Block {
    /// The newest samples of what came, as many as the picture shows.
    init(metric: String, source: String, time: Timestamp, period: Double, samples: [Double], unit: String) {
        let most = (LivePicture.waveSeconds / period).rounded(.up)
        let left = most < Double(samples.count) ? samples.count - max(1, Int(most)) : 0
        self.init(
            metric: metric, source: source, time: left == 0 ? time : time.advanced(bySeconds: Double(left) * period), period: period,
            samples: EncodedSamples(left == 0 ? samples : Array(samples[left...])), unit: unit)
    }

    /// The bytes that it takes, with about what is kept beside its samples.
    var cost: Int { samples.base64.utf8.count + 256 }
}

extension LivePicture.Person {
    fileprivate func hasRoom(for metric: String) -> Bool { waves[metric] != nil || waves.count < LivePicture.mostWaves }

    /// The waveform whose first block came before all others'.
    fileprivate var oldestWave: String? {
        waves.min { ($0.value.first?.number ?? .max) < ($1.value.first?.number ?? .max) }?.key
    }
}

/// The order in which all blocks came, so that the oldest of anybody makes way, and the bytes that they take. A value.
///
/// A block that went for another reason leaves its place behind, which is passed over, and swept out where there are many.
struct BlockOrder {
    struct Place {
        let number: Int
        let participant: String
        let metric: String
        let came: ContinuousClock.Instant
    }

    /// What all blocks take.
    private(set) var bytes = 0
    private var count = 0
    private var next = 0
    private var places: [Place] = []
    private var head = 0

    var oldest: Place? { head < places.count ? places[head] : nil }

    mutating func add(_ block: LivePicture.Block, of participant: String, now: ContinuousClock.Instant) -> LivePicture.Block {
        var block = block
        next += 1
        block.number = next
        (count, bytes) = (count + 1, bytes + block.cost)
        places.append(Place(number: next, participant: participant, metric: block.metric, came: now))
        return block
    }

    mutating func removeOldest() { head += 1 }

    mutating func removed(_ block: LivePicture.Block) { (count, bytes) = (count - 1, bytes - block.cost) }

    mutating func forget(_ person: LivePicture.Person) {
        for block in person.waves.values.joined() { removed(block) }
    }

    /// A Boolean value that indicates whether most places are those of blocks that have gone.
    var isSparse: Bool { places.count > 2 * count + 1024 }

    /// Sweeps out the places of blocks that have gone.
    /// - Parameter first: the number of the first block that a waveform still has.
    mutating func sweep(_ first: (Place) -> Int?) {
        places = places[head...].filter { place in first(place).map { $0 <= place.number } ?? false }
        head = 0
    }
}
