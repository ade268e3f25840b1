import SuiteHarness

/// Compares the rollups with a recount of the readings.
struct RollupCheck {
    let store: StoreUnderTest

    /// One line for each level that differs.
    func problems() async throws -> [String] {
        var problems: [String] = []
        for level in ["minute", "hour", "day"] {
            let different = try await count(of: difference(level))
            guard different != 0 else { continue }
            problems.append("\(different) rollups of a \(level) differ from a recount: \(try await examples(of: difference(level)))")
        }
        return problems
    }

    private func count(of query: String) async throws -> Int {
        let rows = try await store.rows("SELECT count(*) FROM (\(query)) AS different")
        return rows.first.flatMap { Int($0[0]) } ?? -1
    }

    /// Some of those that differ, with their names.
    private func examples(of query: String) async throws -> String {
        let rows = try await store.rows(
            """
            SELECT d.side, p.name, m.name, d.time, d.count, d.sum, d.min, d.max FROM (\(query)) AS d \
            JOIN participant p ON p.id = d.participant JOIN metric m ON m.id = d.metric ORDER BY 2, 3, 4, 1 LIMIT 4
            """)
        return rows.map { $0.joined(separator: " ") }.joined(separator: "; ")
    }

    /// What is on one side only. Sums are compared to six decimals: in another order the same numbers have another rounding.
    private func difference(_ level: String) -> String {
        let recount = """
            SELECT participant, metric, source, \(start(level)) AS time, count(*) AS count, \(rounded("sum(value)")) AS sum, min(value) AS min, \
            max(value) AS max FROM reading WHERE value IS NOT NULL GROUP BY 1, 2, 3, 4
            """
        let kept = "SELECT participant, metric, source, time, count, \(rounded("sum")) AS sum, min, max FROM rollup_\(level)"
        return """
            SELECT 'recount' AS side, a.* FROM (\(recount) EXCEPT \(kept)) AS a \
            UNION ALL SELECT 'kept' AS side, b.* FROM (\(kept) EXCEPT \(recount)) AS b
            """
    }

    private func rounded(_ number: String) -> String {
        switch store {
        case .postgres: "round((\(number))::numeric, 6)"
        case .sqlite: "round(\(number), 6)"
        }
    }

    private func start(_ level: String) -> String {
        switch store {
        case .postgres: "date_trunc('\(level)', time, 'UTC')"
        case .sqlite:
            switch level {
            case "minute": "time - time % 60000000"
            case "hour": "time - time % 3600000000"
            default: "time - time % 86400000000"
            }
        }
    }
}
