import TimelineStore

/// An import as a row of the table `imports`, in a SQLite file or PostgreSQL.
extension LedgerEntry {
    static let columns =
        "id, name, size, digest, profile, recipe, state, started, finished, batches, rows, accepted, rejected, empty, stored, duplicates, "
        + "corrections, refused, stored_before"
    /// The table with the columns of `row`, for an `INSERT`.
    static let values = "imports (\(columns)) VALUES (\((1...19).map { "$\($0)" }.joined(separator: ", ")))"
    /// Adds `row`, unless the table has its id, or its content in that way.
    static let insertion = "INSERT INTO \(values) ON CONFLICT DO NOTHING"

    /// The columns' values.
    var row: [SQLValue] {
        let numbers = [batches, rows, accepted, rejected, empty, stored, duplicates, corrections, refused, storedBefore]
        return [.text(id), .text(name), .integer(Int64(size)), .text(digest), .text(profile), .text(recipe), .text(state.rawValue)]
            + [.integer(started), finished.map { .integer($0) } ?? .null] + numbers.map { .integer(Int64($0)) }
    }

    init(_ row: SQLRow) {
        let number = { (column: Int) in Int(row.integer(column)) }
        self.init(
            id: row.text(0), name: row.text(1), size: number(2), digest: row.text(3), profile: row.text(4), recipe: row.text(5),
            state: State(rawValue: row.text(6)) ?? .started, started: row.integer(7), finished: row.isNull(8) ? nil : row.integer(8),
            batches: number(9), rows: number(10), accepted: number(11), rejected: number(12), empty: number(13), stored: number(14),
            duplicates: number(15), corrections: number(16), refused: number(17), storedBefore: number(18))
    }

    /// The imports by a condition and order.
    static func select(_ clause: String, _ values: [SQLValue], _ connection: any SQLConnection) throws(StoreError) -> [LedgerEntry] {
        try connection.rows("SELECT \(columns) FROM imports \(clause)", values).map { LedgerEntry($0) }
    }
}
