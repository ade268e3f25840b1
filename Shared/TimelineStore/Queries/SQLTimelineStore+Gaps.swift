package import VigilSchema

extension SQLTimelineStore {
    package func gaps(_ range: SeriesRange, longerThan seconds: Double) async throws(StoreError) -> [SeriesGap] {
        try await readAtLength { connection throws(StoreError) in
            guard let hearing = try HeardTimes(connection, range, longestPause: seconds) else { return [] }
            var heard: [HeardTimes.Run]
            // Gaps inside a minute do not show in the rollups.
            let hasRollups = try Lookup(connection: connection).hasRollups()
            if seconds >= 60 && hasRollups {
                heard = try hearing.minutes() + hearing.readings(where: "text IS NOT NULL", isOfTexts: true)
            } else {
                heard = try hearing.readings(where: "true")
            }
            heard += try hearing.blocks()
            return SeriesGap.between(heard, in: range, longerThan: seconds)
        }
    }
}

extension SeriesGap {
    /// The parts of a range without the times in which something was heard, where they are longer than `seconds`.
    static func between(_ heard: [(from: Timestamp, to: Timestamp)], in range: SeriesRange, longerThan seconds: Double) -> [SeriesGap] {
        var gaps: [SeriesGap] = []
        var end = range.from
        func silence(until next: Timestamp) {
            if Double(next.microseconds - end.microseconds) > seconds * 1_000_000 { gaps.append(SeriesGap(from: end, to: next)) }
        }
        for time in heard.sorted(by: { $0.from < $1.from }) where time.to >= range.from {
            silence(until: time.from)
            end = max(end, time.to)
        }
        silence(until: range.to)
        return gaps
    }
}
