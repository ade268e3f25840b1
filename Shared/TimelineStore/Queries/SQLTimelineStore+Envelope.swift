package import VigilSchema

extension SQLTimelineStore {
    package func envelope(_ range: SeriesRange, width: Int, limit: Int) async throws(StoreError) -> [WaveformEnvelope] {
        guard (1...EnvelopeSteps.most).contains(width), range.from < range.to else {
            throw StoreError(
                .badRequest, operation: "query",
                detail: "an envelope has 1 to \(EnvelopeSteps.most) steps, and its time an end after its start")
        }
        return try await readAtLength { connection throws(StoreError) in
            let lookup = Lookup(connection: connection)
            guard let numbers = try lookup.numbers(range) else { return [] }
            let window: [SQLValue] = [
                .integer(numbers.participant), .integer(numbers.metric),
                .time(try lookup.beforeBlocks(of: numbers.metric, reaching: range.from)), .time(range.to), .time(range.from),
                .text(range.source ?? ""),
            ]
            let count = try connection.rows("SELECT CAST(sum(w.count) AS bigint) FROM waveform w WHERE \(EnvelopeSQL.window)", window)
            guard (count.first?.integer(0) ?? 0) <= Int64(limit) else {
                throw StoreError(.badRequest, operation: "query", detail: "the window holds more than \(limit) samples")
            }
            var steps = EnvelopeSteps(from: range.from, to: range.to, width: width)
            let zstd = ZstdContext()
            var last: [SQLValue] = [window[2], .integer(-1), .integer(Int64(Int32.min))]
            while true {
                let rows = try connection.rows(EnvelopeSQL.blocks, window + last)
                for row in rows {
                    guard let samples = WaveformCodec.decode(row.blob(3), count: Int(row.integer(2)), with: zstd) else {
                        throw StoreError(.corrupt, operation: "query", detail: "a waveform block cannot be decoded")
                    }
                    try steps.add(source: row.text(4), at: row.time(0), period: row.real(1), samples)
                }
                guard rows.count == EnvelopeSQL.page, let end = rows.last else { break }
                last = [.time(end.time(0)), .integer(end.integer(5)), .integer(end.integer(6))]
            }
            return steps.envelopes
        }
    }
}

private enum EnvelopeSQL {
    /// A block from the bus takes some 30 KB: a page takes some 15 MB at most.
    static let page = 500
    static let window = """
        w.participant = $1 AND w.metric = $2 AND w.time > $3 AND w.time < $4 AND w.ends > $5 AND \(Lookup.isFrom("$6", "w.source"))
        """
    static let blocks = """
        SELECT w.time, w.period, w.count, w.samples, s.name, w.source, w.seq FROM waveform w JOIN source s ON s.id = w.source
        WHERE \(window) AND w.time >= $7 AND (w.time, w.source, w.seq) > ($7, $8, $9) ORDER BY w.time, w.source, w.seq LIMIT \(page)
        """
}
