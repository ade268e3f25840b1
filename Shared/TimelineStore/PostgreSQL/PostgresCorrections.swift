import VigilSchema

/// Decides about readings whose identities are known by the rule of `CorrectionSQL`, but all at once: statement by statement, the way to the
/// server and back for each of some ten thousand corrections would take a minute.
struct PostgresCorrections {
    private static let identity = "time, participant, metric, source, seq"
    private static let unknown: Int16 = .min

    let connection: PostgresConnection
    let prepared: Prepared

    /// A verdict for each reading; corrections are carried out. Of one identity the readings come in the order in which they are decided.
    func resolve(_ readings: [ReadingRow]) throws(StoreError) -> [(reading: ReadingRow, verdict: Verdict)] {
        var verdicts: [(ReadingRow, Verdict)] = []
        var rest = readings
        while !rest.isEmpty {
            var seen: Set<Identity> = []
            let round = rest.filter { seen.insert($0.identity).inserted }
            verdicts += try decide(round)
            guard round.count < rest.count else { break }
            var decided = Set(round.map(\.place))
            rest.removeAll { decided.remove($0.place) != nil }
        }
        return verdicts
    }

    private func decide(_ readings: [ReadingRow]) throws(StoreError) -> [(ReadingRow, Verdict)] {
        try connection.execute(KnownIdentities.lookedUpOneByOne)
        let known = try knownRows(readings)
        guard known.count == readings.count else { throw StoreError(.conflict, operation: "append", detail: "a reading vanished") }
        // What says the same, or was received before, changes nothing.
        let newer = zip(readings, known).filter { reading, row in
            !equals(reading, row, value: 1, text: 2) && Verdict.isLater(reading.received, than: row.time(3).microseconds)
        }.map(\.0)
        let repeated = try replacedBefore(newer)
        let corrections = newer.filter { !repeated.contains($0.place) }
        try replace(corrections)
        let corrected = Set(corrections.map(\.place))
        return readings.map { ($0, corrected.contains($0.place) ? .correction : .duplicate) }
    }

    /// The rows of these identities, locked, in the same order.
    private func knownRows(_ readings: [ReadingRow]) throws(StoreError) -> [SQLRow] {
        try connection.rows(
            """
            SELECT s.number, r.*
            FROM (SELECT * FROM unnest($1, $2, $3, $4, $5) WITH ORDINALITY ORDER BY 6) AS s (\(Self.identity), number),
                LATERAL (
                    SELECT r.value, r.text, r.received FROM reading r
                    WHERE \(KnownIdentities.match) AND r.time >= $6 AND r.time <= $7 OFFSET 0 FOR UPDATE
                ) r
            """, columns: keys(readings) + reach(readings))
    }

    /// The places of those that were replaced before: a late repetition.
    private func replacedBefore(_ readings: [ReadingRow]) throws(StoreError) -> Set<RowPosition> {
        guard !readings.isEmpty else { return [] }
        let rows = try connection.rows(
            """
            SELECT s.number - 1, r.*
            FROM unnest($1, $2, $3, $4, $5, $6) WITH ORDINALITY AS s (\(Self.identity), received, number),
                LATERAL (
                    SELECT r.value, r.text FROM correction r
                    WHERE \(KnownIdentities.match) AND r.samples IS NULL AND r.received = s.received OFFSET 0
                ) r
            """, columns: keys(readings) + [PostgresParameter(times: readings.map(\.received))])
        var places: Set<RowPosition> = []
        for row in rows {
            let reading = readings[Int(row.integer(0))]
            if equals(reading, row, value: 1, text: 2) { places.insert(reading.place) }
        }
        return places
    }

    private func replace(_ readings: [ReadingRow]) throws(StoreError) {
        guard !readings.isEmpty else { return }
        let own = "\(Self.identity), value, text, received, session, origin, zone"
        _ = try connection.rows(
            """
            INSERT INTO correction (\(own), replaced)
            SELECT r.*, s.replaced
            FROM unnest($1, $2, $3, $4, $5, $6) AS s (\(Self.identity), replaced),
                LATERAL (
                    SELECT \(own.split(separator: ", ").map { "r.\($0)" }.joined(separator: ", ")) FROM reading r
                    WHERE \(KnownIdentities.match) AND r.time >= $7 AND r.time <= $8 OFFSET 0
                ) r
            """, columns: keys(readings) + [PostgresParameter(times: readings.map(\.received))] + reach(readings))
        // They are there, and locked: what is inserted takes the place of each.
        _ = try connection.rows(
            """
            INSERT INTO reading (\(own))
            SELECT \(Self.identity), CASE WHEN text IS NULL THEN value END, text, received, NULLIF(session, \(ReadingRow.none)),
                NULLIF(origin, \(ReadingRow.none)), NULLIF(zone, \(Self.unknown))::smallint
            FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS s (\(own))
            ON CONFLICT (\(Self.identity)) DO UPDATE SET value = excluded.value, text = excluded.text, received = excluded.received,
                session = excluded.session, origin = excluded.origin, zone = excluded.zone
            """,
            columns: keys(readings) + [
                PostgresParameter(readings.map(\.value)), PostgresParameter(texts: readings.map { prepared.text($0) }),
                PostgresParameter(times: readings.map(\.received)), PostgresParameter(readings.map(\.session)),
                PostgresParameter(readings.map(\.origin)), PostgresParameter(readings.map { Int32($0.zone) }),
            ])
    }

    /// A device has said what an import had brought: it stays where that is undone.
    func keepBeyondUndo(_ readings: [ReadingRow]) throws(StoreError) {
        guard !readings.isEmpty else { return }
        _ = try connection.rows(
            """
            UPDATE reading r SET origin = NULL FROM unnest($1, $2, $3, $4, $5) AS s (\(Self.identity))
            WHERE \(KnownIdentities.match) AND r.time >= $6 AND r.time <= $7
            """, columns: keys(readings) + reach(readings))
    }

    private func equals(_ reading: ReadingRow, _ row: SQLRow, value: Int, text: Int) -> Bool {
        guard let said = prepared.text(reading) else { return row.optionalReal(value) == reading.value }
        return row.optionalText(text) == said
    }

    private func keys(_ readings: [ReadingRow]) -> [PostgresParameter] { PostgresParameter.columns(of: readings.map(\.identity)) }

    /// The first and the last time, so that the server opens no other partitions.
    private func reach(_ readings: [ReadingRow]) -> [PostgresParameter] {
        let times = readings.map(\.identity.time)
        return [times.min() ?? 0, times.max() ?? 0].map { PostgresParameter(.time(Timestamp(microseconds: $0))) }
    }
}

extension PostgresParameter {
    /// The columns time, participant, metric, source and seq.
    static func columns(of identities: [Identity]) -> [PostgresParameter] {
        [
            PostgresParameter(times: identities.map(\.time)), PostgresParameter(identities.map(\.participant)),
            PostgresParameter(identities.map(\.metric)), PostgresParameter(identities.map(\.source)),
            PostgresParameter(identities.map(\.sequence)),
        ]
    }
}
