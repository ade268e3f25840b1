package import VigilSchema

extension SQLTimelineStore {
    package func alerts(
        participant: String, from: Timestamp, to: Timestamp, limit: Int, offset: Int
    ) async throws(StoreError) -> [AlertMessage] {
        try await read { connection throws(StoreError) in
            guard let number = try Lookup(connection: connection).participant(participant) else { return [] }
            let rows = try connection.rows(
                """
                SELECT detail FROM alert_event WHERE participant = $1 AND time >= $2 AND time < $3
                ORDER BY time DESC, rule DESC, id DESC LIMIT $4 OFFSET $5
                """, [.integer(number), .time(from), .time(to), .integer(Int64(limit)), .integer(Int64(offset))])
            var alerts: [AlertMessage] = []
            for row in rows.reversed() { alerts.append(try StoredJSON.value(row.text(0))) }
            // Of one time: as they were decided.
            return alerts.sorted { ($0.time, $0.rule, $0.sequence) < ($1.time, $1.rule, $1.sequence) }
        }
    }
}

/// Stores alerts' transitions, in the dialect of both databases.
struct AlertAppend<Connection: SQLConnection> {
    let connection: Connection

    func run(_ alerts: [AlertMessage], _ dimensions: inout DimensionCache) throws(StoreError) -> AppendCounts {
        var participants: [Int32] = []
        var names = RememberedNames()
        for alert in alerts {
            let number = try dimensions.participant(alert.participant, on: connection)
            participants.append(number)
            names.insert(participant: alert.participant, number)
        }
        return try connection.transaction { () throws(StoreError) in
            try names.check(on: connection)
            var counts = AppendCounts()
            for (alert, participant) in zip(alerts, participants) {
                let values = try alert.values(participant)
                counts.count(try connection.run(Self.insert, values) > 0 ? .new : .duplicate)
            }
            return counts
        }
    }

    private static var insert: String {
        """
        INSERT INTO alert_event (participant, id, rule, time, transition, state, severity, priority, title, message, detail)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (participant, id) DO NOTHING
        """
    }
}

extension AlertMessage {
    /// Tells a participant's transitions apart. The time is in it, because the numbers start anew where the alerts' state was lost.
    private var identity: String { "\(rule)/\(sequence)/\(Timestamp(seconds: time).microseconds)" }

    fileprivate func values(_ participant: Int32) throws(StoreError) -> [SQLValue] {
        [
            .integer(Int64(participant)), .text(identity), .text(rule), .time(Timestamp(seconds: time)), .text(transition), .text(state),
            .text(severity), .text(priority), .optional(Self.shown(title)), .optional(Self.shown(message)),
            .text(try StoredJSON.text(self)),
        ]
    }

    /// The English text for who reads the table; every language is in the detail.
    private static func shown(_ texts: [String: String]) -> String? { texts["en"] ?? texts.min { $0.key < $1.key }?.value }
}
