/// What undoing an import did.
package struct UndoReport: Hashable, Sendable, Codable {
    /// Observations that are gone.
    package var removed = 0
    /// Observations that have the content again which they had before the import corrected it.
    package var restored = 0

    /// A report of nothing.
    package init() {}
}

extension TimelineStore {
    /// Takes back exactly what the batches of one origin added, in one transaction: new observations are removed, corrected ones get
    /// back what the import replaced, and rollups are counted anew.
    ///
    /// What arrived later stays: an observation that something else corrected after the import keeps that content. Time: the table of
    /// readings is read through once.
    /// - Parameter origin: the import's id; one that nothing has come from gives a report of nothing.
    package func undo(origin: String) async throws(StoreError) -> UndoReport {
        try await write { connection throws(StoreError) in
            guard let number = try connection.rows("SELECT id FROM origin WHERE name = $1", [.text(origin)]).first?.integer(0) else {
                return UndoReport()
            }
            return try OriginRemoval(connection: connection, origin: number).run()
        }
    }
}
