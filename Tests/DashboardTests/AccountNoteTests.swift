import Foundation
import Testing
import TimelineStore

@testable import Dashboard

@Suite("What the audit is told of changed accounts")
struct AccountNoteTests {
    /// Nothing can be written to the audit any more.
    private static func closeAudit(_ accounts: AccountStore) async throws {
        try await accounts.database.transaction {
            try $0.execute("CREATE TRIGGER audit_is_full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END")
        }
    }

    @Test("no account is changed of which the audit could not be told")
    func together() async throws {
        try await DashboardServer.run { server in
            let cookies = [try await server.cookie("oona"), try await server.cookie("nurse")]
            let link = try await server.accounts.makeLink(for: "nurse", now: Date().timeIntervalSince1970)
            try await server.accounts.setPassword(hash: "old", of: "ana")
            let token = try await server.accounts.makeToken(for: "nurse", label: "", now: 0)
            try await Self.closeAudit(server.accounts)
            let before = try await server.accounts.accounts()
            let id = try #require(try await server.accounts.tokens(of: "nurse").first?.id)
            for (method, path, body, cookie) in [
                ("POST", "people", #"{"name":"eve","roles":["operator"]}"#, 0), ("PATCH", "people/nurse", #"{"participants":["*"]}"#, 0),
                ("DELETE", "people/ana", "{}", 0), ("POST", "people/nurse/link", "{}", 0), ("DELETE", "me/tokens/\(id)", "{}", 1),
                ("POST", "session/link", #"{"token":"\#(link)","password":"correct horse battery"}"#, 1),
            ] {
                let reply = try await server.send(method, "/api/v1/\(path)", as: cookies[cookie], body: body)
                #expect(reply.status >= 500, "\(method) \(path): \(reply.status)")
            }
            #expect(try await server.accounts.accounts() == before)
            #expect(try await server.accounts.passwordHash(of: "nurse") == nil)
            #expect(try await server.accounts.account(ofLink: link, now: Date().timeIntervalSince1970)?.name == "nurse")
            #expect(try await server.accounts.session(token: token) != nil)
        }
    }

    private static func assign(_ names: [String], _ server: DashboardServer, _ cookie: String) async throws -> Int {
        let list = names.map { "\"\($0)\"" }.joined(separator: ",")
        return try await server.send("PATCH", "/api/v1/people/nurse", as: cookie, body: #"{"participants":[\#(list)]}"#).status
    }

    @Test("every participant that an account gains or loses is told, in as many lines as it takes")
    func everyName() async throws {
        try await DashboardServer.run { server in
            let cookie = try await server.cookie("oona")
            let junk = (0..<40).map { String(repeating: "j", count: 61) + String(100 + $0) }
            let names = ["anna"] + junk + ["ben", "ben"]
            #expect(try await Self.assign(names, server, cookie) == 204)
            #expect(try await server.accounts.account("nurse")?.participants == ["anna"] + junk + ["ben"])
            func told(_ word: String) async throws -> Set<String> {
                let lines = try await server.accounts.audit(before: nil, limit: 50).filter { $0.action == "change-account" }
                #expect(lines.allSatisfy { $0.detail.hasPrefix("nurse ") && $0.detail.utf8.count < 2000 && $0.actor == "oona" })
                return Set(
                    lines.flatMap { line -> [String] in
                        let words = line.detail.split(separator: " ").map(String.init)
                        guard let place = words.firstIndex(of: word) else { return [] }
                        return words[place + 1].split(separator: ",").map(String.init)
                    })
            }
            #expect(try await told("added") == Set(junk + ["ben"]))
            #expect(try await Self.assign(["ben"], server, cookie) == 204)
            #expect(try await told("removed") == Set(junk + ["anna"]))
            #expect(try await Self.assign((0...500).map { "p\($0)" }, server, cookie) == 400)
        }
    }

    @Test("an account that has more participants than one may have now keeps its settings changeable")
    func manyBefore() async throws {
        let store = try AccountStore(path: ":memory:")
        try await store.add(Account(name: "nurse", roles: [.carer]), now: 0)
        let names = (0..<600).map { "p\($0)" }
        try await store.database.transaction { connection in
            let row = try AccountStore.row(Account(name: "nurse", roles: [.carer], participants: names))
            try connection.run("UPDATE accounts SET participants = $2 WHERE name = $1", [row[0], row[2]])
        }
        try await store.change("nurse") { $0.preferences = #"{"a":1}"# }
        #expect(try await store.account("nurse")?.participants.count == 600)
        await #expect(throws: AccountError.tooManyParticipants) { try await store.change("nurse") { $0.participants.append("more") } }
    }
}
