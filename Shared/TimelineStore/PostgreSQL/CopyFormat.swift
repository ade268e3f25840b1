/// Rows in the binary format of PostgreSQL's `COPY`.
/// https://www.postgresql.org/docs/15/sql-copy.html#id-1.9.3.55.9.4
struct CopyFormat {
    static let readingColumns = "time, participant, metric, source, seq, value, text, received, session, origin, zone"
    static let blockColumns =
        "time, participant, metric, source, seq, ends, period, count, min, max, samples, received, session, origin, zone"

    /// The signature `PGCOPY\n\377\r\n\0`, no flags, no header extension.
    private static let header: [UInt8] = [0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0]

    private(set) var bytes: [UInt8]

    /// - Parameter rows: about how many rows will follow.
    init(rows: Int) {
        bytes = []
        bytes.reserveCapacity(32 + rows * 96)
        bytes += Self.header
    }

    /// Ends the data.
    mutating func end() { bytes.appendBigEndian(Int16(-1)) }

    mutating func append(_ reading: Reading, text: String?) {
        bytes.appendBigEndian(Int16(11))
        append(reading.identity)
        if let text {
            bytes.appendBigEndian(Int32(-1))
            append(Array(text.utf8))
        } else {
            append(reading.value.bitPattern)
            bytes.appendBigEndian(Int32(-1))
        }
        append(received: reading.received, reading.session, reading.origin, reading.zone)
    }

    mutating func append(_ block: Block) {
        bytes.appendBigEndian(Int16(15))
        append(block.identity)
        append(block.ends - PostgresParameter.epoch)
        append(block.period.bitPattern)
        append(Int32(block.samples.count))
        append((block.samples.min() ?? 0).bitPattern)
        append((block.samples.max() ?? 0).bitPattern)
        append(block.encoded)
        append(received: block.received, block.session, block.origin, block.zone)
    }

    private mutating func append(_ identity: Identity) {
        append(identity.time - PostgresParameter.epoch)
        append(identity.participant)
        append(identity.metric)
        append(identity.source)
        append(identity.sequence)
    }

    private mutating func append(received: Int64, _ session: Int32, _ origin: Int32, _ zone: Int16) {
        append(received - PostgresParameter.epoch)
        append(session, unless: Reading.none)
        append(origin, unless: Reading.none)
        append(zone, unless: .min)
    }

    @inline(__always)
    private mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        bytes.appendBigEndian(Int32(Number.bitWidth / 8))
        bytes.appendBigEndian(number)
    }

    private mutating func append<Number: FixedWidthInteger>(_ number: Number, unless null: Number) {
        if number == null { bytes.appendBigEndian(Int32(-1)) } else { append(number) }
    }

    private mutating func append(_ value: [UInt8]) {
        bytes.appendBigEndian(Int32(value.count))
        bytes += value
    }
}
