import VigilSchema

/// One append call: prepared once, repeated where other transactions were in the way, without what the database refuses.
struct PostgresAppend {
    /// How often a transaction is repeated at once; after that the caller decides when to try again.
    private static let attempts = 5

    let connection: PostgresConnection

    func run(_ batches: [ObservationBatch]) throws(StoreError) -> [AppendCounts] {
        do throws(StoreError) {
            return try write(connection.prepare(batches))
        } catch  where error.code == .refused {
            // Perhaps only because a participant was erased whom this connection had met.
            connection.dimensions.removeAll()
        }
        let prepared = try connection.prepare(batches)
        do throws(StoreError) {
            return try write(prepared)
        } catch  where error.code == .refused {
            return try write(prepared.removing(poison(prepared)))
        }
    }

    private func write(_ prepared: Prepared, trial: Bool = false) throws(StoreError) -> [AppendCounts] {
        guard !prepared.readings.isEmpty || !prepared.blocks.isEmpty else { return prepared.counts }
        var attempt = 1
        while true {
            do throws(StoreError) {
                try Partitions(connection: connection).prepare(prepared)
                return try PostgresAppender(connection: connection).run(prepared, trial: trial)
            } catch  where attempt < Self.attempts && (error.code == .conflict || error.isMissingPartition) {
                attempt += 1
                connection.months.removeAll()
            }
        }
    }

    private func poison(_ prepared: Prepared) throws(StoreError) -> [RowPosition: String] {
        let search = PoisonSearch { places throws(StoreError) in
            do throws(StoreError) {
                _ = try write(prepared.keeping(places), trial: true)
                return nil
            } catch  where error.code == .refused {
                return error.detail
            }
        }
        return try search.find(in: prepared.readings.map(\.place) + prepared.blocks.map(\.place))
    }
}
