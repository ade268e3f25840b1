package import VigilSchema

/// What is done now and then, beside everybody's work, through a connection of its own.
extension PostgresStore {
    package func maintain<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await keeper.perform(within: limits.change) { connection throws(StoreError) in
            try connection.transaction { () throws(StoreError) in try body(connection) }
        }
    }

    package func indexMonths() async throws(StoreError) -> [String] {
        var made: [String] = []
        do throws(StoreError) {
            let missing = try await keeper.perform(within: limits.change) { connection throws(StoreError) in
                try SeriesIndexes(connection: connection).missing()
            }
            for partition in missing where !Task.isCancelled {
                try await keeper.perform(within: limits.change) { connection throws(StoreError) in
                    try SeriesIndexes(connection: connection).make(partition)
                }
                made.append(partition)
            }
        } catch {
            await keeper.close()
            throw error
        }
        // With the connection goes the lock.
        await keeper.close()
        return made
    }

    package func shrinkMonths() async throws(StoreError) -> [String] {
        var shrunk: [String] = []
        do throws(StoreError) {
            let sparse = try await keeper.perform(within: limits.change) { connection throws(StoreError) in
                try SparseMonths(connection: connection).candidates()
            }
            for partition in sparse where !Task.isCancelled {
                let isDone = try await keeper.perform(within: limits.change) { connection throws(StoreError) in
                    try SparseMonths(connection: connection).shrink(partition)
                }
                if isDone { shrunk.append(partition) }
            }
        } catch {
            await keeper.close()
            throw error
        }
        // With the connection goes the lock.
        await keeper.close()
        return shrunk
    }

    package func packMonths(now: Timestamp) async throws(StoreError) -> PackingReport {
        var report = PackingReport()
        do throws(StoreError) {
            for level in RollupPacking.levels { try await pack(level, now, &report) }
            try await packing(.day) { packing throws(StoreError) in try packing.end() }
        } catch {
            await keeper.close()
            // Somebody who writes or vacuums for long is in the way.
            guard error.code == .conflict else { throw error }
            report.isComplete = false
        }
        await keeper.close()
        return report
    }

    /// Packs the months of a level that are over, pass by pass.
    private func pack(_ level: RollupLevel, _ now: Timestamp, _ report: inout PackingReport) async throws(StoreError) {
        while var pass = try await packing(level, { packing throws(StoreError) in try packing.begin(now: now) }) {
            repeat {
                guard !Task.isCancelled else { return report.isComplete = false }
                let step = try await packing(level) { [pass] packing throws(StoreError) in
                    var next = pass
                    return (rows: try packing.step(&next), pass: next)
                }
                report.add(step.rows, to: level.table)
                pass = step.pass
            } while pass.after != nil
        }
    }

    private func packing<Result: Sendable>(
        _ level: RollupLevel, _ body: @Sendable @escaping (RollupPacking) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await keeper.perform(within: limits.change) { connection throws(StoreError) in
            try body(RollupPacking(connection: connection, level: level))
        }
    }
}
