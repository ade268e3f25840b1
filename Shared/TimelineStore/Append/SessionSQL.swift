import VigilSchema

/// Keeps from when to when a session's observations reach.
enum SessionSQL {
    static let sql = """
        UPDATE session SET
            first_time = CASE WHEN first_time < $2 THEN first_time ELSE $2 END,
            last_time = CASE WHEN last_time > $3 THEN last_time ELSE $3 END
        WHERE id = $1 AND (first_time IS NULL OR first_time > $2 OR last_time < $3)
        """

    /// The statement's values for each session of the rows.
    static func values(_ prepared: Prepared) -> [[SQLValue]] {
        bounds(prepared).sorted { $0.key < $1.key }.map { session, times in
            [
                .integer(Int64(session)), .time(Timestamp(microseconds: times.lowerBound)),
                .time(Timestamp(microseconds: times.upperBound)),
            ]
        }
    }

    private static func bounds(_ prepared: Prepared) -> [Int32: ClosedRange<Int64>] {
        var bounds: [Int32: ClosedRange<Int64>] = [:]
        func add(_ session: Int32, _ first: Int64, _ last: Int64) {
            guard session != Reading.none else { return }
            let known = bounds[session] ?? first...last
            bounds[session] = min(known.lowerBound, first)...max(known.upperBound, last)
        }
        for reading in prepared.readings { add(reading.session, reading.identity.time, reading.identity.time) }
        for block in prepared.blocks { add(block.session, block.identity.time, block.ends) }
        return bounds
    }
}
