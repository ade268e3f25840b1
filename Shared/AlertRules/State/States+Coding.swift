extension AlertState {
    func encode(into writer: inout ByteWriter) {
        for byte in [phase.rawValue, severity.rawValue, acknowledged.rawValue, flags.rawValue, rearm.rawValue, silence.rawValue, stage] {
            writer.write(byte)
        }
        for number in [Int64(sequence), since, alarmedClock, silencedUntil, endedClock] { writer.write(number) }
    }

    init(_ reader: inout ByteReader, _ layout: StateLayout) throws(ByteReader.Damage) {
        guard let phase = Phase(rawValue: try reader.byte()) else { throw ByteReader.Damage() }
        self.phase = phase
        severity = try reader.severity()
        acknowledged = try reader.severity()
        flags = Flags(rawValue: try reader.byte())
        rearm = try reader.severity()
        silence = try reader.severity()
        stage = try reader.byte()
        sequence = try reader.sequence()
        since = try reader.time()
        alarmedClock = try reader.time()
        silencedUntil = try reader.time()
        guard layout != .unversioned else { return }
        endedClock = try reader.time()
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
        let isCounted = phase == .pending && readings > 1
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
    /// - Parameter base: a time near its own, from which times are written as distances.
    func encode(into writer: inout ByteWriter, base: Int64) {
        writer.write(time - base)
        writer.write(arrival - base)
        writer.write(value)
        writer.write(isSatisfied)
        writer.write(Int64(unseen))
        writer.write(isExceeded)
        writer.write(gaps)
        writer.write(Int64(interval))
        writer.write(runClock - base)
    }

    init(_ reader: inout ByteReader, _ layout: StateLayout, base: Int64) throws(ByteReader.Damage) {
        self.init()
        time = base + (try reader.time())
        arrival = layout == .unversioned ? try reader.timeOrNever() : base + (try reader.time())
        value = try reader.number()
        isSatisfied = try reader.bool()
        unseen = UInt32(clamping: try reader.integer())
        isExceeded = isSatisfied
        // What ran before is taken to have run for long: its silence is missed.
        guard layout != .unversioned else { return }
        isExceeded = try reader.bool()
        gaps = try reader.byte()
        interval = UInt32(clamping: try reader.integer())
        runClock = base + (try reader.time())
    }
}

extension ValueWindow {
    func encode(into writer: inout ByteWriter) {
        writer.write(buckets.count)
        for bucket in buckets {
            for number in [bucket.number, bucket.firstTime, bucket.lastTime] { writer.write(number) }
            for number in [bucket.first, bucket.last, bucket.least, bucket.most, bucket.sum, bucket.count] { writer.write(number) }
        }
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        var buckets: [Bucket] = []
        for _ in 0..<(try reader.count()) {
            let (number, firstTime, lastTime) = (try reader.integer(), try reader.time(), try reader.time())
            buckets.append(
                Bucket(
                    number: number, firstTime: firstTime, first: try reader.number(), lastTime: lastTime, last: try reader.number(),
                    least: try reader.number(), most: try reader.number(), sum: try reader.number(), count: try reader.number()))
        }
        self.init()
        restore(buckets)
    }
}

extension ValueHistory {
    func encode(into writer: inout ByteWriter) {
        for bin in bins { writer.write(Double(bin)) }
        writer.write(Double(total))
        writer.write(faded)
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        var bins: [Float] = []
        for _ in 0..<Self.binCount { bins.append(try reader.share()) }
        self.init(bins: bins, total: try reader.share(), faded: try reader.time())
    }
}

extension DayValues {
    func encode(into writer: inout ByteWriter) {
        writer.write(days.count)
        for day in days {
            for number in [Int64(day.number), Int64(day.count), day.lastTime] { writer.write(number) }
            for number in [day.mean, day.last] { writer.write(number) }
        }
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        var days: [Day] = []
        for _ in 0..<(try reader.count()) {
            let (number, count, lastTime) = (try reader.integer(), try reader.integer(), try reader.time())
            guard let number = Int32(exactly: number), let count = UInt32(exactly: count) else { throw ByteReader.Damage() }
            days.append(Day(number: number, count: count, mean: try reader.number(), last: try reader.number(), lastTime: lastTime))
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
    func encode(into writer: inout ByteWriter) {
        writer.write(value)
        writer.write(time)
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) { self.init(value: try reader.number(), time: try reader.time()) }
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
        for place in values.indices where measured[place] != .min {
            writer.write(place)
            writer.write(values[place])
            writer.write(measured[place])
            writer.write(times[place])
        }
        writer.write(timeInRange.hours.count)
        for hour in timeInRange.hours {
            for number in [hour.number, Int64(hour.readings), Int64(hour.inRange)] { writer.write(number) }
        }
        writer.write(said.count)
        for (metric, content) in said.sorted(by: { $0.key < $1.key }) {
            writer.write(metric)
            switch content {
            case .number(let number): writer.write(Double?.some(number))
            case .text: writer.write(Double?.none)
            }
            if case .text(let text) = content { writer.write(text) }
        }
    }

    init(_ reader: inout ByteReader, _ layout: StateLayout) throws(ByteReader.Damage) {
        self.init()
        let count = layout == .unversioned ? values.count : try reader.count()
        for next in 0..<count {
            let place = layout == .unversioned ? next : Int(try reader.integer())
            guard values.indices.contains(place) else { throw ByteReader.Damage() }
            values[place] = try reader.number()
            measured[place] = try reader.timeOrNever()
            times[place] = try reader.timeOrNever()
            guard (measured[place] == .min) == (times[place] == .min) else { throw ByteReader.Damage() }
        }
        var hours: [TimeInRange.Hour] = []
        for _ in 0..<(try reader.count()) {
            hours.append(try TimeInRange.Hour(&reader))
        }
        guard hours.count <= TimeInRange.capacity else { throw ByteReader.Damage() }
        timeInRange.restore(hours)
        for _ in 0..<(try reader.count()) {
            let metric = try reader.text()
            if let number = try reader.optionalNumber() {
                said[metric] = .number(number)
            } else {
                said[metric] = .text(try reader.text())
            }
        }
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
