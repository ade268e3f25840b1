package import VigilSchema

extension SQLTimelineStore {
    package func waveform(_ range: SeriesRange, limit: Int) async throws(StoreError) -> [WaveformSegment] {
        try await readAtLength { connection throws(StoreError) in
            let lookup = Lookup(connection: connection)
            guard let numbers = try lookup.numbers(range) else { return [] }
            let values: [SQLValue] = [
                .integer(numbers.participant), .integer(numbers.metric),
                .time(try lookup.beforeBlocks(of: numbers.metric, reaching: range.from)), .time(range.to), .time(range.from),
                .text(range.source ?? ""),
            ]
            // Before any of them is read: what is refused takes no memory.
            let count = try connection.rows("SELECT CAST(sum(w.count) AS bigint) FROM waveform w WHERE \(WaveformSQL.window)", values)
            guard (count.first?.integer(0) ?? 0) <= Int64(limit) else {
                throw StoreError(.badRequest, operation: "query", detail: "the window holds more than \(limit) samples")
            }
            let rows = try connection.rows(WaveformSQL.blocks, values)
            let zstd = ZstdContext()
            var segments: [WaveformSegment] = []
            for row in rows {
                guard let samples = WaveformCodec.decode(row.blob(3), count: Int(row.integer(2)), with: zstd) else {
                    throw StoreError(.corrupt, operation: "query", detail: "a waveform block cannot be decoded")
                }
                let block = WaveformSegment(source: row.text(4), time: row.time(0), period: row.real(1), samples: samples)
                if let part = block.cut(from: range.from, to: range.to) { segments.append(part) }
            }
            return segments
        }
    }
}

private enum WaveformSQL {
    static let window = """
        w.participant = $1 AND w.metric = $2 AND w.time > $3 AND w.time < $4 AND w.ends > $5 AND \(Lookup.isFrom("$6", "w.source"))
        """
    static let blocks = """
        SELECT w.time, w.period, w.count, w.samples, s.name FROM waveform w JOIN source s ON s.id = w.source
        WHERE \(window) ORDER BY w.time, w.source, w.seq
        """
}

extension WaveformSegment {
    /// The samples whose times lie in the window; nil where none does.
    func cut(from: Timestamp, to: Timestamp) -> WaveformSegment? {
        guard period > 0 else { return nil }
        func index(_ moment: Timestamp) -> Int {
            let steps = Double(moment.microseconds - time.microseconds) / (period * 1_000_000)
            return Int(Swift.min(Swift.max(steps.rounded(.up), 0), Double(samples.count)))
        }
        let (first, end) = (index(from), index(to))
        guard first < end else { return nil }
        var part = self
        part.samples = Array(samples[first..<end])
        part.time = time.advanced(bySeconds: Double(first) * period)
        return part
    }
}
