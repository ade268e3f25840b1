package import VigilSchema

extension TimelineStore {
    /// The transitions of a participant's alerts in a range, earliest first; of more than `limit` the newest.
    package func alerts(
        participant: String, from: Timestamp, to: Timestamp, limit: Int = 1000
    ) async throws(StoreError) -> [AlertMessage] {
        try await read { connection throws(StoreError) in
            guard let number = try Lookup(connection: connection).participant(participant) else { return [] }
            let rows = try connection.rows(
                """
                SELECT detail FROM alert_event WHERE participant = $1 AND time >= $2 AND time < $3
                ORDER BY time DESC, rule DESC, id DESC LIMIT $4
                """, [.integer(number), .time(from), .time(to), .integer(Int64(limit))])
            var alerts: [AlertMessage] = []
            for row in rows.reversed() { alerts.append(try StoredJSON.value(row.text(0))) }
            // Of one time: as they were decided.
            return alerts.sorted { ($0.time, $0.rule, $0.sequence) < ($1.time, $1.rule, $1.sequence) }
        }
    }
}
