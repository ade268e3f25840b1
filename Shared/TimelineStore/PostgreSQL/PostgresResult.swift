import CPostgres
import VigilSchema

/// A query's result in binary format; freed with this.
@safe struct PostgresResult: ~Copyable {
    private let result: OpaquePointer

    @unsafe init(_ result: OpaquePointer) { unsafe self.result = result }

    deinit { unsafe PQclear(result) }

    /// How many rows the statement changed.
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
