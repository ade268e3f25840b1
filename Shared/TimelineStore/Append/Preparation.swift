import VigilSchema

/// Turns batches into rows, refusing what no database should hold.
struct Preparation<Connection: SQLConnection> {
    /// Longer names would not fit an index.
    private static var longestName: Int { 256 }
    /// 1 January of the years 1 and 10000, in microseconds: what both databases and ISO 8601 can write.
    private static var times: Range<Int64> { -62_135_596_800_000_000..<253_402_300_800_000_000 }

    let connection: Connection
    let zstd: ZstdContext
    var dimensions: DimensionCache
    private(set) var prepared: Prepared
    /// The metrics met last: a device's few alternate, and comparing a name with theirs costs less than hashing it.
    private var recent: [(name: String, metric: DimensionCache.Metric)] = []
    /// The group's source, whose readings over intervals have numbers of their own.
    private var source = ""

    init(connection: Connection, zstd: ZstdContext, dimensions: DimensionCache, batches: Int) {
        self.connection = connection
        self.zstd = zstd
        self.dimensions = dimensions
        prepared = Prepared(batches: batches)
    }

    /// The batches as rows.
    mutating func run(_ batches: [ObservationBatch]) throws(StoreError) {
        prepared.readings.reserveCapacity(batches.reduce(0) { $0 + $1.count })
        for (number, batch) in batches.enumerated() {
            let origin = try batch.origin.map { name throws(StoreError) in try dimensions.origin(name, on: connection) }
            for (index, group) in batch.groups.enumerated() {
                let place = RowPosition(batch: Int32(number), group: Int32(index), observation: 0)
                try add(group, at: place, origin: origin ?? ReadingRow.none)
            }
        }
        prepared.sort()
    }

    private mutating func add(_ group: ObservationGroup, at place: RowPosition, origin: Int32) throws(StoreError) {
        if let reason = refusal(group) {
            for index in group.observations.indices { prepared.reject(place.observation(index), reason) }
            return
        }
        guard !group.observations.isEmpty else { return }
        var row = ReadingRow(
            identity: Identity(time: 0, participant: 0, metric: 0, source: 0, sequence: 0), value: 0,
            received: group.received.microseconds, text: ReadingRow.none, session: ReadingRow.none, origin: origin, zone: .min,
            place: place)
        row.identity.participant = try dimensions.participant(group.participant, on: connection)
        prepared.names.insert(participant: group.participant, row.identity.participant)
        row.identity.source = try dimensions.source(group.source, on: connection)
        source = group.source
        if let session = group.session {
            row.session = try dimensions.session(session, of: row.identity.participant, on: connection)
            prepared.names.insert(session: session, of: row.identity.participant, row.session)
        }
        for (index, observation) in group.observations.enumerated() {
            row.place.observation = Int32(index)
            try add(observation, row)
        }
    }

    private mutating func add(_ observation: Observation, _ group: ReadingRow) throws(StoreError) {
        if let reason = Self.refusal(observation) { return prepared.reject(group.place, reason) }
        guard let metric = try known(observation) else {
            let reason = Self.refusal(observation.metric, "metric") ?? Self.refusal(observation.unit, "unit")
            return prepared.reject(group.place, reason ?? "the metric cannot be stored")
        }
        guard observation.unit == metric.unit else {
            return prepared.reject(group.place, "the unit is not \(metric.unit), which the metric is stored in")
        }
        var row = group
        row.identity.metric = metric.id
        row.identity.time = observation.time.microseconds
        row.identity.sequence = observation.sequence
        row.zone = observation.zone ?? .min
        if observation.interval != 0, !observation.content.isBlock {
            row.identity.source = try dimensions.source(source, interval: observation.interval, on: connection)
        }
        switch observation.content {
        case .value(let value):
            row.value = value
            prepared.readings.append(row)
        case .text(let text):
            row.text = Int32(prepared.texts.count)
            prepared.texts.append(text)
            prepared.readings.append(row)
        case .samples(let samples, let period):
            try add(samples, period, observation.metric, row)
        }
    }

    private mutating func add(_ samples: [Double], _ period: Double, _ name: String, _ row: ReadingRow) throws(StoreError) {
        let block = BlockRow(
            identity: row.identity, samples: samples, period: period, encoded: WaveformCodec.encode(samples, with: zstd),
            received: row.received, session: row.session, origin: row.origin, zone: row.zone, place: row.place)
        try dimensions.lengthen(name, to: block.ends - block.identity.time, on: connection)
        prepared.blocks.append(block)
    }

    /// The metric; nil where no database should hold its name or unit.
    private mutating func known(_ observation: Observation) throws(StoreError) -> DimensionCache.Metric? {
        for known in recent where known.name == observation.metric { return known.metric }
        if Self.refusal(observation.metric, "metric") != nil || Self.refusal(observation.unit, "unit") != nil { return nil }
        let metric = try dimensions.metric(observation.metric, unit: observation.unit, on: connection)
        if recent.count >= 8 { recent.removeAll(keepingCapacity: true) }
        recent.append((observation.metric, metric))
        return metric
    }

    private func refusal(_ group: ObservationGroup) -> String? {
        for (name, what) in [(group.participant, "participant"), (group.source, "source"), (group.session ?? "-", "session")] {
            if let reason = Self.refusal(name, what) { return reason }
        }
        return Self.times.contains(group.received.microseconds) ? nil : "the time of receipt is outside the years 1 to 9999"
    }

    private static func refusal(_ observation: Observation) -> String? {
        if !times.contains(observation.time.microseconds) { return "the time is outside the years 1 to 9999" }
        if !(0...Observation.longestInterval).contains(observation.interval) { return "the period is not 0 seconds to ten years" }
        switch observation.content {
        case .value(let value): return refusal(value, "value")
        case .text(let text) where text.utf8.count > Observation.longestText:
            return "the text is longer than \(Observation.longestText) bytes"
        case .text(let text): return text.utf8.contains(0) ? "the text contains a NUL" : nil
        case .samples(let samples, let period): return refusal(samples, period, from: observation.time.microseconds)
        }
    }

    private static func refusal(_ samples: [Double], _ period: Double, from start: Int64) -> String? {
        if samples.isEmpty { return "the block has no samples" }
        guard period.isFinite, period > 0 else { return "the period is not a positive number" }
        guard period * Double(samples.count) <= 86_400 else { return "the block is longer than a day" }
        guard let bad = samples.first(where: { !Observation.numbers.contains($0) }) else { return nil }
        return refusal(bad, "sample")
    }

    /// Numbers whose sum would be none would fail the sums of everybody's readings that come with them.
    private static func refusal(_ number: Double, _ what: String) -> String? {
        if Observation.numbers.contains(number) { return nil }
        let article = what == "value" ? "the" : "a"
        return number.isFinite ? "\(article) \(what) lies beyond 1e140" : "\(article) \(what) is not a finite number"
    }

    private static func refusal(_ name: String, _ what: String) -> String? {
        if name.isEmpty { return "the \(what) is empty" }
        if name.utf8.count > longestName { return "the \(what) is longer than \(longestName) bytes" }
        return name.utf8.contains(0) ? "the \(what) contains a NUL" : nil
    }
}

extension RowPosition {
    /// The place of another observation of the same group.
    func observation(_ index: Int) -> RowPosition { RowPosition(batch: batch, group: group, observation: Int32(index)) }
}

/// The observations of an append call as rows, with every name known to the database.
struct Prepared {
    var readings: [ReadingRow] = []
    var blocks: [BlockRow] = []
    /// The participants whose rows they are, and the sessions, or more.
    var names = RememberedNames()
    /// The texts that the readings' `text` refers to.
    var texts: [String] = []
    /// One for each batch; what was refused is in them already.
    var counts: [AppendCounts]

    init(batches: Int) { counts = Array(repeating: AppendCounts(), count: batches) }

    /// Puts the rows in the order of the tables' keys, so that a batch goes into neighbouring pages; of one identity the order of arrival
    /// stays.
    mutating func sort() {
        readings.sort { $0.identity == $1.identity ? $0.place < $1.place : $0.identity < $1.identity }
        blocks.sort { $0.identity == $1.identity ? $0.place < $1.place : $0.identity < $1.identity }
    }

    /// The text of a reading.
    func text(_ reading: ReadingRow) -> String? { reading.text == ReadingRow.none ? nil : texts[Int(reading.text)] }

    /// Notes that the observation at a place cannot be stored.
    mutating func reject(_ place: RowPosition, _ reason: String) {
        counts[Int(place.batch)].rejections.append(
            AppendRejection(group: Int(place.group), observation: Int(place.observation), reason: reason))
    }

    /// The same without the rows at these places, which are rejected for the reason beside them.
    func removing(_ poison: [RowPosition: String]) -> Prepared {
        var rest = self
        rest.readings.removeAll { poison[$0.place] != nil }
        rest.blocks.removeAll { poison[$0.place] != nil }
        for (place, reason) in poison { rest.reject(place, reason) }
        return rest
    }

    /// Only the rows at these places.
    func keeping(_ places: Set<RowPosition>) -> Prepared {
        var part = self
        part.readings.removeAll { !places.contains($0.place) }
        part.blocks.removeAll { !places.contains($0.place) }
        return part
    }
}

extension Observation.Content {
    fileprivate var isBlock: Bool {
        if case .samples = self { true } else { false }
    }
}
