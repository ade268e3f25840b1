extension AlertState {
    /// The bit of the first byte by which nothing follows but flags.
    private static let bare: UInt8 = 0x80

    func encode(into writer: inout ByteWriter) {
        var plain = AlertState()
        plain.flags = flags
        // Most of those that are kept at all are rules that are not for this person.
        if self == plain { return writer.write(Self.bare | flags.rawValue) }
        for byte in [phase.rawValue, severity.rawValue, acknowledged.rawValue, flags.rawValue, rearm.rawValue, silence.rawValue, stage] {
            writer.write(byte)
        }
        for number in [Int64(sequence), since, alarmedClock, silencedUntil, endedClock] { writer.write(number) }
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        let first = try reader.byte()
        if first & Self.bare != 0 {
            flags = try AlertState.flags(first & ~Self.bare)
            return
        }
        guard let phase = Phase(rawValue: first) else { throw ByteReader.Damage() }
        self.phase = phase
        severity = try reader.severity()
        acknowledged = try reader.severity()
        flags = try AlertState.flags(try reader.byte())
        rearm = try reader.severity()
        silence = try reader.severity()
        stage = try reader.byte()
        sequence = try reader.sequence()
        since = try reader.time()
        alarmedClock = try reader.time()
        silencedUntil = try reader.time()
        endedClock = try reader.time()
    }

    /// A bit that no flag has was not written by Vigil; kept, it would be read as something else the next time.
    private static func flags(_ byte: UInt8) throws(ByteReader.Damage) -> Flags {
        let flags = Flags(rawValue: byte)
        guard flags.isSubset(of: .all) else { throw ByteReader.Damage() }
        return flags
    }
}

extension ByteReader {
    mutating func severity() throws(Damage) -> Severity {
        guard let severity = Severity(rawValue: try byte()) else { throw Damage() }
        return severity
    }
}

extension LevelState {
    /// The bit of the phase's byte by which readings and missed ones follow.
    private static let counted: UInt8 = 0x10

    func encode(into writer: inout ByteWriter) {
        let isCounted = (phase == .pending || phase == .keeping) && readings > 1
        writer.write(phase.rawValue | (isCounted ? Self.counted : 0))
        writer.write(since)
        writer.write(sinceClock)
        guard isCounted else { return }
        for number in [readings, missed] { writer.write(Int64(number)) }
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        let first = try reader.byte()
        guard let phase = Phase(rawValue: first & ~Self.counted) else { throw ByteReader.Damage() }
        self.init(phase: phase, readings: phase == .idle ? 0 : 1, since: try reader.time(), sinceClock: try reader.time())
        guard first & Self.counted != 0 else { return }
        let (readings, missed) = (try reader.integer(), try reader.integer())
        guard let readings = UInt16(exactly: readings), let missed = UInt16(exactly: missed), missed <= readings else {
            throw ByteReader.Damage()
        }
        (self.readings, self.missed) = (readings, missed)
    }
}

extension LeafState {
    /// The lowest bits of the first number.
    private enum Bit { static let satisfied: UInt8 = 1, exceeded: UInt8 = 2, unseen: UInt8 = 4, twin: UInt8 = 8 }

    /// - Parameters:
    ///   - distance: from the leaf that was written before it.
    ///   - base: a time near its own, from which times are written as distances.
    ///   - twin: the number of one written before it that knows the same of the series.
    func encode(into writer: inout ByteWriter, distance: Int, base: Int64, twin: Int?) {
        var bits = isSatisfied ? Bit.satisfied : 0
        if isExceeded { bits |= Bit.exceeded }
        if unseen > 0 { bits |= Bit.unseen }
        if twin != nil { bits |= Bit.twin }
        // Most are neighbours: the distance and the bits are one byte together.
        writer.write(distance << 4 | Int(bits))
        if let twin { return writer.write(twin) }
        writer.write(time - base)
        writer.write(arrival - base)
        writer.write(compact: value)
        writer.write(gaps)
        writer.write(Int64(interval))
        writer.write(runClock - base)
        if unseen > 0 { writer.write(Int64(unseen)) }
    }

    /// Reads one, and its distance from the one before.
    /// - Parameter before: those that were read before it, in order.
    static func read(
        _ reader: inout ByteReader, base: Int64, before: [LeafState]
    ) throws(ByteReader.Damage) -> (distance: Int, leaf: LeafState) {
        let head = try reader.integer()
        guard head > 0, let distance = Int(exactly: head >> 4) else { throw ByteReader.Damage() }
        return (distance, try LeafState(&reader, bits: UInt8(head & 15), base: base) { before.indices.contains($0) ? before[$0] : nil })
    }

    private init(_ reader: inout ByteReader, bits: UInt8, base: Int64, twin: (Int) -> LeafState?) throws(ByteReader.Damage) {
        self.init()
        if bits & Bit.twin != 0 {
            guard let known = twin(Int(try reader.integer())) else { throw ByteReader.Damage() }
            self = known
        } else {
            (time, arrival) = (try reader.time(from: base), try reader.time(from: base))
            value = try reader.compactNumber()
            (gaps, interval) = (try reader.byte(), UInt32(clamping: try reader.integer()))
            runClock = try reader.time(from: base)
            if bits & Bit.unseen != 0 { unseen = UInt32(clamping: try reader.integer()) }
        }
        (isSatisfied, isExceeded) = (bits & Bit.satisfied != 0, bits & Bit.exceeded != 0)
    }

    /// Returns whether it knows the same of the series as another, whatever it makes of it.
    func knowsSame(as other: LeafState) -> Bool {
        var same = other
        (same.isSatisfied, same.isExceeded) = (isSatisfied, isExceeded)
        return self == same && value.bitPattern == other.value.bitPattern
    }
}

extension ValueWindow {
    func encode(into writer: inout ByteWriter) {
        writer.write(buckets.count)
        for bucket in buckets {
            let isSingle = bucket == Bucket(bucket.first, at: bucket.firstTime, number: bucket.number)
            writer.write(isSingle)
            for number in [bucket.number, bucket.firstTime] { writer.write(number) }
            writer.write(compact: bucket.first)
            guard !isSingle else { continue }
            writer.write(bucket.lastTime)
            for number in [bucket.last, bucket.least, bucket.most, bucket.sum, bucket.count] { writer.write(compact: number) }
        }
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        var buckets: [Bucket] = []
        for _ in 0..<(try reader.count()) {
            let isSingle = try reader.bool()
            let (number, firstTime) = (try reader.integer(), try reader.time())
            var bucket = Bucket(try reader.compactNumber(), at: firstTime, number: number)
            if !isSingle {
                bucket.lastTime = try reader.time()
                (bucket.last, bucket.least, bucket.most) = (
                    try reader.compactNumber(), try reader.compactNumber(), try reader.compactNumber()
                )
                (bucket.sum, bucket.count) = (try reader.compactNumber(), try reader.compactNumber())
            }
            buckets.append(bucket)
        }
        self.init()
        restore(buckets)
    }
}

extension ValueHistory {
    func encode(into writer: inout ByteWriter) {
        writer.write(Int64(bitPattern: bins.indices.reduce(0) { bins[$1] == 0 ? $0 : $0 | 1 << UInt64($1) }))
        for bin in bins where bin != 0 { writer.write(bin) }
        writer.write(total)
        writer.write(faded)
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        let filled = UInt64(bitPattern: try reader.integer())
        var bins: [Float] = Array(repeating: 0, count: Self.binCount)
        for index in bins.indices where filled & 1 << UInt64(index) != 0 { bins[index] = try reader.share() }
        self.init(bins: bins, total: try reader.share(), faded: try reader.time())
    }
}

extension DayValues {
    /// - Parameter base: a time near its own.
    func encode(into writer: inout ByteWriter, base: Int64) {
        writer.write(days.count)
        for day in days {
            for number in [Int64(day.number), Int64(day.count), day.lastTime - base] { writer.write(number) }
            for number in [day.mean, day.last] { writer.write(compact: number) }
        }
    }

    init(_ reader: inout ByteReader, base: Int64) throws(ByteReader.Damage) {
        var days: [Day] = []
        for _ in 0..<(try reader.count()) {
            let (number, count) = (try reader.integer(), try reader.integer())
            let lastTime = try reader.time(from: base)
            guard let number = Int32(exactly: number), let count = UInt32(exactly: count) else { throw ByteReader.Damage() }
            days.append(
                Day(number: number, count: count, mean: try reader.compactNumber(), last: try reader.compactNumber(), lastTime: lastTime))
        }
        self.init()
        restore(days)
    }
}

extension AnchorState {
    func encode(into writer: inout ByteWriter) {
        for number in [time, newestTime] { writer.write(number) }
        for number in [baseline, newest] { writer.write(number) }
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        let (time, newestTime) = (try reader.timeOrNever(), try reader.time())
        self.init(time: time, baseline: try reader.number(), newest: try reader.number(), newestTime: newestTime)
    }
}

extension InputState {
    /// - Parameter base: a time near its own.
    func encode(into writer: inout ByteWriter, base: Int64) {
        writer.write(compact: value)
        writer.write(time - base)
    }

    init(_ reader: inout ByteReader, base: Int64) throws(ByteReader.Damage) {
        self.init(value: try reader.compactNumber(), time: try reader.time(from: base))
    }
}

extension QualityState {
    func encode(into writer: inout ByteWriter) {
        writer.write(value)
        writer.write(arrival)
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        self.init(value: try reader.number(), arrival: try reader.timeOrNever())
    }
}

extension ScoreTracker {
    func encode(into writer: inout ByteWriter) {
        writer.write(measured.count { $0 != .min })
        let base = times.max() ?? 0
        writer.write(base == .min ? 0 : base)
        for index in values.indices where measured[index] != .min {
            writer.write(index)
            writer.write(compact: values[index])
            writer.write(measured[index] - base)
            writer.write(times[index] - base)
        }
        writer.write(timeInRange.hours.count)
        for hour in timeInRange.hours {
            for number in [hour.number, Int64(hour.readings), Int64(hour.inRange)] { writer.write(number) }
        }
        writer.write(said.count)
        for (metric, content) in said.sorted(by: { $0.key < $1.key }) {
            writer.write(Self.metrics.firstIndex(of: metric) ?? -1)
            if !Self.metrics.contains(metric) { writer.write(metric) }
            switch content {
            case .number(let number):
                writer.write(Content.number)
                writer.write(compact: number)
            case .text(let text):
                let bits = metric == "news2-missing" ? NEWS2.missingBits(text) : nil
                writer.write(bits == nil ? Content.text : Content.missing)
                if let bits { writer.write(bits) } else { writer.write(text) }
            }
        }
    }

    init(_ reader: inout ByteReader, slots: Int = newestSlots) throws(ByteReader.Damage) {
        self.init(slots: slots)
        let count = try reader.count(), base = try reader.time()
        for _ in 0..<count {
            let index = Int(try reader.integer())
            guard values.indices.contains(index) else { throw ByteReader.Damage() }
            values[index] = try reader.compactNumber()
            measured[index] = try reader.time(from: base)
            times[index] = try reader.time(from: base)
            guard (measured[index] == .min) == (times[index] == .min) else { throw ByteReader.Damage() }
        }
        var hours: [TimeInRange.Hour] = []
        for _ in 0..<(try reader.count()) {
            hours.append(try TimeInRange.Hour(&reader))
        }
        guard hours.count <= TimeInRange.capacity else { throw ByteReader.Damage() }
        timeInRange.restore(hours)
        for _ in 0..<(try reader.count()) {
            let metric = try Self.metric(&reader)
            said[metric] = try Self.content(&reader)
        }
    }

    /// The kinds of what was said, as they are written; the last is the list of missing parameters as bits.
    private enum Content { static let text: UInt8 = 0, number: UInt8 = 1, missing: UInt8 = 2 }

    private static func content(_ reader: inout ByteReader) throws(ByteReader.Damage) -> DerivedValue.Content {
        switch try reader.byte() {
        case Content.text: return .text(try reader.text())
        case Content.missing:
            let bits = try reader.integer()
            guard (0..<1 << Int64(NEWS2.Parameter.allCases.count)).contains(bits) else { throw ByteReader.Damage() }
            return .text(NEWS2.missingText(NEWS2.Parameter.allCases.filter { bits >> Int64($0.rawValue) & 1 == 1 }))
        default: return .number(try reader.compactNumber())
        }
    }

    /// The metrics of scores, which are written by their places here: new ones go to the end.
    private static let metrics = [
        "news2-at-least", "news2-highest-parameter", "news2-risk", "news2-missing", "news2-score", "blood-pressure-category",
        "glucose-category", "glucose-time-in-range", "body-mass-index-category", "temperature-category",
    ]

    private static func metric(_ reader: inout ByteReader) throws(ByteReader.Damage) -> String {
        let index = Int(try reader.integer())
        if index == -1 { return try reader.text() }
        guard metrics.indices.contains(index) else { throw ByteReader.Damage() }
        return metrics[index]
    }
}

extension TimeInRange.Hour {
    fileprivate init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        let (number, readings, inRange) = (try reader.time(), try reader.integer(), try reader.integer())
        // More than a sensor gives in an hour; a day of them can be added up.
        guard (0...10_000_000).contains(readings), (0...readings).contains(inRange) else { throw ByteReader.Damage() }
        self.init(number: number, readings: Int32(readings), inRange: Int32(inRange))
    }
}
