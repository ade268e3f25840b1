import SuiteHarness

/// Compares the rollups with a recount of the readings.
struct RollupCheck {
    let store: StoreUnderTest

    /// One line for each level that differs.
    func problems() async throws -> [String] {
        var problems: [String] = []
        for level in ["minute", "hour", "day"] {
            let different = try await count(of: difference(level))
            if different != 0 { problems.append("\(different) rollups of a \(level) differ from a recount") }
        }
        return problems
    }

    private func count(of query: String) async throws -> Int {
        let rows = try await store.rows("SELECT count(*) FROM (\(query)) AS different")
        return rows.first.flatMap { Int($0[0]) } ?? -1
    }

    /// What is on one side only. Values are whole numbers, so that sums are exact in any order.
    private func difference(_ level: String) -> String {
        let recount = """
            SELECT participant, metric, source, \(start(level)) AS time, count(*) AS count, sum(value) AS sum, min(value) AS min, \
            max(value) AS max FROM reading WHERE value IS NOT NULL GROUP BY 1, 2, 3, 4
            """
        let kept = "SELECT participant, metric, source, time, count, sum, min, max FROM rollup_\(level)"
        return "SELECT * FROM (\(recount) EXCEPT \(kept)) AS a UNION ALL SELECT * FROM (\(kept) EXCEPT \(recount)) AS b"
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
