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
        sequence = UInt32(truncatingIfNeeded: try reader.integer())
        since = try reader.integer()
        alarmedClock = try reader.integer()
        silencedUntil = try reader.integer()
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
        self.init(phase: phase, since: try reader.integer(), sinceClock: try reader.integer())
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
            time: try reader.integer(), arrival: try reader.integer(), value: try reader.number(), isSatisfied: try reader.bool(),
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
            let (number, firstTime, lastTime) = (try reader.integer(), try reader.integer(), try reader.integer())
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
        for _ in 0..<Self.binCount { bins.append(Float(try reader.number())) }
        self.init(bins: bins, total: Float(try reader.number()), faded: try reader.integer())
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
            arrivals[place] = try reader.integer()
            times[place] = try reader.integer()
        }
        var hours: [TimeInRange.Hour] = []
        for _ in 0..<(try reader.count()) {
            let (number, readings, inRange) = (try reader.integer(), try reader.integer(), try reader.integer())
            hours.append(
                TimeInRange.Hour(
                    number: number, readings: Int32(truncatingIfNeeded: readings), inRange: Int32(truncatingIfNeeded: inRange)))
        }
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
