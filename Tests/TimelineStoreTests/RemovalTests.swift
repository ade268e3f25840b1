import Foundation
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@Suite("Removal, in both stores")
struct RemovalTests {
    /// Everything that the tables of observations and rollups hold, without the numbers of corrections.
    private func content(_ store: any SQLTimelineStore) async throws -> [[SQLRow]] {
        try await store.read { connection throws(StoreError) in
            let identity = "time, participant, metric, source, seq"
            return [
                try connection.rows("SELECT * FROM reading ORDER BY \(identity)"),
                try connection.rows("SELECT * FROM waveform ORDER BY \(identity)"),
                try connection.rows("SELECT \(identity), value, text, received, replaced FROM correction ORDER BY id"),
                try connection.rows("SELECT * FROM rollup_minute ORDER BY participant, metric, time, source"),
                try connection.rows("SELECT * FROM rollup_hour ORDER BY participant, metric, time, source"),
                try connection.rows("SELECT * FROM rollup_day ORDER BY participant, metric, time, source"),
            ]
        }
    }

    @Test("undoes an import exactly: new observations go, corrected ones are as before", arguments: StoreKind.allCases)
    func undo(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let later = start.advanced(bySeconds: 5)
            _ = try await store.append([batch([heartRate(60), heartRate(61, at: 1), note("a"), ecg([1, 2])])])
            let before = try await content(store)
            let added = [heartRate(99), heartRate(62, at: 4000), note("b"), note("c", at: 3), ecg([5, 7, 9]), ecg([3], at: 9)]
            let counts = try await store.append([batch(added, received: later, origin: "import-1")])
            #expect(counts == [AppendCounts(stored: 3, corrections: 3)])
            let report = try await store.undo(origin: "import-1")
            #expect(report.removed == 3 && report.restored == 3)
            #expect(try await content(store) == before)
            #expect(try await store.undo(origin: "import-1") == UndoReport())
        }
    }

    @Test(
        "removes one source's readings of one moment with what they replaced, and counts their day anew; nothing else goes",
        arguments: StoreKind.allCases)
    func removedReadings(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let later = start.advanced(bySeconds: 5)
            _ = try await store.append([batch([heartRate(50)], source: "watch"), batch([heartRate(61, at: 1)], source: "manual.ada")])
            let before = try await content(store)
            _ = try await store.append([batch([heartRate(60), note("a")], source: "manual.ada")])
            _ = try await store.append([batch([heartRate(66)], source: "manual.ada", received: later)])
            for (metrics, source, time) in [
                (["heart-rate"], "manual.ben", start), (["pain"], "manual.ada", start), (["heart-rate"], "manual.ada", later),
            ] {
                #expect(try await store.removeReadings(metrics, participant: "12", source: source, at: time) == 0)
            }
            #expect(try await store.removeReadings(["heart-rate"], participant: "13", source: "manual.ada", at: start) == 0)
            let removed = try await store.removeReadings(["heart-rate", "note"], participant: "12", source: "manual.ada", at: start)
            #expect(removed == 2)
            #expect(try await content(store) == before)
            // The same may be typed in again.
            #expect(try await store.append([batch([heartRate(60)], source: "manual.ada")]) == [AppendCounts(stored: 1)])
        }
    }

    @Test("an undone import leaves no sessions and participants behind that nothing else names", arguments: StoreKind.allCases)
    func undoneNames(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            _ = try await store.append([batch([heartRate(60)], session: "both"), batch([heartRate(50)], participant: "own")])
            try await store.setProfile(ParticipantProfile(first: "Known"), participant: "profile")
            let entry = TimelineEntry(id: "a", kind: .note, time: start, description: "said")
            try await store.post(entry, participant: "import-entry", received: start, origin: "import-1")
            _ = try await store.append([
                batch([heartRate(61, at: 7200)], session: "both", origin: "import-1"),
                batch([heartRate(62, at: 9), note("x"), ecg([1, 2])], session: "only", origin: "import-1"),
                batch([heartRate(62, at: 9)], participant: "only", session: "only", origin: "import-1"),
                batch([note("x")], participant: "texts", origin: "import-1"), batch([ecg([1])], participant: "waves", origin: "import-1"),
                batch([heartRate(62)], participant: "profile", origin: "import-1"),
                batch([heartRate(62)], participant: "own", origin: "import-1"),
            ])
            #expect(try await store.undo(origin: "import-1").removed == 9)
            #expect(try await store.participants() == ["12", "own", "profile"])
            #expect(try await store.sessions(participant: "12") == [SessionSummary(name: "both", first: start, last: start)])
            #expect(try await store.count("session") == 1)
            #expect(try await store.append([batch([heartRate(62)], participant: "only", session: "only")]) == [AppendCounts(stored: 1)])
        }
    }

    @Test("undoing days of several series leaves the rollups as a count of what is left", arguments: StoreKind.allCases)
    func undoneRollups(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let days = (0..<40).flatMap { day in (0..<5).map { heartRate(60 + Double($0), at: Double(day) * 43_200 + Double($0) * 40) } }
            _ = try await store.append([batch(days)])
            _ = try await store.append([
                batch(days, source: "strap", origin: "import-1"), batch(days, participant: "13", origin: "import-1"),
            ])
            let before = try await content(store)
            let more = days.map { heartRate(99, at: $0.time.seconds - start.seconds + 7) }
            _ = try await store.append([batch(more, origin: "import-2"), batch(more, source: "strap", origin: "import-2")])
            #expect(try await store.undo(origin: "import-2").removed == 400)
            #expect(try await content(store) == before)
        }
    }

    @Test("keeps what was received after the import that is undone", arguments: StoreKind.allCases)
    func kept(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            _ = try await store.append([batch([heartRate(60)], origin: "import-1")])
            _ = try await store.append([batch([heartRate(61)], received: start.advanced(bySeconds: 5))])
            #expect(try await store.undo(origin: "import-1") == UndoReport())
            #expect(try await store.count("reading", where: "value = 61") == 1)
            #expect(try await store.count("correction") == 0)
        }
    }

    @Test(
        "a session that only a replaced value names outlives an undone import, and nobody else gets its number",
        arguments: StoreKind.allCases)
    func replacedSession(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let (first, later) = (start, start.advanced(bySeconds: 5))
            let own = [heartRate(60), ecg([1, 2], period: 10)], corrected = [heartRate(61), ecg([3], period: 1)]
            _ = try await store.append([batch([heartRate(50, at: -9)], session: "s0"), batch(own, session: "s1", origin: "a")])
            #expect(try await store.append([batch(corrected, session: "s0", received: later, origin: "b")])[0].corrections == 2)
            _ = try await store.append([batch([heartRate(70, at: 900)], session: "s1", origin: "c")])
            #expect(try await store.undo(origin: "c").removed == 1)
            _ = try await store.append([batch([heartRate(80)], participant: "bob", session: "secret", origin: "d")])
            #expect(try await store.undo(origin: "b").restored == 2)
            let sql = """
                SELECT e.name, e.participant = r.participant FROM (
                    SELECT time, participant, session FROM reading UNION ALL SELECT time, participant, session FROM waveform) AS r
                    LEFT JOIN session e ON e.id = r.session WHERE r.participant = (SELECT id FROM participant WHERE name = '12') ORDER BY r.time
                """
            let rows = try await store.read { connection throws(StoreError) in try connection.rows(sql) }
            #expect(rows.map { $0.optionalText(0) } == ["s0", "s1", "s1"])
            let sessions = try await store.sessions(participant: "12")
            #expect(sessions.contains(SessionSummary(name: "s1", first: first, last: first.advanced(bySeconds: 20))))
            // What replaced all that a session held, and is undone with it, leaves no empty session behind.
            _ = try await store.append([batch([heartRate(62), ecg([4])], session: "s0", received: later)])
            #expect(try await store.undo(origin: "a") == UndoReport())
            #expect(try await store.sessions(participant: "12").map(\.name) == ["s0"])
        }
    }

    @Test(
        "a replaced value whose session an earlier version removed comes back without one, not in somebody else's",
        arguments: StoreKind.allCases)
    func lostSession(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let later = start.advanced(bySeconds: 5)
            _ = try await store.append([batch([heartRate(60), ecg([1])], session: "s1")])
            _ = try await store.append([batch([heartRate(61), ecg([2])], received: later, origin: "b")])
            _ = try await store.append([batch([heartRate(80)], participant: "bob", session: "secret")])
            try await store.write { connection throws(StoreError) in
                try connection.execute("UPDATE correction SET session = (SELECT id FROM session WHERE name = 'secret')")
            }
            #expect(try await store.undo(origin: "b").restored == 2)
            #expect(try await store.count("reading", where: "value = 60 AND session IS NULL") == 1)
            #expect(try await store.count("waveform", where: "session IS NULL") == 1)
        }
    }

    @Test(
        "gives back what stood last before it, also after an older replaced value was put back from an export",
        arguments: StoreKind.allCases)
    func latestBefore(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let times = (1...9).map { start.advanced(bySeconds: Double($0)) }
            _ = try await store.append([batch([heartRate(61), ecg([61])], received: times[3])])
            _ = try await store.append([batch([heartRate(62), ecg([62])], received: times[5], origin: "c")])
            func replaced(_ value: Double?, _ samples: [Double]?) -> ReplacedValue {
                var kept = ReplacedValue(
                    number: 0, metric: samples == nil ? "heart-rate" : "ecg", unit: samples == nil ? "/min" : "mV", source: "watch",
                    session: nil, time: start, sequence: 0, zone: nil, received: start, replaced: times[1])
                (kept.value, kept.samples, kept.period) = (value, samples, samples == nil ? nil : 0.004)
                return kept
            }
            _ = try await store.restore([replaced(60, nil), replaced(nil, [60])], participant: "12", origin: "export")
            #expect(try await store.undo(origin: "c").restored == 2)
            #expect(try await store.count("reading", where: "value = 61") == 1)
            #expect(try await store.count("waveform", where: "min = 61") == 1)
            #expect(try await store.count("correction") == 2)
        }
    }

    @Test("gives back what a clock ahead by decades had said, as that is what stood before", arguments: StoreKind.allCases)
    func latestOfClockAhead(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let present = Timestamp(seconds: Date().timeIntervalSince1970)
            for (value, received, origin) in [(60, -60, nil), (70, 1e9, nil), (80, 0, "right")] as [(Double, Double, String?)] {
                _ = try await store.append([batch([heartRate(value)], received: present.advanced(bySeconds: received), origin: origin)])
            }
            #expect(try await store.undo(origin: "right").restored == 1)
            #expect(try await store.count("reading", where: "value = 70") == 1)
        }
    }

    @Test("keeps what a device has said as well, whether it came before the import or after it", arguments: StoreKind.allCases)
    func alsoSaid(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let said = [heartRate(60), note("a"), ecg([1, 2])]
            let own = [heartRate(61, at: 1), heartRate(62, at: 2), note("b", at: 3), ecg([3], at: 9)]
            _ = try await store.append([batch(said + own, origin: "import-1")])
            #expect(try await store.append([batch(said)]) == [AppendCounts(duplicates: 3)])
            // What another import has said as well is the first one's still, and what a device contradicts is the device's.
            #expect(try await store.append([batch(own, origin: "import-2")]) == [AppendCounts(duplicates: 4)])
            let counts = try await store.append([batch(said + [heartRate(99, at: 1)], received: start.advanced(bySeconds: 5))])
            #expect(counts == [AppendCounts(duplicates: 3, corrections: 1)])
            #expect(try await store.undo(origin: "import-2") == UndoReport())
            #expect(try await store.undo(origin: "import-1").removed == 3)
            #expect(try await store.count("reading") == 3)
            #expect(try await store.count("waveform") == 1)
            #expect(try await store.count("reading", where: "value = 60 OR value = 99 OR text = 'a'") == 3)
        }
    }

    @Test("erases one participant from every table, and nobody else", arguments: StoreKind.allCases)
    func erasure(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let observations = [heartRate(60), note("a"), ecg([1, 2])]
            _ = try await store.append([
                batch(observations, session: "05"), batch(observations, participant: "13", session: "05"),
                batch([heartRate(61)], received: start.advanced(bySeconds: 5)),
            ])
            let report = try await store.erase(participant: "12")
            #expect(report.rows["reading"] == 2 && report.rows["waveform"] == 1 && report.rows["correction"] == 1)
            #expect(report.rows["participant"] == 1 && report.rows["session"] == 1)
            #expect(try await store.participants() == ["13"])
            for table in ["reading", "waveform", "rollup_day", "session", "participant"] {
                #expect(try await store.count(table) == (table == "reading" ? 2 : 1))
            }
            #expect(try await store.append([batch(observations)]) == [AppendCounts(stored: 3)])
            #expect(try await store.erase(participant: "nobody") == ErasureReport())
        }
    }

    @Test("no byte of an erased name or text is left in the SQLite file or its log")
    func wiped() async throws {
        let folder = try TemporaryFolder("vigil-wiped")
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        let observations = (0..<500).map { note("remark-of-annabella \($0)", at: Double($0)) }
        _ = try await store.append([batch(observations, participant: "annabella"), batch([heartRate(60)])])
        try await store.append(audit: [AuditEntry(time: start, actor: "annabella", operation: "page", participant: "annabella")])
        _ = try await store.participants()
        _ = try await store.erase(participant: "annabella")
        for file in ["timeline.sqlite", "timeline.sqlite-wal"] {
            let bytes = try Data(contentsOf: URL(filePath: folder.path(file)))
            #expect(bytes.range(of: Data("annabella".utf8)) == nil, "\(file)")
        }
        #expect(try await store.count("reading") == 1)
        await store.close()
    }

    @Test("overwrites rows that PostgreSQL had vacuumed by itself before they could be")
    func vacuumedBefore() async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let database = try server.makeDatabase()
        let store = PostgresStore(PostgresConfiguration(connection: database))
        _ = try await store.append([batch((0..<500).map { note("remark-of-annabella \($0)", at: Double($0)) }), batch([heartRate(60)])])
        try server.psql("DELETE FROM reading WHERE text IS NOT NULL", in: database)
        try server.psql("VACUUM", in: database)
        #expect(try !Self.files(holding: "annabella", below: server.dataFolder).isEmpty)
        #expect(try await store.wipeRemoved() == [])
        #expect(try Self.files(holding: "annabella", below: server.dataFolder) == [])
        await store.close()
    }

    @Test("no byte of an erased name or text is left in PostgreSQL's tables or its log")
    func wipedInPostgreSQL() async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let store = PostgresStore(PostgresConfiguration(connection: try server.makeDatabase()))
        let observations = (0..<500).map { note("remark-of-annabella \($0)", at: Double($0)) }
        _ = try await store.append([batch(observations, participant: "annabella"), batch([heartRate(60)])])
        try await store.append(audit: [AuditEntry(time: start, actor: "annabella", operation: "page", participant: "annabella")])
        let search = { try Self.files(holding: "annabella", below: server.dataFolder) }
        #expect(try !search().isEmpty)
        #expect(try await store.erase(participant: "annabella").freed == nil)
        let left = try search()
        #expect(left == [], "\(left)")
        #expect(try await store.count("reading") == 1)
        await store.close()
    }

    private static func files(holding word: String, below folder: String) throws -> [String] {
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return files.filter { FileManager.default.contents(atPath: "\(folder)/\($0)")?.range(of: Data(word.utf8)) != nil }
    }

    @Test("stores under a name of its own what arrives elsewhere after an erasure", arguments: StoreKind.allCases)
    func erasedElsewhere(_ kind: StoreKind) async throws {
        try await kind.withStores(2) { stores async throws in
            let (here, there) = (stores[0], stores[1])
            let alert = { (sequence: UInt32) in
                AlertMessage(
                    participant: "12", rule: "tachycardia", sequence: sequence, transition: "raised", cause: "reading", time: start.seconds,
                    decided: start.seconds, state: "active", severity: "warning", priority: "medium", kind: "medical", group: "heart",
                    since: start.seconds)
            }
            let observations = [heartRate(60), note("a"), ecg([1, 2])]
            for what in 0..<3 {
                _ = try await there.append([batch(observations, session: "05"), batch(observations, participant: "13")])
                _ = try await there.append(alerts: [alert(UInt32(what))])
                _ = try await here.erase(participant: "12")
                // The other store has met the participant before: each of these finds out that the number stands for nobody.
                switch what {
                case 0: #expect(try await there.append([batch(observations)])[0] == AppendCounts(stored: 3))
                case 1: #expect(try await there.appendHistory([batch(observations, session: "06")])[0] == AppendCounts(stored: 3))
                default: #expect(try await there.append(alerts: [alert(7)]) == AppendCounts(stored: 1))
                }
                #expect(try await here.participants().sorted() == ["12", "13"])
                for table in ["reading", "waveform", "session", "rollup_day", "alert_event"] {
                    #expect(try await here.count(table, where: "participant NOT IN (SELECT id FROM participant)") == 0, "\(what) \(table)")
                }
            }
        }
    }
}
