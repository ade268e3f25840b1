import VigilSchema

/// Replaces what is known by what was received later, in the dialect of both databases.
enum CorrectionSQL {
    static let identity = "time = $1 AND participant = $2 AND metric = $3 AND source = $4 AND seq = $5"

    /// Decides about a block whose identity is known, and replaces what is known where it is a correction.
    static func resolve(_ block: BlockRow, on connection: some SQLConnection) throws(StoreError) -> Verdict {
        let key = block.identity.values
        let known = try connection.rows(
            "SELECT period, count, samples, received, origin FROM waveform WHERE \(identity) \(lock(connection))", key)
        guard let known = known.first else { throw StoreError(.conflict, operation: "append", detail: "a block vanished") }
        let same = block.equals(known)
        let verdict = try Verdict.of(same: same, received: block.received, known: known.integer(3)) {
            () throws(StoreError) in
            let earlier = try connection.rows(
                "SELECT period, count, samples FROM correction WHERE \(identity) AND samples IS NOT NULL AND received = $6",
                key + [.time(Timestamp(microseconds: block.received))])
            return earlier.contains { block.equals($0) }
        }
        if same, block.origin == ReadingRow.none, !known.isNull(4) { try keepBeyondUndo("waveform", key, on: connection) }
        guard verdict == .correction else { return verdict }
        try keep("period, count, samples", from: "waveform", key, replaced: block.received, on: connection)
        let set = "ends = $6, period = $7, count = $8, min = $9, max = $10, samples = $11, received = $12, session = $13, origin = $14"
        try connection.run(
            "UPDATE waveform SET \(set), zone = $15 WHERE \(identity)", key + block.content + block.circumstances)
        return verdict
    }

    /// A device has said what an import had brought: it stays where that is undone.
    private static func keepBeyondUndo(_ table: String, _ key: [SQLValue], on connection: some SQLConnection) throws(StoreError) {
        try connection.run("UPDATE \(table) SET origin = NULL WHERE \(identity)", key)
    }

    /// Copies what is about to be replaced.
    private static func keep(
        _ content: String, from table: String, _ key: [SQLValue], replaced: Int64, on connection: some SQLConnection
    ) throws(StoreError) {
        let kept = "time, participant, metric, source, seq, \(content), received, session, origin, zone"
        try connection.run(
            "INSERT INTO correction (\(kept), replaced) SELECT \(kept), $6 FROM \(table) WHERE \(identity)",
            key + [.time(Timestamp(microseconds: replaced))])
    }

    private static func lock(_ connection: some SQLConnection) -> String { type(of: connection).lockingClause }
}

extension Identity {
    /// The values of `CorrectionSQL.identity`.
    var values: [SQLValue] {
        [
            .time(Timestamp(microseconds: time)), .integer(Int64(participant)), .integer(Int64(metric)), .integer(Int64(source)),
            .integer(Int64(sequence)),
        ]
    }
}

extension BlockRow {
    /// The columns received, session, origin, zone.
    var circumstances: [SQLValue] { circumstanceValues(received, session, origin, zone) }

    /// The columns ends, period, count, min, max, samples.
    var content: [SQLValue] {
        [
            .time(Timestamp(microseconds: ends)), .real(period), .integer(Int64(samples.count)), .real(samples.min() ?? 0),
            .real(samples.max() ?? 0), .blob(encoded),
        ]
    }

    /// Returns whether the columns period, count, samples hold the same.
    func equals(_ row: SQLRow) -> Bool {
        guard row.real(0) == period, row.integer(1) == Int64(samples.count) else { return false }
        // Another version of zstd may have made other bytes of the same samples.
        return row.blob(2) == encoded || WaveformCodec.decode(row.blob(2), count: samples.count, with: ZstdContext()) == samples
    }
}

private func circumstanceValues(_ received: Int64, _ session: Int32, _ origin: Int32, _ zone: Int16) -> [SQLValue] {
    [
        .time(Timestamp(microseconds: received)), session == ReadingRow.none ? .null : .integer(Int64(session)),
        origin == ReadingRow.none ? .null : .integer(Int64(origin)), zone == .min ? .null : .integer(Int64(zone)),
    ]
}

/// Finds the rows that the database refuses, by trying ever smaller parts.
///
/// n rows with p poisonous ones among them take about 2 p log2 n trials.
struct PoisonSearch {
    /// Returns the reason why the database refuses these rows together; nil where it takes them.
    let refusal: (Set<RowPosition>) throws(StoreError) -> String?

    /// The poisonous among the places, each with the reason.
    func find(in places: [RowPosition]) throws(StoreError) -> [RowPosition: String] {
        guard !places.isEmpty, let reason = try refusal(Set(places)) else { return [:] }
        if places.count == 1 { return [places[0]: reason] }
        let middle = places.count / 2
        let left = try find(in: Array(places[..<middle]))
        return try left.merging(find(in: Array(places[middle...]))) { first, _ in first }
    }
}
