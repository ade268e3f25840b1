package import VigilSchema

extension SQLTimelineStore {
    package func series(_ range: SeriesRange, width: Int) async throws(StoreError) -> [SeriesBucket] {
        guard (1...10_000).contains(width) else {
            throw StoreError(.badRequest, operation: "query", detail: "a series has 1 to 10000 steps")
        }
        let step = Swift.max(1, (range.to.microseconds - range.from.microseconds + Int64(width) - 1) / Int64(width))
        return try await read { connection throws(StoreError) in
            var steps: [(Int64, Aggregate)] = []
            func add(_ aggregate: Aggregate, at time: Timestamp) {
                let index = Swift.max(0, (time.microseconds - range.from.microseconds) / step)
                if let last = steps.indices.last, steps[last].0 == index {
                    steps[last].1.merge(aggregate)
                } else {
                    steps.append((index, aggregate))
                }
            }
            let level = RollupLevel.allCases.last { $0.width * 2 <= step }
            guard var stream = try BucketStream(connection, range, by: CounterRule(step: step)) else { return [] }
            if let level {
                try stream.forEachBucket(of: [.init(from: range.from, to: range.to, level: level)]) { add($0.aggregate, at: $0.start) }
            } else {
                let start = { (time: Timestamp) in
                    Timestamp(microseconds: time.microseconds - (time.microseconds - range.from.microseconds) % step)
                }
                try stream.forEachStep(from: range.from, to: range.to, start: start) { add($0.aggregate, at: $0.start) }
            }
            return steps.map { index, aggregate in
                SeriesBucket(aggregate, start: Timestamp(microseconds: range.from.microseconds + index * step))
            }
        }
    }
}

extension SeriesBucket {
    /// A bucket's figures; a single reading keeps its own time.
    init(_ aggregate: Aggregate, start: Timestamp) {
        self.init(
            time: aggregate.count == 1 ? aggregate.firstTime : start, count: aggregate.count, min: aggregate.min, max: aggregate.max,
            mean: aggregate.mean, sum: aggregate.sum, first: aggregate.first, last: aggregate.last)
    }
}
