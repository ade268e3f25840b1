import VigilSchema

/// Stores what a database takes of an append that it refuses as a whole.
///
/// First without the rows that it refuses by themselves. Where it takes every half and still not all, as rows may be refused only together, each
/// batch by itself; and one that is refused even then is rejected: what came in it would be delivered for ever otherwise, and keep everybody's
/// readings behind it from being stored.
struct Salvage {
    /// The batches as rows, whose names are known to the database at this moment.
    let prepare: ([ObservationBatch]) throws(StoreError) -> Prepared
    /// Stores rows in a transaction; a trial's is rolled back.
    let write: (_ rows: Prepared, _ isTrial: Bool) throws(StoreError) -> [AppendCounts]

    func run(_ batches: [ObservationBatch]) throws(StoreError) -> [AppendCounts] {
        let prepared = try prepare(batches)
        do throws(StoreError) {
            return try write(prepared, false)
        } catch  where error.code == .refused {
            return try store(batches, prepared.removing(poison(prepared)))
        }
    }

    private func store(_ batches: [ObservationBatch], _ rest: Prepared) throws(StoreError) -> [AppendCounts] {
        do throws(StoreError) {
            return try write(rest, false)
        } catch  where error.code == .refused {
            guard batches.count > 1 else { return rest.rejected(error.detail).counts }
        }
        var counts: [AppendCounts] = []
        for batch in batches { counts += try run([batch]) }
        return counts
    }

    private func poison(_ prepared: Prepared) throws(StoreError) -> [RowPosition: String] {
        let search = PoisonSearch { places throws(StoreError) in
            do throws(StoreError) {
                _ = try write(prepared.keeping(places), true)
                return nil
            } catch  where error.code == .refused {
                return error.detail
            }
        }
        return try search.find(in: prepared.places)
    }
}

extension Prepared {
    /// The places of its rows.
    var places: [RowPosition] { readings.map(\.place) + blocks.map(\.place) }

    /// The same without any rows, which are all rejected for a reason.
    func rejected(_ reason: String) -> Prepared { removing(Dictionary(places.map { ($0, reason) }) { first, _ in first }) }
}
