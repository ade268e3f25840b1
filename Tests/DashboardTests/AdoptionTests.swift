import Foundation
import TestSupport
import Testing
import TimelineStore

@testable import Dashboard

@Suite("Accounts of a file that go into the database")
struct AdoptionTests {
    private let folder: TemporaryFolder
    private let former: AccountStore
    private let place: String
    private let accounts: AccountStore

    init() async throws {
        folder = try TemporaryFolder("vigil-accounts")
        former = try AccountStore(path: folder.path("accounts.sqlite"))
        place = try PostgresServer.shared().makeDatabase()
        accounts = StoreKind.store(in: place)
        for name in ["nurse", "oona"] { try await former.add(Account(name: name, roles: [.operator], participants: ["anna"]), now: 7) }
    }

    private func note(_ number: Int) async throws {
        try await former.audit(
            Dashboard.AuditRecord(
                time: Double(number), actor: "nurse", action: "sign-in", participant: "", detail: "\(number)", address: ""))
    }

    @Test("whoever is signed in stays so; links, tokens, passwords and the audit are there, in its order, and nothing is told again")
    func all() async throws {
        let secret = try await former.beginSession(of: "nurse", address: "::1", agent: "phone", now: 0)
        let token = try await former.makeToken(for: "nurse", label: "mine", now: 0)
        try await former.setPassword(hash: "hash", of: "oona")
        let link = try await former.makeLink(for: "oona", now: 0)
        for number in 0..<1201 { try await note(number) }
        // The trail has had all but the last.
        try await former.database.transaction { _ = try $0.run("DELETE FROM untold WHERE id <= 1200", []) }
        #expect(try await Adoption(former: former, accounts: accounts).run() == .init(taken: 2, left: 0, lines: 1201))
        #expect(try await accounts.session(secret: secret, now: 1)?.account.name == "nurse")
        #expect(try await accounts.session(token: token)?.account.participants == ["anna"])
        #expect(try await accounts.passwordHash(of: "oona") == "hash")
        #expect(try await accounts.account(ofLink: link, now: 1)?.name == "oona")
        #expect(try await accounts.secret("pseudonyms") == former.secret("pseudonyms"))
        #expect(try await accounts.audit(before: nil, limit: 2000).map(\.detail) == (0..<1201).reversed().map(String.init))
        #expect(
            try PostgresServer.psql("SELECT detail FROM vigil_dashboard.untold JOIN vigil_dashboard.audit USING (id)", in: place) == "1200")
    }

    @Test("it happens once: who was removed since does not come back, from no copy of the file")
    func once() async throws {
        try await note(1)
        async let first = Adoption(former: former, accounts: accounts).run()
        async let second = Adoption(former: former, accounts: StoreKind.store(in: place)).run()
        let outcomes = try await [first, second]
        #expect(outcomes.map(\.taken).sorted() == [0, 2] && outcomes.map(\.lines).reduce(0, +) == 1)
        try await accounts.remove("nurse")
        #expect(try await Adoption(former: former, accounts: accounts).run() == .init())
        #expect(try await accounts.accounts().map(\.name) == ["oona"])
    }

    @Test("an account of the same name stays another person's: neither session nor password of the file's opens it")
    func sameName() async throws {
        let secret = try await former.beginSession(of: "nurse", address: "", agent: "", now: 0)
        let token = try await former.makeToken(for: "nurse", label: "", now: 0)
        try await former.setPassword(hash: "former", of: "oona")
        try await accounts.add(Account(name: "nurse", roles: [.carer], participants: ["ben"]), now: 0)
        let own = try await accounts.secret("pseudonyms")
        for _ in 0..<2 { #expect(try await Adoption(former: former, accounts: accounts).run().left == 1) }
        #expect(try await accounts.session(secret: secret, now: 1) == nil)
        #expect(try await accounts.session(token: token) == nil)
        #expect(try await accounts.account("nurse")?.participants == ["ben"])
        #expect(try await accounts.account("oona") != nil)
        #expect(try await accounts.secret("pseudonyms") == own)
    }
}
