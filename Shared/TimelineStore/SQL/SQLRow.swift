package import VigilSchema

/// One row of a result. Columns count from 0; a column read as another type than it holds gives that type's zero.
package struct SQLRow: Hashable, Sendable {
    package let values: [SQLValue]

    package init(_ values: [SQLValue]) { self.values = values }

    package func isNull(_ column: Int) -> Bool { values[column] == .null }

    package func integer(_ column: Int) -> Int64 {
        switch values[column] {
        case .integer(let value): value
        case .real(let value): Int64(exactly: value.rounded()) ?? 0
        case .time(let value): value.microseconds
        default: 0
        }
    }

    package func real(_ column: Int) -> Double {
        switch values[column] {
        case .real(let value): value
        case .integer(let value): Double(value)
        default: 0
        }
    }

    package func text(_ column: Int) -> String {
        if case .text(let value) = values[column] { value } else { "" }
    }

    package func blob(_ column: Int) -> [UInt8] {
        if case .blob(let value) = values[column] { value } else { [] }
    }

    /// A moment; SQLite's integers are microseconds.
    package func time(_ column: Int) -> Timestamp { Timestamp(microseconds: integer(column)) }

    package func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
    package func optionalReal(_ column: Int) -> Double? { isNull(column) ? nil : real(column) }
    package func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }
    package func optionalTime(_ column: Int) -> Timestamp? { isNull(column) ? nil : time(column) }
}
