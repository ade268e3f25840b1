package import VigilSchema

/// Some of a participant's blocks of samples, each with all that is kept of it.
package struct BlocksPage: Sendable {
    /// Earliest first, one block in each.
    package var groups: [ObservationGroup] = []
    /// The place behind the last; nil where none follow.
    package var next: ReadingsCursor?
}

extension SQLTimelineStore {
    package func blocks(
        participant: String, metric: String, from: Timestamp, to: Timestamp, after: ReadingsCursor?
    ) async throws(StoreError) -> BlocksPage {
        try await readAtLength { connection throws(StoreError) in
            let lookup = Lookup(connection: connection)
            guard let numbers = try lookup.numbers(SeriesRange(participant: participant, metric: metric, from: from, to: to)) else {
                return BlocksPage()
            }
            let start = try lookup.beforeBlocks(of: numbers.metric, reaching: from)
            let cursor = after ?? ReadingsCursor(time: start, metric: 0, source: -1, sequence: .min)
            let rows = try connection.rows(
                blocksSQL,
                [
                    .integer(numbers.participant), .integer(numbers.metric), .time(max(start, cursor.time)), .time(to), .time(from),
                    .time(cursor.time), .integer(cursor.source), .integer(Int64(cursor.sequence)), .integer(Int64(blocksInPage)),
                ])
            var page = BlocksPage()
            let zstd = ZstdContext()
            for row in rows {
                guard let samples = WaveformCodec.decode(row.blob(4), count: Int(row.integer(3)), with: zstd) else {
                    throw StoreError(.corrupt, operation: "query", detail: "a waveform block cannot be decoded")
                }
                let whole = WaveformSegment(source: row.text(8), time: row.time(0), period: row.real(2), samples: samples)
                guard let part = whole.time >= from && row.time(11) <= to ? whole : whole.cut(from: from, to: to) else { continue }
                let observation = Observation(
                    metric: metric, time: part.time, sequence: Int32(truncatingIfNeeded: row.integer(7)),
                    content: .samples(part.samples, period: part.period), unit: row.text(9),
                    zone: row.optionalInteger(6).map { Int16(truncatingIfNeeded: $0) })
                page.groups.append(
                    ObservationGroup(
                        participant: participant, source: part.source, session: row.optionalText(10), received: row.time(5),
                        observations: [observation]))
            }
            if rows.count == blocksInPage, let last = rows.last {
                page.next = ReadingsCursor(
                    time: last.time(0), metric: 0, source: last.integer(1), sequence: Int32(truncatingIfNeeded: last.integer(7)))
            }
            return page
        }
    }
}

/// A block from the bus has 256 KiB as text: a page takes some 20 MB at most.
private let blocksInPage = 100

private let blocksSQL = """
    SELECT w.time, w.source, w.period, w.count, w.samples, w.received, w.zone, w.seq, s.name, m.unit, e.name, w.ends
    FROM waveform w JOIN source s ON s.id = w.source JOIN metric m ON m.id = w.metric LEFT JOIN session e ON e.id = w.session
    WHERE w.participant = $1 AND w.metric = $2 AND w.time >= $3 AND w.time < $4 AND w.ends > $5 AND (w.time, w.source, w.seq) > ($6, $7, $8)
    ORDER BY w.time, w.source, w.seq LIMIT $9
    """
