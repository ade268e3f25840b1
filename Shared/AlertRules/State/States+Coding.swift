extension AlertState {
    func encode(into writer: inout ByteWriter) {
        for byte in [phase.rawValue, severity.rawValue, acknowledged.rawValue, flags.rawValue, rearm.rawValue, silence.rawValue, stage] {
            writer.write(byte)
        }
        for number in [Int64(sequence), since, alarmedClock, silencedUntil] { writer.write(number) }
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
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
    }
}

extension ByteReader {
    mutating func severity() throws(Damage) -> Severity {
        guard let severity = Severity(rawValue: try byte()) else { throw Damage() }
        return severity
    }
}

extension LevelState {
    func encode(into writer: inout ByteWriter) {
        writer.write(phase.rawValue)
        writer.write(since)
        writer.write(sinceClock)
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        guard let phase = Phase(rawValue: try reader.byte()) else { throw ByteReader.Damage() }
        self.init(phase: phase, since: try reader.time(), sinceClock: try reader.time())
    }
}

extension LeafState {
    func encode(into writer: inout ByteWriter) {
        writer.write(time)
        writer.write(arrival)
        writer.write(value)
        writer.write(isSatisfied)
        writer.write(Int64(unseen))
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        self.init(
            time: try reader.time(), arrival: try reader.timeOrNever(), value: try reader.number(), isSatisfied: try reader.bool(),
            unseen: UInt32(clamping: try reader.integer()))
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

extension ScoreTracker {
    func encode(into writer: inout ByteWriter) {
        for place in values.indices {
            writer.write(values[place])
            writer.write(arrivals[place])
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

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        self.init()
        for place in values.indices {
            values[place] = try reader.number()
            arrivals[place] = try reader.timeOrNever()
            times[place] = try reader.timeOrNever()
            guard (arrivals[place] == .min) == (times[place] == .min) else { throw ByteReader.Damage() }
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
