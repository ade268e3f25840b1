import VigilSchema

/// A parameter in PostgreSQL's binary format: a value, or a whole column as an array.
struct PostgresParameter {
    /// The type's number in `pg_type`; 0 lets the server find it.
    let type: UInt32
    /// Nil for NULL.
    let bytes: [UInt8]?

    /// 2000-01-01, from which PostgreSQL counts microseconds.
    static let epoch: Int64 = 946_684_800_000_000

    init(_ value: SQLValue) {
        switch value {
        case .null: (type, bytes) = (0, nil)
        case .integer(let value): (type, bytes) = (20, Self.bytes(value))
        case .real(let value): (type, bytes) = (701, Self.bytes(value.bitPattern))
        case .text(let value): (type, bytes) = (25, Array(value.utf8))
        case .blob(let value): (type, bytes) = (17, value)
        case .time(let value): (type, bytes) = (1184, Self.bytes(value.microseconds - Self.epoch))
        }
    }

    /// Microseconds since 1970, as `timestamptz[]`.
    init(times: [Int64]) { self.init(array: 1185, of: 1184, width: 8, times.map { $0 - Self.epoch }) }
    /// As `integer[]`.
    init(_ numbers: [Int32]) { self.init(array: 1007, of: 23, width: 4, numbers) }
    /// As `bigint[]`.
    init(_ numbers: [Int64]) { self.init(array: 1016, of: 20, width: 8, numbers) }
    /// As `double precision[]`.
    init(_ numbers: [Double]) { self.init(array: 1022, of: 701, width: 8, numbers.map(\.bitPattern)) }

    /// One dimension, no NULLs, the first index 1.
    private init<Number: FixedWidthInteger>(array: UInt32, of element: UInt32, width: Int32, _ numbers: [Number]) {
        type = array
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + numbers.count * Int(width + 4))
        for header in [Int32(1), 0, Int32(bitPattern: element), Int32(numbers.count), 1] { bytes.appendBigEndian(header) }
        for number in numbers {
            bytes.appendBigEndian(width)
            bytes.appendBigEndian(number)
        }
        self.bytes = bytes
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(number)
        return bytes
    }

    /// Hands libpq's three arrays to `body`.
    static func withPointers<Result>(
        _ parameters: [PostgresParameter],
        _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> Result
    ) -> Result {
        var all: [UInt8] = []
        all.reserveCapacity(parameters.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
        var offsets: [Int?] = []
        for parameter in parameters {
            offsets.append(parameter.bytes == nil ? nil : all.count)
            all += parameter.bytes ?? []
        }
        // An empty value is not NULL: its pointer has to point somewhere.
        all.append(0)
        return unsafe all.withUnsafeBytes { raw in
            let base = unsafe raw.assumingMemoryBound(to: CChar.self).baseAddress
            let pointers = unsafe offsets.map { offset in unsafe offset.flatMap { unsafe base?.advanced(by: $0) } }
            let lengths = parameters.map { Int32($0.bytes?.count ?? 0) }
            return unsafe body(pointers, lengths, [Int32](repeating: 1, count: parameters.count))
        }
    }
}
