package import VigilSchema

/// A value sent to a database or received from it.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
    /// Microseconds in SQLite, `timestamptz` in PostgreSQL.
    case time(Timestamp)

    /// The text, or null.
    package static func optional(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }
    /// The number, or null.
    package static func optional(_ number: Double?) -> SQLValue { number.map(SQLValue.real) ?? .null }
    /// The number, or null.
    package static func optional(_ number: (some BinaryInteger)?) -> SQLValue { number.map { .integer(Int64($0)) } ?? .null }
    /// The moment, or null.
    package static func optional(_ time: Timestamp?) -> SQLValue { time.map(SQLValue.time) ?? .null }
}
