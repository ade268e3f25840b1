import AlertRules

/// The engine's inputs of one transaction: enough to repeat it exactly after a crash.
package struct JournalRecord: Sendable {
    /// One call of the engine.
    enum Entry: Sendable {
        case readings(participant: String, now: Int64, [Reading])
        /// Time passed, up to this time of the engine's clock.
        case advance(clock: Int64, now: Int64)
        /// Time passed without observation.
        case skip(clock: Int64, now: Int64)
        case command(participant: String, rule: String, AlertRequest, now: Int64)

        /// The approximate size in bytes.
        var weight: Int {
            switch self {
            case .readings(_, _, let readings): 24 + readings.count * 24
            case .advance, .skip: 20
            case .command: 100
            }
        }
    }

    var entries: [Entry] = []
    /// The processed batches, so that none is processed twice.
    var batches: [String] = []

    var isEmpty: Bool { entries.isEmpty && batches.isEmpty }

    /// True if it has more than the passing of time.
    var isNews: Bool {
        !batches.isEmpty || entries.contains { entry in if case .advance = entry { false } else { true } }
    }

    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(batches.count)
        for batch in batches { writer.write(batch) }
        writer.write(entries.count)
        for entry in entries { Self.write(entry, &writer) }
        return writer.bytes
    }

    private static func write(_ entry: Entry, _ writer: inout ByteWriter) {
        switch entry {
        case .readings(let participant, let now, let readings):
            let hasSources = readings.contains { $0.source != 0 }
            writer.write(UInt8(hasSources ? 4 : 0))
            writer.write(participant)
            writer.write(now)
            writer.write(readings.count)
            for reading in readings {
                if hasSources { writer.write(Int64(reading.source)) }
                writer.write(reading.metric)
                writer.write(now - reading.time)
                writer.write(now - reading.received)
                writer.write(reading.value)
            }
        case .advance(let clock, let now): Self.write(1, clock, now, &writer)
        case .skip(let clock, let now): Self.write(3, clock, now, &writer)
        case .command(let participant, let rule, let request, let now):
            writer.write(UInt8(2))
            writer.write(participant)
            writer.write(rule)
            writer.write(now)
            request.encode(into: &writer)
        }
    }

    private static func write(_ kind: UInt8, _ clock: Int64, _ now: Int64, _ writer: inout ByteWriter) {
        writer.write(kind)
        writer.write(clock)
        writer.write(now)
    }

    init() {}

    init(decoding bytes: [UInt8]) throws(ByteReader.Damage) {
        var reader = ByteReader(bytes)
        for _ in 0..<(try reader.count()) { batches.append(try reader.text()) }
        for _ in 0..<(try reader.count()) { entries.append(try Self.entry(&reader)) }
    }

    private static func entry(_ reader: inout ByteReader) throws(ByteReader.Damage) -> Entry {
        switch try reader.byte() {
        case 0: return try readings(&reader, hasSources: false)
        case 4: return try readings(&reader, hasSources: true)
        case 1: return .advance(clock: try reader.time(), now: try reader.time())
        case 2:
            let (participant, rule, now) = (try reader.text(), try reader.text(), try reader.time())
            return .command(participant: participant, rule: rule, try AlertRequest(&reader), now: now)
        case 3: return .skip(clock: try reader.time(), now: try reader.time())
        default: throw ByteReader.Damage()
        }
    }

    private static func readings(_ reader: inout ByteReader, hasSources: Bool) throws(ByteReader.Damage) -> Entry {
        let (participant, now) = (try reader.text(), try reader.time())
        var readings: [Reading] = []
        for _ in 0..<(try reader.count()) {
            let source = hasSources ? UInt32(clamping: try reader.integer()) : 0
            let (metric, time, received) = (try reader.integer(), try reader.time(), try reader.time())
            readings.append(
                Reading(metric: Int(metric), time: now - time, received: now - received, value: try reader.number(), source: source))
        }
        return .readings(participant: participant, now: now, readings)
    }
}

extension AlertEngine {
    /// Repeats a record of the journal after `restore`. Its output was published before.
    /// - Returns: the indices of the concerned participants.
    mutating func replay(_ record: JournalRecord, capacity: Int) throws(ByteReader.Damage) -> Set<Int> {
        var indices: Set<Int> = []
        var output = EngineOutput()
        for entry in record.entries {
            if let index = try replay(entry, capacity: capacity, into: &output) { indices.insert(index) }
        }
        for event in output.events { indices.insert(event.participant) }
        return indices.union(takeFreed())
    }

    private mutating func replay(
        _ entry: JournalRecord.Entry, capacity: Int, into output: inout EngineOutput
    ) throws(ByteReader.Damage) -> Int? {
        switch entry {
        case .readings(let participant, let now, let readings):
            guard readings.allSatisfy({ rules.metrics.indices.contains($0.metric) }) else { throw ByteReader.Damage() }
            guard let index = index(of: participant, capacity: capacity) else { return nil }
            take(readings, of: index, now: now, into: &output)
            return index
        case .advance(let clock, let now): advance(to: clock, now: now, into: &output)
        case .skip(let clock, let now): skip(to: clock, now: now, into: &output)
        case .command(let participant, let rule, let request, let now):
            guard let rule = rules.rule(named: rule), let index = index(of: participant, capacity: capacity) else { return nil }
            // A command that was refused then is refused again and changes nothing.
            try? apply(request, to: index, rule: rule, now: now, into: &output)
        }
        return nil
    }
}
