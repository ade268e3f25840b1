import VigilSchema

/// Finds out which of an append's rows have identities that the database holds.
struct KnownIdentities {
    /// Rows by what there is to do with them.
    struct Sorted<Row> {
        /// The identity is new, to the database and among these.
        var new: [Row] = []
        /// They say what the database says.
        var duplicates: [RowPosition] = []
        /// Those among them that a device says, and that an import had brought.
        var imported: [Row] = []
        /// To be decided one by one, in this order, after the new ones are stored.
        var open: [Row] = []

        /// The number that were not new.
        var known: Int { duplicates.count + open.count }
    }

    /// The first row of each new or changed identity, among these rows.
    struct Seen<Row> {
        let first: Row
        /// A Boolean value that indicates whether all that came of it is what `first` is, which will be stored.
        var isDecided: Bool
    }

    /// Keys are looked up one by one in this transaction: a plan that reads the table through would depend on how large the server thinks it is,
    /// which of a month that has just begun it does not know. The statements say the rest: `LATERAL (… OFFSET 0)` is planned by itself, so that
    /// the given keys are the outer side and the table is never read through once for each of its own rows.
    static let lookedUpOneByOne = "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off"
    /// The condition that makes a row `r` the one with the identity of `s`.
    static let match = "r.time = s.time AND r.participant = s.participant AND r.metric = s.metric AND r.source = s.source AND r.seq = s.seq"

    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    func sort(readings prepared: Prepared) throws(StoreError) -> Sorted<ReadingRow> {
        var sorted = Sorted<ReadingRow>()
        let known = try look(in: "reading", for: prepared.readings.map(\.identity), content: "r.value, r.text, r.origin")
        var seen: [Identity: Seen<ReadingRow>] = [:]
        for (index, reading) in prepared.readings.enumerated() {
            let text = prepared.text(reading)
            if var earlier = seen[reading.identity] {
                let said = prepared.text(earlier.first)
                let isSame = text == said && (text != nil || earlier.first.value == reading.value)
                sorted.add(reading, at: reading.place, repeating: &earlier, isSame: isSame)
                seen[reading.identity] = earlier
            } else if let row = known[Int64(index)] {
                if text == nil ? row.optionalReal(1) == reading.value : row.optionalText(2) == text {
                    sorted.duplicates.append(reading.place)
                    if reading.origin == ReadingRow.none, !row.isNull(3) { sorted.imported.append(reading) }
                } else {
                    seen[reading.identity] = Seen(first: reading, isDecided: false)
                    sorted.open.append(reading)
                }
            } else {
                seen[reading.identity] = Seen(first: reading, isDecided: true)
                sorted.new.append(reading)
            }
        }
        return sorted
    }

    func sort(blocks: [BlockRow]) throws(StoreError) -> Sorted<BlockRow> {
        var sorted = Sorted<BlockRow>()
        let known = try look(in: "waveform", for: blocks.map(\.identity), content: "1")
        var seen: [Identity: Seen<BlockRow>] = [:]
        for (index, block) in blocks.enumerated() {
            if var earlier = seen[block.identity] {
                let isSame = earlier.first.period == block.period && earlier.first.samples == block.samples
                sorted.add(block, at: block.place, repeating: &earlier, isSame: isSame)
                seen[block.identity] = earlier
            } else if known[Int64(index)] == nil {
                seen[block.identity] = Seen(first: block, isDecided: true)
                sorted.new.append(block)
            } else {
                seen[block.identity] = Seen(first: block, isDecided: false)
                sorted.open.append(block)
            }
        }
        return sorted
    }

    /// The rows that the table holds, by the index of their identity.
    private func look(in table: String, for identities: [Identity], content: String) throws(StoreError) -> [Int64: SQLRow] {
        guard let first = identities.min(), let last = identities.max() else { return [:] }
        try connection.execute(Self.lookedUpOneByOne)
        let rows = try connection.rows(
            """
            SELECT s.number - 1, r.*
            FROM unnest($1, $2, $3, $4, $5) WITH ORDINALITY AS s (time, participant, metric, source, seq, number),
                LATERAL (SELECT \(content) FROM \(table) r WHERE \(Self.match) AND r.time >= $6 AND r.time <= $7 OFFSET 0) r
            """,
            columns: PostgresParameter.columns(of: identities) + [
                PostgresParameter(.time(Timestamp(microseconds: first.time))),
                PostgresParameter(.time(Timestamp(microseconds: last.time))),
            ])
        return Dictionary(rows.map { ($0.integer(0), $0) }, uniquingKeysWith: { first, _ in first })
    }
}

extension KnownIdentities.Sorted {
    /// A row whose identity came before among these. The same again, as a publisher that is unsure sends it, needs no question to the database.
    fileprivate mutating func add(_ row: Row, at place: RowPosition, repeating earlier: inout KnownIdentities.Seen<Row>, isSame: Bool) {
        if earlier.isDecided && isSame {
            duplicates.append(place)
        } else {
            earlier.isDecided = false
            open.append(row)
        }
    }
}
