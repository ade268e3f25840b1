import SuiteHarness
import TestSupport

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

    /// A query for the rollups on one side only. Sums are compared to six decimals: in another order the same numbers have another rounding.
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

/// Electrocardiograms of a few wearers for `vigil-stress`, and what must have become of them.
struct WaveCheck: Sendable {
    static let wearers = 4
    /// Blocks of half a second, as fast as time passes.
    static let samples = 125
    let blocks: Int

    init(seconds: Double) { blocks = max(1, Int(seconds * 2)) * Self.wearers }

    /// Sends the blocks as a device does.
    func publish(port: UInt16, receipts: Bool, in folder: TemporaryFolder) throws -> LimitProgram {
        try LimitProgram(
            "publish",
            [
                "--port", "\(port)", "--client-id", "wave-publisher", "--format", "device-block", "--name", "wave", "--participants",
                "\(Self.wearers)", "--base", "1700000000", "--count", "\(blocks)", "--per-message", "\(Self.samples)", "--rate",
                "\(2 * Self.wearers)", "--receipts", receipts ? "1" : "0",
            ], in: folder)
    }

    /// Indicates whether every block is stored, once, whole; and whether the heart rates that were derived are those of the signal, 75 a minute.
    func problems(in store: StoreUnderTest) async throws -> [String] {
        let rows = try await store.rows(
            """
            SELECT p.name, count(*), count(DISTINCT w.time), sum(w.count) FROM waveform w JOIN participant p ON p.id = w.participant \
            WHERE p.name LIKE 'wave-%' GROUP BY 1
            """)
        let wanted = "\(blocks / Self.wearers)"
        let whole = rows.count { $0.count == 4 && $0[1] == wanted && $0[2] == wanted && $0[3] == "\(blocks / Self.wearers * Self.samples)" }
        var problems = whole == Self.wearers ? [] : ["blocks of samples: \(rows) instead of \(wanted) each"]
        let wrong = try await store.rows(
            """
            SELECT count(*) FROM reading r JOIN participant p ON p.id = r.participant JOIN metric m ON m.id = r.metric \
            WHERE p.name LIKE 'wave-%' AND m.name = 'heart-rate' AND (r.value < 65 OR r.value > 85)
            """)
        if wrong.first?.first != "0" { problems.append("\(wrong.first?.first ?? "?") derived heart rates are not the signal's") }
        return problems
    }
}

/// Checks that what a service counts adds up.
enum CounterCheck {
    private static let names = ["received_total", "stored_total", "duplicate_total", "corrected_total", "rejected_total", "in_flight"]

    /// The counters that do not add up; nil where all does, or where the service keeps no such counters. An observation may come while they are read:
    /// what is wrong in earnest stays so.
    static func problem(_ service: SuiteService) -> String? {
        guard service.name == "vigil-timeline" else { return nil }
        var problem: String?
        for _ in 0..<5 {
            guard let values = service.metrics(names.map { "vigil_timeline_observations_\($0)" }) else {
                return "\(service.name) does not answer"
            }
            let sum = values.dropFirst().reduce(0, +)
            if sum == values[0] { return nil }
            problem = "\(service.name) received \(values[0]) and accounts for \(sum)"
        }
        return problem
    }
}
