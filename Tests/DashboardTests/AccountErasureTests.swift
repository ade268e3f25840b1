import Access
import Foundation
import TestSupport
import Testing
import TimelineStore

@testable import Dashboard

@Suite("What is kept of a participant among the accounts")
struct AccountErasureTests {
    private func filled(_ kind: StoreKind) async throws -> TwoStores {
        let stores = try kind.two()
        let settings = #"{"hidden":["anna","ben"],"last":"anna","limits.anna":3,"sound":true}"#
        for account in [
            Account(name: "anna", roles: [.patient], participants: ["anna"]),
            Account(name: "nurse", roles: [.carer], participants: ["anna", "ben"], preferences: settings),
            Account(name: "oona", roles: [.operator]),
        ] { try await stores[0].add(account, now: 0) }
        _ = try await stores[0].beginSession(of: "anna", address: "::1", agent: "phone", now: 0)
        for (actor, participant, detail) in [
            ("nurse", "anna", ""), ("anna", "", "from annabel"), ("oona", "", "x anna,anna-2 _anna ANNA"), ("oona", "ben", "carer of ben"),
        ] {
            try await stores[0].audit(
                Dashboard.AuditRecord(time: 1, actor: actor, action: "see", participant: participant, detail: detail, address: ""))
        }
        return stores
    }

    @Test(
        "is told without whom else an account is assigned to, and is gone afterwards; the audit tells of a pseudonym",
        arguments: StoreKind.allCases)
    func erasure(_ kind: StoreKind) async throws {
        let stores = try await filled(kind)
        let text = String(decoding: try await stores[1].personalData(of: "anna").json, as: UTF8.self)
        for expected in ["phone", "nurse", "annabel", #""assignments""#] { #expect(text.contains(expected), "\(text)") }
        #expect(!text.contains("ben\""))
        let removed = try await stores[1].erase("anna")
        #expect(removed == ["accounts": 1, "assignments": 1, "audit lines": 3])
        let lines = try await stores[0].audit(before: nil, limit: 10)
        let pseudonym = try #require(lines.last?.participant)
        #expect(pseudonym.hasPrefix("~") && lines.map(\.actor) == ["oona", "oona", pseudonym, "nurse"])
        // A name that only begins or ends so is another's.
        #expect(lines.map(\.detail) == ["carer of ben", "x \(pseudonym),\(pseudonym)-2 _anna ANNA", "from annabel", ""])
        #expect(try await stores[0].account("nurse")?.participants == ["ben"])
        let settings = try #require(try await stores[0].account("nurse")?.preferences)
        #expect(!settings.contains("anna") && settings.contains("ben") && settings.contains("sound"))
        #expect(try await stores[0].account("anna") == nil)
        await #expect(throws: (any Error).self) {
            try await stores[0].database.transaction { _ = try $0.run("UPDATE audit SET actor = 'nobody'", []) }
        }
    }

    @Test("two who erase somebody at once leave one pseudonym")
    func twice() async throws {
        let stores = try await filled(.database)
        async let first = stores[0].erase("anna"), second = stores[1].erase("anna")
        let counts = try await [first, second].map { $0["accounts"] ?? 0 }
        #expect(counts.sorted() == [0, 1])
        let pseudonyms = try await stores[0].audit(before: nil, limit: 10).flatMap { [$0.actor, $0.participant] }.filter {
            $0.hasPrefix("~")
        }
        #expect(pseudonyms.count == 2 && Set(pseudonyms).count == 1)
    }

    @Test("the service's role can neither change nor remove a line of the audit, nor have more forgotten than a name")
    func role() async throws {
        let (server, place) = (try PostgresServer.shared(), try PostgresServer.shared().makeDatabase())
        let store = StoreKind.store(in: place)
        try await store.add(Account(name: "oona", roles: [.operator]), now: 0)
        let role = "SET ROLE vigil_dashboard; SET search_path = vigil_dashboard;"
        try server.psql(
            "\(role) INSERT INTO audit (time, actor, action, participant, detail, address) VALUES (1, 'oona', 'see', 'anna', '', '')",
            in: place)
        for sql in [
            "UPDATE audit SET actor = 'x'", "DELETE FROM audit", "TRUNCATE audit", "DROP TABLE audit",
            "ALTER TABLE audit DISABLE TRIGGER ALL",
            "SET vigil_dashboard.forgets = 'a name'; UPDATE audit SET actor = 'x'", "DROP TRIGGER audit_stays ON audit",
            "SELECT forget_in_audit('anna', 'ben')", "SELECT forget_in_audit('.*', '~aaaaaaaaaaaa')",
            "SELECT forget_in_audit('', '~aaaaaaaaaaaa')", "DELETE FROM schema_version", "CREATE TABLE t (i int)",
        ] {
            #expect(throws: PostgresServer.Failure.self, "\(sql)") { try server.psql("\(role) \(sql)", in: place) }
        }
        // Nor the owner of the tables, by mistake.
        for sql in ["UPDATE vigil_dashboard.audit SET actor = 'x'", "DELETE FROM vigil_dashboard.audit", "TRUNCATE vigil_dashboard.audit"] {
            #expect(throws: PostgresServer.Failure.self, "\(sql)") { try server.psql(sql, in: place) }
        }
        #expect(try server.psql("\(role) SELECT forget_in_audit('anna', '~aaaaaaaaaaaa')", in: place) == "1")
        #expect(try await store.audit(before: nil, limit: 5).map { "\($0.actor) \($0.participant)" } == ["oona ~aaaaaaaaaaaa"])
        #expect(try server.psql("\(role) SELECT count(*) FROM untold", in: place) == "1")
    }
}
