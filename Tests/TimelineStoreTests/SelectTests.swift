import SQLiteDatabase
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import TimelineStore

@Suite("SELECT statements, in both stores")
struct SelectTests {
    private static let night = start.advanced(bySeconds: 2 * 86_400)

    private static func rows(_ store: any TimelineStore, _ statement: String, limit: Int = 1_000_000) async throws -> [[SQLValue]] {
        let rows = Mutex([[SQLValue]]())
        try await store.select(SelectQuery(statement, limit: limit, timeout: .seconds(60))) { event in
            if case .row(let row) = event { rows.withLock { $0.append(row) } }
            return true
        }
        return rows.withLock { $0 }
    }

    /// Two people's heart rates of three days, a second one's texts, sessions and steps of an hour.
    private static func fill(_ store: any TimelineStore) async throws {
        for person in ["anna", "ben"] {
            for day in 0..<3 {
                let readings = (0..<400).map { heartRate(Double(60 + $0 % 7), at: Double(day * 86_400 + $0) + 0.25) }
                _ = try await store.append([batch(readings, participant: person, source: "watch")])
            }
            _ = try await store.append([batch([note("well", at: 30)], participant: person)])
        }
    }

    @Test("give the same of a sealed store as of one that is not", arguments: StoreKind.sealing)
    func same(_ kind: StoreKind) async throws {
        let day = start.advanced(bySeconds: 86_400)
        let statements = [
            "SELECT * FROM readings ORDER BY time, participant, metric, source, seq",
            "SELECT participant, metric, count(*), sum(value), min(at), max(received) FROM readings GROUP BY 1, 2 ORDER BY 1, 2",
            "SELECT time, value FROM readings WHERE participant = 'anna' AND metric = 'heart-rate' AND time >= \(day.microseconds) AND time < \(day.microseconds + 9_500_000) ORDER BY time DESC",
            "SELECT count(*) FROM readings WHERE at >= '\(SelectMoment.text(day.microseconds).prefix(10))'",
            "SELECT count(*) FROM readings WHERE at < '\(SelectMoment.text(day.microseconds))' AND participant IN ('ben', 'nobody')",
            "SELECT d.day, d.count, count(r.value) FROM daily d JOIN readings r ON r.participant = d.participant AND r.metric = d.metric AND substr(r.at, 1, 10) = d.day GROUP BY 1, 2 ORDER BY 1",
            "SELECT count(*) FROM readings WHERE participant = 'nobody' OR value IS NULL",
            "SELECT participant, text FROM readings WHERE text = 'well' ORDER BY 1",
            "SELECT * FROM daily ORDER BY day, participant, metric", "SELECT participant FROM participants ORDER BY 1",
        ]
        try await kind.withStore { store async throws in
            try await Self.fill(store)
            var open: [[[SQLValue]]] = []
            for statement in statements { open.append(try await Self.rows(store, statement)) }
            #expect(open[0].count == 2402 && open[2].count == 10)
            #expect(try await Self.rows(store, "SELECT count(*) FROM sealed_days") == [[.integer(0)]])
            #expect(try await store.sealDays(before: Self.night).readings == 1600)
            for (statement, rows) in zip(statements, open) {
                let sealed = try await Self.rows(store, statement)
                #expect(sealed == rows, "\(statement)")
            }
            let days = try await Self.rows(store, "SELECT participant, metric, count, min, max FROM sealed_days ORDER BY day, participant")
            let day = [SQLValue.text("heart-rate"), .integer(400), .real(60), .real(66)]
            #expect(days == [[.text("anna")] + day, [.text("ben")] + day, [.text("anna")] + day, [.text("ben")] + day])
            #expect(try await store.count("sealed_days", where: "count = 400 AND max = 66") == 4)
        }
    }

    @Test(
        "change nothing and see nothing else",
        arguments: [
            "DELETE FROM readings", "PRAGMA temp_store", "ATTACH 'x' AS y", "CREATE TABLE t (x)", "SELECT 1; SELECT 2", "",
            "SELECT * FROM audit",
            "SELECT load_extension('x')", "SELECT zeroblob(100000000)", "VACUUM INTO 'x'",
        ])
    func refused(_ statement: String) async throws {
        try await StoreKind.sqlite.withStore { store async throws in
            try await Self.fill(store)
            let error = await #expect(throws: StoreError.self) { _ = try await Self.rows(store, statement) }
            #expect(error?.code == .badRequest)
            #expect(try await store.count("reading") == 2402)
        }
    }

    @Test("end at their limit and their time")
    func bounded() async throws {
        try await StoreKind.sqlite.withStore { store async throws in
            try await Self.fill(store)
            #expect(try await Self.rows(store, "SELECT value FROM readings", limit: 7).count == 7)
            let endless = SelectQuery(
                "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n", limit: 1, timeout: .milliseconds(50)
            )
            let error = await #expect(throws: StoreError.self) { try await store.select(endless) { _ in true } }
            #expect(error?.code == .badRequest && error?.databaseCode == "9")
        }
    }

    @Test("read of a short time of one series no more than a page and a block", arguments: StoreKind.sealing)
    func pushedDown(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await Self.fill(store)
            _ = try await store.sealDays(before: Self.night)
            let conditions = [
                VirtualCondition(column: 0, .atLeast, .integer(start.microseconds)),
                VirtualCondition(column: 0, .less, .integer(start.microseconds + 5_000_000)),
                VirtualCondition(column: 2, .equal, .text("ben")),
                VirtualCondition(column: 3, .equal, .text("heart-rate")),
            ]
            let counting = CountingStore(store)
            let values = try await counting.read { connection throws(StoreError) in
                let table = ReadingsTable(SelectSource(connection))
                do {
                    let rows = try table.rows(conditions)
                    var values: [SQLiteValue] = []
                    while try rows.next() { values.append(rows.value(4)) }
                    return values
                } catch {
                    throw error as? StoreError ?? StoreError(.failed, operation: "test", detail: "\(error)")
                }
            }
            #expect(values == [60, 61, 62, 63, 64].map { .real($0) })
            #expect(counting.counts().rows <= 6)
        }
    }

    @Test("an order by text is the order of time, also before 1970")
    func moments() {
        #expect(SelectMoment.text(-1) == "1969-12-31T23:59:59.999999Z")
        #expect(SelectMoment.text(1_484_840_182_000_500) == "2017-01-19T15:36:22.000500Z")
        let columns = [VirtualColumn("at", isSought: true)]
        func scope(_ comparison: VirtualCondition.Comparison, _ text: String) -> SelectScope {
            SelectScope([VirtualCondition(column: 0, comparison, .text(text))], of: columns)
        }
        #expect(scope(.atLeast, "2017-01-19T15").first == 1_484_784_000_000_000)
        #expect(scope(.less, "2017-01-19").last == 1_484_870_399_999_999)
        #expect(scope(.greater, "now") == SelectScope([], of: columns))
    }
}
