import TestSupport
import Testing
import TimelineStore
import VigilSchema

@Suite("What a database refuses of an append, in both stores")
struct RefusedAppendTests {
    private func airflow(_ value: Double, at seconds: Double) -> Observation {
        Observation(metric: "airflow", time: start.advanced(bySeconds: seconds), content: .value(value), unit: "1")
    }

    @Test(
        "numbers whose sum would be none are rejected, and everybody else's readings stored, by delivery and by redelivery",
        arguments: StoreKind.allCases)
    func numbers(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let values = [(1.7e308, 0.0), (1.7e308, 1), (-1.7e308, 60), (-1.7e308, 61)]
            let batches = [
                batch(values.map { airflow($0.0, at: $0.1) }, participant: "a"),
                batch([heartRate(60), heartRate(61, at: 1)], participant: "b"),
            ]
            for stored in [true, false] {
                let counts = try await store.append(batches)
                #expect(counts[0].rejections.map(\.reason) == Array(repeating: "the value lies beyond 1e140", count: 4))
                #expect(counts[1] == (stored ? AppendCounts(stored: 2) : AppendCounts(duplicates: 2)))
            }
            let greatest = (0..<200).map { airflow(1e140, at: Double($0)) }
            #expect(try await store.append([batch(greatest, participant: "a")]) == [AppendCounts(stored: 200)])
            let range = SeriesRange(participant: "a", metric: "airflow", from: start, to: start.advanced(bySeconds: 300))
            let sum = try await store.series(range, width: 1).first?.sum
            #expect(sum.map { abs($0 / 2e142 - 1) < 1e-9 } == true)
        }
    }

    @Test("blocks and values that were replaced have the same bound", arguments: StoreKind.allCases)
    func others(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let counts = try await store.append([batch([ecg([1, -1e141]), ecg([1, 1e140], at: 10)])])
            #expect(counts[0].rejections.map(\.reason) == ["a sample lies beyond 1e140"] && counts[0].stored == 1)
            var value = ReplacedValue(
                number: 1, metric: "airflow", unit: "1", source: "s", time: start, sequence: 0, received: start, replaced: start)
            value.value = 1e141
            #expect(throws: PayloadError.self) { try value.validate() }
        }
    }

    /// Refuses a third reading of a minute, as no database does: each of the rows is taken by itself, and not all of them.
    private func refuseThree(_ kind: StoreKind) -> String {
        switch kind {
        case .sqlite:
            """
            CREATE TRIGGER few_1 BEFORE INSERT ON rollup_minute WHEN NEW.count > 2 BEGIN SELECT RAISE(ABORT, 'too many'); END;
            CREATE TRIGGER few_2 BEFORE UPDATE ON rollup_minute WHEN NEW.count > 2 BEGIN SELECT RAISE(ABORT, 'too many'); END;
            """
        case .postgres: "ALTER TABLE rollup_minute ADD CONSTRAINT few CHECK (count <= 2)"
        }
    }

    @Test("rows that are refused only together are rejected with their batch, and no other's", arguments: StoreKind.allCases)
    func together(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let sql = refuseThree(kind)
            try await store.write { connection throws(StoreError) in try connection.execute(sql) }
            let many = batch((0..<4).map { heartRate(60, at: Double($0)) }, participant: "a")
            let few = batch([heartRate(70)], participant: "b")
            for stored in [true, false] {
                let counts = try await store.append([many, few])
                #expect(counts[0].rejected == 4 && counts[0].stored == 0, "\(counts)")
                #expect(counts[1] == (stored ? AppendCounts(stored: 1) : AppendCounts(duplicates: 1)))
            }
            // Readings that fit stay: what is refused by itself is found.
            let pair = (0..<2).map { heartRate(60, at: 120 + Double($0)) }
            #expect(try await store.append([batch(pair)]) == [AppendCounts(stored: 2)])
            let third = try await store.append([batch([heartRate(61, at: 122), heartRate(62, at: 300)]), few])
            #expect(third[0].stored == 1 && third[0].rejections.map(\.observation) == [0] && third[1].duplicates == 1, "\(third)")
            #expect(try await store.count("reading", where: "value = 62") == 1)
            #expect(try await store.count("reading", where: "value = 61") == 0)
        }
    }

    @Test("an alert's transition that is refused is rejected alone", arguments: StoreKind.allCases)
    func alerts(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let sql =
                kind == .sqlite
                ? "CREATE TRIGGER odd BEFORE INSERT ON alert_event WHEN NEW.rule = 'odd' BEGIN SELECT RAISE(ABORT, 'odd'); END;"
                : "ALTER TABLE alert_event ADD CONSTRAINT odd CHECK (rule <> 'odd')"
            try await store.write { connection throws(StoreError) in try connection.execute(sql) }
            let alerts = ["tachycardia", "odd", "fever"].map { rule in
                AlertMessage(
                    participant: "12", rule: rule, sequence: 1, transition: "raised", cause: "reading", time: start.seconds,
                    decided: start.seconds, state: "active", severity: "warning", priority: "medium", kind: "medical", group: "heart",
                    since: start.seconds, title: [:])
            }
            let counts = try await store.append(alerts: alerts)
            #expect(counts.stored == 2 && counts.rejections.map(\.group) == [1])
        }
    }
}
