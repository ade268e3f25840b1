import TestSupport
import Testing
import VigilSchema

@testable import TimelineStore

@Suite("Audit trail, in both stores")
struct AuditTests {
    private func entry(_ operation: String, _ participant: String? = "anna", actor: String = "nurse-7") -> AuditEntry {
        AuditEntry(time: start, actor: actor, operation: operation, participant: participant, detail: "day", outcome: "ok")
    }

    private func withTrail(_ kind: StoreKind, _ body: (any SQLTimelineStore) async throws -> Void) async throws {
        try await kind.withStore { store async throws in
            try await store.append(audit: [entry("page"), entry("export")])
            try await store.append(audit: [entry("erase", actor: "anna"), entry("participants", nil)])
            try await body(store)
        }
    }

    private func lines(_ store: any SQLTimelineStore, of participant: String? = nil) async throws -> [AuditLine] {
        try await store.audit(participant: participant, from: start, to: start.advanced(bySeconds: 1))
    }

    @Test("tells who did what of whom, in order, and holds together", arguments: StoreKind.allCases)
    func told(_ kind: StoreKind) async throws {
        try await withTrail(kind) { store async throws in
            let all = try await lines(store)
            #expect(all.map(\.number) == [1, 2, 3, 4] && all.map(\.entry.operation) == ["page", "export", "erase", "participants"])
            #expect(all[0].entry == entry("page"))
            #expect(try await lines(store, of: "anna").map(\.number) == [1, 2, 3])
            let found = try await store.verifyAudit()
            #expect(found.lines == 4 && found.head == all[3].hash && found.problem == nil)
            #expect(try await store.verifyAudit(head: all[1].hash).problem == nil)
            #expect(try await store.verifyAudit(head: String(repeating: "a", count: 64)).problem != nil)
        }
    }

    @Test("notes what was done whatever its author has called it, beside what others did", arguments: StoreKind.allCases)
    func anyTexts(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let long = "e" + String(repeating: "\u{301}", count: 5000)
            let strange = AuditEntry(
                time: start, actor: "mallory\0", address: "\0", operation: "page\0", participant: "an\0na" + long, detail: "\0" + long,
                outcome: "ok\0")
            try await store.append(audit: [entry("page"), strange, entry("export")])
            let all = try await lines(store)
            #expect(all.map(\.entry.operation) == ["page", "page\u{FFFD}", "export"])
            let noted = all[1].entry
            #expect(noted.actor == "mallory\u{FFFD}" && noted.address == "\u{FFFD}" && noted.outcome == "ok\u{FFFD}")
            #expect(noted.participant?.hasPrefix("an\u{FFFD}na") == true && noted.participant?.utf8.count == 64)
            #expect(noted.detail?.utf8.count == 512)
            #expect(try await lines(store, of: "a\0").isEmpty)
            #expect(try await store.verifyAudit().problem == nil)
        }
    }

    @Test("an erased name is nowhere in it, and every line stays as it was", arguments: StoreKind.allCases)
    func erased(_ kind: StoreKind) async throws {
        try await withTrail(kind) { store async throws in
            _ = try await store.append([batch([heartRate(60)], participant: "anna")])
            let pseudonym = try #require(try await store.erase(participant: "anna").pseudonym)
            let all = try await lines(store)
            #expect(all.compactMap(\.entry.participant) == [pseudonym, pseudonym, pseudonym] && all[2].entry.actor == pseudonym)
            #expect(all[0].entry.actor == "nurse-7")
            #expect(try await lines(store, of: pseudonym).count == 3)
            #expect(try await store.verifyAudit().problem == nil)
            for (table, column) in [("audit", "participant"), ("audit", "actor"), ("audit_name", "name")] {
                #expect(try await store.count(table, where: "\(column) LIKE '%anna%'") == 0)
            }
            // Told of by the pseudonym, the trail learns the name no more.
            try await store.append(audit: [entry("erase", pseudonym)])
            #expect(try await lines(store, of: pseudonym).count == 4)
            #expect(try await store.count("audit_name", where: "name LIKE '~%'") == 0)
        }
    }

    @Test("a line cannot be changed or removed by an ordinary statement", arguments: StoreKind.allCases)
    func guarded(_ kind: StoreKind) async throws {
        try await withTrail(kind) { store async throws in
            for sql in ["UPDATE audit SET outcome = 'x'", "DELETE FROM audit WHERE number = 2"] {
                do throws(StoreError) {
                    try await store.write { connection throws(StoreError) in try connection.execute(sql) }
                    Issue.record("\(sql) was obeyed")
                } catch {
                    #expect(!error.isRetryable)
                }
            }
            #expect(try await store.verifyAudit().lines == 4)
        }
    }

    @Test("programs that may change rows change nothing of it, the names included, and those that only read do not see it")
    func roles() async throws {
        try await withTrail(.postgres) { store async throws in
            for (role, sql) in [
                ("vigil_writer", "DELETE FROM audit_name"), ("vigil_writer", "UPDATE audit_name SET name = 'somebody'"),
                ("vigil_writer", "DELETE FROM audit"), ("vigil_writer", "UPDATE audit SET actor = 'x'"),
                ("vigil_writer", "TRUNCATE audit_name"),
                ("vigil_reader", "SELECT * FROM audit"), ("vigil_reader", "SELECT * FROM audit_name"),
            ] {
                do throws(StoreError) {
                    try await store.write { connection throws(StoreError) in try connection.execute("SET LOCAL ROLE \(role); \(sql)") }
                    Issue.record("\(role) was let to \(sql)")
                } catch {
                    #expect(error.description.contains("permission denied"), "\(error)")
                }
            }
            #expect(try await store.verifyAudit().lines == 4)
            #expect(try await store.count("audit_name") == 2)
        }
    }

    @Test("takes the right to forget the trail's names from programs that may change rows, in a database of the version before")
    func formerRights() async throws {
        let configuration = PostgresConfiguration(connection: try PostgresServer.shared().makeDatabase())
        let right = "SELECT has_table_privilege('vigil_writer', 'audit_name', 'DELETE')::integer"
        do {
            let old = try PostgresConnection(configuration, readOnly: false)
            for step in 0..<4 { try old.execute(PostgresSchema.migrations[step]) }
            try old.execute("CREATE TABLE schema_version (version integer NOT NULL); INSERT INTO schema_version VALUES (4)")
            #expect(try old.rows(right)[0].integer(0) == 1, "the version before gave it")
        }
        let store = PostgresStore(configuration)
        try await store.append(audit: [entry("page")])
        let granted = try await store.read { connection throws(StoreError) in try connection.rows(right)[0].integer(0) }
        #expect(granted == 0)
        #expect(try await store.verifyAudit().problem == nil)
        await store.close()
    }

    @Test(
        "finds what somebody did who took the guard away", arguments: StoreKind.allCases,
        [
            ("UPDATE audit SET outcome = 'kO' WHERE number = 2", "line 2 is not"),
            ("UPDATE audit SET participant = NULL WHERE number = 3", "line 3 is not"),
            (
                // Another first digit, whichever it was.
                "UPDATE audit SET hash = (CASE WHEN hash LIKE 'a%' THEN 'b' ELSE 'a' END) || substr(hash, 2) WHERE number = 1",
                "line 1 is not"
            ),
            ("DELETE FROM audit WHERE number = 2", "line 2 is missing"), ("DELETE FROM audit WHERE number = 4", "last of them are missing"),
            ("DELETE FROM audit WHERE number = 2; UPDATE audit SET number = number - 1 WHERE number > 2", "line 2 is not"),
            (
                "UPDATE audit SET number = 9 WHERE number = 2; UPDATE audit SET number = 2 WHERE number = 3; UPDATE audit SET number = 3 WHERE number = 9",
                "line 2 is not"
            ),
            ("UPDATE audit SET actor = '', operation = actor || operation WHERE number = 4", "line 4 is not"),
        ])
    func tampered(_ kind: StoreKind, _ what: (sql: String, words: String)) async throws {
        try await withTrail(kind) { store async throws in
            try await store.write { connection throws(StoreError) in
                if kind == .postgres {
                    try connection.execute("ALTER TABLE audit DISABLE TRIGGER audit_kept")
                } else {
                    try connection.execute("DROP TRIGGER audit_unchanged; DROP TRIGGER audit_kept")
                }
                try connection.execute(what.sql)
            }
            let problem = try await store.verifyAudit().problem
            #expect(problem?.contains(what.words) == true, "\(problem ?? "none")")
        }
    }
}
