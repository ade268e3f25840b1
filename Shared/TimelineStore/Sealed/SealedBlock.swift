import CZlib

/// Turns the readings of a series and day into few bytes and back, bit for bit.
///
/// | part | meaning |
/// |---|---|
/// | byte 0 | `1`; + `128` when what follows the checksum is compressed by zstd |
/// | 4 bytes | CRC-32 of the columns as they are before compression, little-endian |
/// | a number | where compressed, the length of the columns, LEB128 |
/// | the columns | the number of readings, LEB128; then times, sequences, values, receipts, sessions, origins, zones |
///
/// A column is its length, LEB128, and its bytes. Values are as `WaveformCodec` writes samples. The other columns are
/// those of `NumberColumn`; receipts may be given as the time since the reading, where that is shorter.
enum SealedBlock {
    /// The most readings of a block: some 40 kB of vitals that come every second.
    static let largestCount = 16_384
    private static let version: UInt8 = 1
    private static let compressed: UInt8 = 128
    /// Longer columns than any readings give: a damaged length asks for no more memory.
    private static let largestLength = 8 << 20

    /// The bytes for these readings.
    /// - Parameter readings: 1 to `largestCount`, in the order of their identities, each identity once.
    static func encode(_ readings: [SealedReading], with zstd: ZstdContext) -> [UInt8] { packed(columns(readings, zstd), zstd) }

    static func columns(_ readings: [SealedReading], _ zstd: ZstdContext) -> [UInt8] {
        let times = readings.map(\.time)
        let received = NumberColumn.encode(readings.map(\.received))
        let lags = NumberColumn.encode(readings.map { $0.received &- $0.time })
        var columns = ColumnWriter()
        columns.append(number: UInt64(readings.count))
        columns.append(NumberColumn.encode(times))
        columns.append(NumberColumn.encode(readings.map { Int64($0.sequence) }))
        columns.append(WaveformCodec.encode(readings.map(\.value), with: zstd))
        columns.append([lags.count < received.count ? 1 : 0] + (lags.count < received.count ? lags : received))
        for column in [readings.map { Int64($0.session) }, readings.map { Int64($0.origin) }, readings.map { Int64($0.zone) }] {
            columns.append(NumberColumn.encode(column))
        }
        return columns.bytes
    }

    private static func packed(_ columns: [UInt8], _ zstd: ZstdContext) -> [UInt8] {
        let crc = Self.crc(of: columns)
        let sum = (0..<4).map { UInt8(truncatingIfNeeded: crc >> UInt32($0 * 8)) }
        var smaller = ColumnWriter()
        smaller.append(number: UInt64(columns.count))
        let isSmaller = zstd.compress(columns).map { bytes in
            smaller.bytes += bytes
            return smaller.bytes.count < columns.count
        }
        return isSmaller == true ? [version | compressed] + sum + smaller.bytes : [version] + sum + columns
    }

    /// The readings that the bytes stand for, in the order of their identities; nil where they stand for nothing, or
    /// were damaged.
    static func decode(_ bytes: [UInt8], with zstd: ZstdContext) -> [SealedReading]? {
        guard bytes.count > 5, bytes[0] & ~compressed == version else { return nil }
        let crc = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[1 + $1]) << UInt32($1 * 8) }
        var columns = Array(bytes[5...])
        if bytes[0] & compressed != 0 {
            var reader = ColumnReader(columns)
            guard let length = reader.number(), length <= UInt64(largestLength),
                let larger = zstd.decompress(reader.rest, atMost: Int(length)), larger.count == Int(length)
            else { return nil }
            columns = larger
        }
        guard Self.crc(of: columns) == crc else { return nil }
        return readings(columns, zstd)
    }

    /// CRC-32 by zlib.
    private static func crc(of bytes: [UInt8]) -> UInt32 {
        unsafe bytes.withUnsafeBufferPointer { UInt32(truncatingIfNeeded: unsafe crc32(0, $0.baseAddress, UInt32($0.count))) }
    }

    static func readings(_ columns: [UInt8], _ zstd: ZstdContext) -> [SealedReading]? {
        var reader = ColumnReader(columns)
        guard let number = reader.number(), (1...UInt64(largestCount)).contains(number) else { return nil }
        let count = Int(number)
        guard let times = reader.numbers(count), let sequences = reader.numbers(count), let samples = reader.column(),
            let values = WaveformCodec.decode(samples, count: count, with: zstd), let receipts = reader.column(), let form = receipts.first,
            form <= 1, let received = NumberColumn.decode(Array(receipts.dropFirst()), count: count),
            let sessions = reader.numbers(count), let origins = reader.numbers(count), let zones = reader.numbers(count),
            reader.rest.isEmpty
        else { return nil }
        var readings: [SealedReading] = []
        readings.reserveCapacity(count)
        for index in 0..<count {
            guard let sequence = Int32(exactly: sequences[index]), let session = Int32(exactly: sessions[index]),
                let origin = Int32(exactly: origins[index]), let zone = Int16(exactly: zones[index])
            else { return nil }
            let reading = SealedReading(
                time: times[index], sequence: sequence, value: values[index],
                received: form == 1 ? received[index] &+ times[index] : received[index], session: session, origin: origin, zone: zone)
            if let last = readings.last, !last.isBefore(reading) { return nil }
            readings.append(reading)
        }
        return readings
    }
}

/// A column of whole numbers: byte 0 is `0` where all are the one that follows, zigzag-coded, or `1` where they follow
/// as `PredictedNumbers` writes them. A series in even steps is predicted without an error, whatever its steps are.
private enum NumberColumn {
    static func encode(_ numbers: [Int64]) -> [UInt8] {
        guard let first = numbers.first, numbers.contains(where: { $0 != first }) else {
            var writer = ColumnWriter()
            writer.append(number: (numbers.first ?? 0).zigzag)
            return [0] + writer.bytes
        }
        return [1] + PredictedNumbers.encode(numbers)
    }

    static func decode(_ bytes: [UInt8], count: Int) -> [Int64]? {
        switch bytes.first {
        case 0:
            var reader = ColumnReader(Array(bytes.dropFirst()))
            guard let number = reader.number(), reader.rest.isEmpty else { return nil }
            return [Int64](repeating: Int64(zigzag: number), count: count)
        case 1: return PredictedNumbers.decode(Array(bytes.dropFirst()), count: count)
        default: return nil
        }
    }
}

private struct ColumnWriter {
    var bytes: [UInt8] = []

    /// Appends a little-endian base-128 number.
    mutating func append(number: UInt64) { Base128.append(number, to: &bytes) }

    mutating func append(_ column: [UInt8]) {
        append(number: UInt64(column.count))
        bytes += column
    }
}

private struct ColumnReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// What has not been read.
    var rest: [UInt8] { Array(bytes[position...]) }

    /// The next little-endian base-128 number; nil where it is cut short or has more than ten bytes.
    mutating func number() -> UInt64? { Base128.read(bytes, at: &position) }

    /// The bytes of the next column; nil where it is cut short.
    mutating func column() -> [UInt8]? {
        guard let length = number(), length <= UInt64(bytes.count - position) else { return nil }
        defer { position += Int(length) }
        return Array(bytes[position..<position + Int(length)])
    }

    mutating func numbers(_ count: Int) -> [Int64]? { column().flatMap { NumberColumn.decode($0, count: count) } }
}
