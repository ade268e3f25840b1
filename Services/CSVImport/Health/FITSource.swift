import VigilSchema

/// Converts recordings in Garmin's FIT to the table of trainings that `TrainingXML` writes: points, sessions, and heart
/// rates of a day. Places are no measurements and are left out.
///
/// Source: the FIT protocol and profile, https://developer.garmin.com/fit/protocol/
struct FITSource: ByteSource {
    /// 1989-12-31, from which FIT counts seconds, in Unix seconds.
    private static let epoch = 631_065_600.0
    /// Below it a time counts seconds since the device was switched on, and tells no moment.
    private static let earliest: UInt32 = 0x1000_0000

    /// A field of a message, by its number in the profile.
    private struct Field {
        let number: UInt8
        let size: Int
        let type: UInt8
    }

    /// The layout of the messages of a local type.
    private struct Definition {
        let message: UInt16
        let isBigEndian: Bool
        let fields: [Field]
        /// The bytes of developers' fields, which are passed over.
        let rest: Int
    }

    private var source: any ByteSource
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var position = 0
    private var filled = 0
    private var pending = Array((CSVText.record(TrainingXML.header, delimiter: ",") + "\n").utf8)
    private var taken = 0
    /// The bytes of records that are left.
    private var left = 0
    private var definitions: [UInt8: Definition] = [:]
    /// The newest time, in seconds of FIT.
    private var time: UInt32 = 0
    /// Whether a recording has begun whose checksum is still to come.
    private var isOpen = false
    private var checksum = FITChecksum()

    /// Returns whether content with this start is such a recording.
    static func fits(_ start: [UInt8]) -> Bool { start.count > 12 && start[8..<12].elementsEqual(".FIT".utf8) }

    /// The recording as a CSV file. Its checksums are checked before it gives anything.
    static func file(_ file: ImportFile) -> ImportFile {
        ImportFile(name: file.name) { () throws(ImportError) in
            var checked = FITSource(source: try file.open())
            while try checked.header() {
                while checked.left > 0 { _ = try checked.take(min(checked.left, 4096)) }
            }
            return FITSource(source: try file.open())
        }
    }

    init(source: any ByteSource) { self.source = source }

    mutating func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        while taken == pending.count {
            pending = []
            taken = 0
            if left == 0, try !header() { return 0 }
            try record()
        }
        let count = min(limit, pending.count - taken)
        for index in 0..<count { buffer[offset + index] = pending[taken + index] }
        taken += count
        return count
    }

    // MARK: Bytes

    /// Makes so many bytes available at `position`; false at the end of the content.
    private mutating func has(_ count: Int) throws(ImportError) -> Bool {
        while filled - position < count {
            if position > 0 {
                buffer.replaceSubrange(0..<filled - position, with: Array(buffer[position..<filled]))
                (filled, position) = (filled - position, 0)
            }
            let read = try source.read(into: &buffer, at: filled, limit: buffer.count - filled)
            if read == 0 { return false }
            filled += read
        }
        return true
    }

    /// The next bytes of a record.
    private mutating func take(_ count: Int) throws(ImportError) -> ArraySlice<UInt8> {
        guard count <= left, try has(count) else { throw ImportError(.format, "the recording ends in the middle") }
        position += count
        left -= count
        checksum.add(buffer[position - count..<position])
        return buffer[position - count..<position]
    }

    private static func number(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool = false) -> UInt64 {
        (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | UInt64($1) }
    }

    // MARK: Records

    /// Reads a file's header; false where nothing follows. Recordings may be chained.
    private mutating func header() throws(ImportError) -> Bool {
        // The checksum of the part before.
        if isOpen {
            guard try has(2), checksum.value == FITSource.number(buffer[position..<position + 2]) else {
                throw ImportError(.format, "the recording's checksum is wrong: it is damaged")
            }
            position += 2
            isOpen = false
        }
        guard try has(12), FITSource.fits(Array(buffer[position..<position + 12]) + [0]), try has(Int(buffer[position])) else {
            return false
        }
        let size = Int(buffer[position])
        guard size >= 12 else { return false }
        left = Int(FITSource.number(buffer[position + 4..<position + 8]))
        checksum = FITChecksum()
        checksum.add(buffer[position..<position + size])
        position += size
        definitions = [:]
        isOpen = true
        return left > 0
    }

    private mutating func record() throws(ImportError) {
        let head = try take(1).first ?? 0
        if head & 0x80 != 0 {
            // A compressed header: five bits of the time.
            let offset = UInt32(head & 0x1F)
            time = (time & ~0x1F) &+ offset &+ (offset < time & 0x1F ? 0x20 : 0)
            try message(head >> 5 & 3)
        } else if head & 0x40 != 0 {
            try define(head & 0x0F, hasMore: head & 0x20 != 0)
        } else {
            try message(head & 0x0F)
        }
    }

    private mutating func define(_ type: UInt8, hasMore: Bool) throws(ImportError) {
        let head = Array(try take(5))
        let isBigEndian = head[1] == 1
        let fields = Array(try take(Int(head[4]) * 3))
        var rest = 0
        if hasMore {
            let count = Int(try take(1).first ?? 0)
            let more = Array(try take(count * 3))
            rest = stride(from: 1, to: more.count, by: 3).reduce(0) { $0 + Int(more[$1]) }
        }
        definitions[type] = Definition(
            message: UInt16(FITSource.number(head[2..<4], isBigEndian: isBigEndian)), isBigEndian: isBigEndian,
            fields: stride(from: 0, to: fields.count, by: 3).map {
                Field(number: fields[$0], size: Int(fields[$0 + 1]), type: fields[$0 + 2])
            }, rest: rest)
    }

    private mutating func message(_ type: UInt8) throws(ImportError) {
        guard let definition = definitions[type] else { throw ImportError(.format, "a message of the recording was not defined") }
        var values: [UInt8: Double] = [:]
        for field in definition.fields {
            values[field.number] = FITSource.value(try take(field.size), field.type, definition.isBigEndian)
        }
        _ = try take(definition.rest)
        if let moment = values[253].flatMap(UInt32.init(exactly:)) { time = moment }
        switch definition.message {
        case 20: point(values)
        case 18: session(values)
        case 55: monitoring(values)
        default: break
        }
    }

    /// The first number of a field; nil for one that says nothing, and for texts.
    private static func value(_ bytes: ArraySlice<UInt8>, _ type: UInt8, _ isBigEndian: Bool) -> Double? {
        let sizes: [UInt8: Int] = [0: 1, 1: 1, 2: 1, 10: 1, 0x83: 2, 0x84: 2, 0x8B: 2, 0x85: 4, 0x86: 4, 0x8C: 4, 0x88: 4]
        guard let size = sizes[type], bytes.count >= size else { return nil }
        let raw = number(bytes.prefix(size), isBigEndian: isBigEndian)
        let bits = UInt64(size * 8), highest = (UInt64(1) << bits) - 1
        switch type {
        case 1, 0x83, 0x85:
            guard raw != highest >> 1 else { return nil }
            return Double(raw) - (raw > highest >> 1 ? Double(highest) + 1 : 0)
        case 10, 0x8B, 0x8C: return raw == 0 ? nil : Double(raw)
        case 0x88: return raw == highest ? nil : Double(Float(bitPattern: UInt32(raw)))
        default: return raw == highest ? nil : Double(raw)
        }
    }

    // MARK: Messages

    private mutating func point(_ values: [UInt8: Double]) {
        write("heart-rate", values[3], "/min")
        write("cadence", values[4], "/min")
        write("distance-covered", values[5].map { $0 / 100 }, "m")
        write("speed", (values[73] ?? values[6]).map { $0 / 1000 }, "m/s")
        write("power", values[7], "W")
        write("altitude", (values[78] ?? values[2]).map { $0 / 5 - 500 }, "m")
        write("ambient-temperature", values[13], "Cel")
    }

    private mutating func session(_ values: [UInt8: Double]) {
        let start = values[2].flatMap(UInt32.init(exactly:)) ?? time
        let seconds = values[7].map { $0 / 1000 }
        let until = seconds.map { Double(start) + $0 }
        let sports: [Double: String] = [1: "running", 2: "cycling", 5: "swimming", 10: "training", 11: "walking", 17: "hiking"]
        if let sport = values[5] { add(start, until, "workout", sports[sport] ?? "sport \(sport.short)", "1") }
        write("workout-duration", seconds.map { $0 / 60 }, "min", at: start, until: until)
        write("workout-distance", values[9].map { $0 / 100 }, "m", at: start, until: until)
        write("workout-energy", values[11], "kcal", at: start, until: until)
        write("workout-heart-rate-mean", values[16], "/min", at: start, until: until)
        write("workout-heart-rate-greatest", values[17], "/min", at: start, until: until)
    }

    /// A day's heart rates, whose times have only their lower sixteen bits.
    private mutating func monitoring(_ values: [UInt8: Double]) {
        if values[253] == nil, let low = values[26].flatMap(UInt32.init(exactly:)) { time &+= (low &- time) & 0xFFFF }
        // 0 stands for none.
        write("heart-rate", values[27].flatMap { $0 > 0 ? $0 : nil }, "/min")
    }

    private mutating func write(_ metric: String, _ value: Double?, _ unit: String, at start: UInt32? = nil, until: Double? = nil) {
        if let value { add(start ?? time, until, metric, value.short, unit) }
    }

    private mutating func add(_ start: UInt32, _ until: Double?, _ metric: String, _ value: String, _ unit: String) {
        let text = { (seconds: Double) in ((seconds + FITSource.epoch) * 1_000_000).microseconds.map { ListRowsSource.text($0, 0) } ?? "" }
        let isMoment = start >= FITSource.earliest
        let cells = [isMoment ? text(Double(start)) : "", isMoment ? until.map(text) ?? "" : "", metric, value, unit]
        pending += Array((CSVText.record(cells, delimiter: ",") + "\n").utf8)
    }
}

/// The CRC-16 of a FIT file, half a byte at a time. Source: the FIT protocol, "CRC".
private struct FITChecksum {
    private static let table: [UInt16] = [
        0x0000, 0xCC01, 0xD801, 0x1400, 0xF001, 0x3C00, 0x2800, 0xE401, 0xA001, 0x6C00, 0x7800, 0xB401, 0x5000, 0x9C01, 0x8801, 0x4400,
    ]

    private(set) var value: UInt16 = 0

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        for byte in bytes {
            for half in [byte & 0x0F, byte >> 4] {
                value = value >> 4 ^ Self.table[Int(value & 0x0F)] ^ Self.table[Int(half)]
            }
        }
    }
}
