/// Rows in the binary format of PostgreSQL's `COPY`, piece by piece, so that the server reads one while the next is written.
/// https://www.postgresql.org/docs/15/sql-copy.html#id-1.9.3.55.9.4
enum CopyFormat {
    static let readingColumns = "time, participant, metric, source, seq, value, text, received, session, origin, zone"
    static let blockColumns =
        "time, participant, metric, source, seq, ends, period, count, min, max, samples, received, session, origin, zone"

    /// The signature `PGCOPY\n\377\r\n\0`, no flags, no header extension.
    static let header: [UInt8] = [0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    /// The end of the data.
    static let end: [UInt8] = [0xFF, 0xFF]

    /// A reading without its text's bytes is never longer: 11 columns with their lengths.
    private static let longestReading = 2 + 11 * 4 + 8 + 4 * 4 + 8 + 8 + 4 + 4 + 2
    /// The same of a block without its samples: 15 columns.
    private static let longestBlock = 2 + 15 * 4 + 8 + 4 * 4 + 8 + 8 + 4 + 8 + 8 + 8 + 4 + 4 + 2

    static func piece(_ readings: ArraySlice<ReadingRow>, _ prepared: Prepared) -> [UInt8] {
        let texts = readings.reduce(0) { $0 + ($1.text == ReadingRow.none ? 0 : prepared.texts[Int($1.text)].utf8.count) }
        return BigEndianWriter.write(capacity: readings.count * longestReading + texts) { writer in
            for reading in readings { append(reading, text: prepared.text(reading), to: &writer) }
        }
    }

    static func piece(_ block: BlockRow) -> [UInt8] {
        BigEndianWriter.write(capacity: longestBlock + block.encoded.count) { append(block, to: &$0) }
    }

    private static func append(_ reading: ReadingRow, text: String?, to writer: inout BigEndianWriter) {
        writer.append(Int16(11))
        append(reading.identity, to: &writer)
        if let text {
            writer.append(Int32(-1))
            writer.append(field: Array(text.utf8))
        } else {
            writer.append(field: reading.value.bitPattern)
            writer.append(Int32(-1))
        }
        append(received: reading.received, reading.session, reading.origin, reading.zone, to: &writer)
    }

    private static func append(_ block: BlockRow, to writer: inout BigEndianWriter) {
        writer.append(Int16(15))
        append(block.identity, to: &writer)
        writer.append(field: block.ends - PostgresParameter.epoch)
        writer.append(field: block.period.bitPattern)
        writer.append(field: Int32(block.samples.count))
        writer.append(field: (block.samples.min() ?? 0).bitPattern)
        writer.append(field: (block.samples.max() ?? 0).bitPattern)
        writer.append(field: block.encoded)
        append(received: block.received, block.session, block.origin, block.zone, to: &writer)
    }

    private static func append(_ identity: Identity, to writer: inout BigEndianWriter) {
        writer.append(field: identity.time - PostgresParameter.epoch)
        writer.append(field: identity.participant)
        writer.append(field: identity.metric)
        writer.append(field: identity.source)
        writer.append(field: identity.sequence)
    }

    private static func append(
        received: Int64, _ session: Int32, _ origin: Int32, _ zone: Int16, to writer: inout BigEndianWriter
    ) {
        writer.append(field: received - PostgresParameter.epoch)
        writer.append(field: session, unless: ReadingRow.none)
        writer.append(field: origin, unless: ReadingRow.none)
        writer.append(field: zone, unless: .min)
    }
}

/// Writes numbers, highest byte first, into memory that is allocated once.
@safe struct BigEndianWriter {
    private let buffer: UnsafeMutableRawBufferPointer
    private let capacity: Int
    private var count = 0

    /// Copies the rows that `body` writes.
    /// - Parameter capacity: how many bytes it writes at most; writing more traps.
    static func write(capacity: Int, _ body: (inout BigEndianWriter) -> Void) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
            var writer = unsafe BigEndianWriter(UnsafeMutableRawBufferPointer(memory))
            body(&writer)
            count = writer.count
        }
    }

    private init(_ buffer: UnsafeMutableRawBufferPointer) {
        unsafe self.buffer = buffer
        capacity = buffer.count
    }

    @inline(__always)
    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        let width = Number.bitWidth / 8
        precondition(count + width <= capacity, "the capacity was counted wrong")
        unsafe buffer.storeBytes(of: number.bigEndian, toByteOffset: count, as: Number.self)
        count += width
    }

    /// A number after its length.
    @inline(__always)
    mutating func append<Number: FixedWidthInteger>(field number: Number) {
        append(Int32(Number.bitWidth / 8))
        append(number)
    }

    /// A number after its length, or NULL in place of one that stands for none.
    @inline(__always)
    mutating func append<Number: FixedWidthInteger>(field number: Number, unless none: Number) {
        if number == none { append(Int32(-1)) } else { append(field: number) }
    }

    /// Bytes after their number.
    mutating func append(field bytes: [UInt8]) {
        append(Int32(bytes.count))
        precondition(count + bytes.count <= capacity, "the capacity was counted wrong")
        for byte in bytes {
            unsafe buffer[count] = byte
            count += 1
        }
    }
}

extension [UInt8] {
    /// Appends a number, highest byte first, as PostgreSQL's binary formats have it.
    @inline(__always)
    mutating func appendBigEndian(_ number: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: number.bigEndian) { unsafe append(contentsOf: $0) }
    }
}
