extension TimelineStore {
    /// Counts all rollups anew from the readings, in one transaction, where rollups are kept: for a database that was repaired by hand.
    package func recountRollups() async throws(StoreError) {
        try await write { connection throws(StoreError) in
            guard try Lookup(connection: connection).hasRollups() else { return }
            try RollupRebuild(connection: connection).run()
        }
    }
}
