import CPostgres
import VigilSchema

/// A query's result in binary format; freed with this.
@safe struct PostgresResult: ~Copyable {
    private let result: OpaquePointer

    @unsafe init(_ result: OpaquePointer) { unsafe self.result = result }

    deinit { unsafe PQclear(result) }

    /// The number of rows the statement changed.
    var changes: Int { unsafe Int(String(cString: PQcmdTuples(result))) ?? 0 }

    /// All the rows.
    func rows() -> [SQLRow] {
        let columns = unsafe PQnfields(result)
        let types = (0..<columns).map { unsafe PQftype(result, $0) }
        return (0..<(unsafe PQntuples(result))).map { row in
            SQLRow((0..<columns).map { value(row, $0, types[Int($0)]) })
        }
    }

    private func value(_ row: Int32, _ column: Int32, _ type: Oid) -> SQLValue {
        guard unsafe PQgetisnull(result, row, column) == 0, let start = unsafe PQgetvalue(result, row, column) else { return .null }
        let length = Int(unsafe PQgetlength(result, row, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: length)
        // The numbers of `pg_type`.
        switch type {
        case 16: return .integer(unsafe bytes[0] == 0 ? 0 : 1)
        case 20, 21, 23: return .integer(unsafe Self.integer(bytes))
        case 700: return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: unsafe Self.integer(bytes)))))
        case 701: return .real(Double(bitPattern: UInt64(bitPattern: unsafe Self.integer(bytes))))
        case 1184: return .time(Timestamp(microseconds: unsafe Self.integer(bytes) + PostgresParameter.epoch))
        case 17: return .blob(unsafe Array(bytes))
        default: return .text(unsafe String(decoding: bytes, as: UTF8.self))
        }
    }

    /// A big-endian number of 2, 4 or 8 bytes.
    private static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        switch bytes.count {
        case 2: Int64(Int16(bigEndian: unsafe bytes.loadUnaligned(as: Int16.self)))
        case 4: Int64(Int32(bigEndian: unsafe bytes.loadUnaligned(as: Int32.self)))
        default: Int64(bigEndian: unsafe bytes.loadUnaligned(as: Int64.self))
        }
    }
}

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
        case .text(let value): (type, bytes) = (25, Self.bytes(value))
        case .blob(let value): (type, bytes) = (17, value)
        case .time(let value): (type, bytes) = (1184, Self.bytes(value.microseconds - Self.epoch))
        }
    }

    /// With U+FFFD for NUL, for which the server would refuse the statement, and with it all that its transaction does for others.
    private static func bytes(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return bytes.contains(0) ? Array(text.kept(.max).utf8) : bytes
    }

    /// Microseconds since 1970, as `timestamptz[]`.
    init(times: [Int64]) { self.init(array: 1185, of: 1184, width: 8, times.map { $0 - Self.epoch }) }
    /// As `integer[]`.
    init(_ numbers: [Int32]) { self.init(array: 1007, of: 23, width: 4, numbers) }
    /// As `bigint[]`.
    init(_ numbers: [Int64]) { self.init(array: 1016, of: 20, width: 8, numbers) }
    /// As `double precision[]`.
    init(_ numbers: [Double]) { self.init(array: 1022, of: 701, width: 8, numbers.map(\.bitPattern)) }

    /// As `text[]`, with NULL for none.
    init(texts: [String?]) {
        type = 1009
        var bytes: [UInt8] = []
        for header in [Int32(1), 1, 25, Int32(texts.count), 1] { bytes.appendBigEndian(header) }
        for text in texts {
            let own = text.map { Self.bytes($0) }
            bytes.appendBigEndian(own.map { Int32($0.count) } ?? -1)
            bytes += own ?? []
        }
        self.bytes = bytes
    }

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

extension StoreError {
    /// From a result that says what went wrong.
    @unsafe init(_ result: OpaquePointer, operation: String, connected: Bool) {
        let state = unsafe Self.text(vigil_pq_sqlstate(result))
        guard connected, !state.isEmpty else {
            self.init(.connectionLost, operation: operation, detail: "the connection to the database broke", databaseCode: state)
            return
        }
        let code = Self.code(state)
        let constraint = unsafe Self.text(vigil_pq_constraint(result))
        // A message about data may quote the data.
        let message = code == .refused ? Self.refusal(state, constraint) : unsafe Self.text(vigil_pq_message(result))
        self.init(code, operation: operation, detail: message, databaseCode: state)
    }

    private static func refusal(_ state: String, _ constraint: String) -> String {
        switch (state, constraint) {
        case ("23514", ""): missingPartition
        case (_, ""): "the database refuses the data"
        default: "the data violates \(constraint)"
        }
    }

    private static let missingPartition = "there is no partition for the time"

    /// The partition that a row belongs into is not there: somebody dropped it.
    var isMissingPartition: Bool { databaseCode == "23514" && detail == Self.missingPartition }

    /// From a connection that could not be made, or broke.
    init(connectionMessage: String, refused: Bool) {
        let message = connectionMessage.split(separator: "\n").joined(separator: "; ")
        let rights = [
            "password", "authentication", "does not exist", "no pg_hba.conf entry", "permission denied", "certificate", "invalid",
            "not permitted",
        ]
        // libpq gives no SQLSTATE for a failed connection, only its English text (lc_messages is the server's: rarely another).
        // A server that starts or stops also says "connection refused", which time mends.
        let isSetting = refused || rights.contains { message.contains($0) }
        self.init(isSetting ? .misconfigured : .unavailable, operation: "connect", detail: message)
    }

    /// https://www.postgresql.org/docs/15/errcodes-appendix.html
    private static func code(_ state: String) -> Code {
        switch state {
        case "53100", "58030", "53200": return .diskFull  // disk_full, io_error, out_of_memory
        case "57P01", "57P02", "57P03", "57P05": return .connectionLost  // shutdown, crash, starting, idle time-out
        case "23505", "40001", "40P01", "55P03", "57014": return .conflict  // unique, serialization, deadlock, lock, cancelled
        case "42501": return .misconfigured  // insufficient_privilege
        case "VGL01": return .leaseLost  // of hold_lease
        default: break
        }
        switch state.prefix(2) {
        case "08": return .connectionLost
        case "53", "57", "25": return .unavailable  // too many connections; a standby takes no writes until it is promoted
        case "28", "3D", "3F": return .misconfigured
        case "22", "23", "54": return .refused
        case "XX": return state == "XX000" ? .failed : .corrupt
        default: return .failed
        }
    }

    private static func text(_ field: UnsafePointer<CChar>?) -> String {
        guard let field = unsafe field else { return "" }
        return unsafe String(cString: field)
    }
}
