import Foundation
import Testing
import TimelineStore

@testable import Dashboard

@Suite("Personal tokens")
struct TokenTests {
    private static let password = "correct horse battery"

    private static func choosePassword(_ name: String, _ server: DashboardServer) async throws -> DashboardServer.Reply {
        let link = try await server.accounts.makeLink(for: name, now: Date().timeIntervalSince1970)
        return try await server.send("POST", "/api/v1/session/link", body: #"{"token":"\#(link)","password":"\#(password)"}"#)
    }

    @Test("one is made with the present password only, is listed without its secret, and is ended; another's is not found")
    func madeAndEnded() async throws {
        try await DashboardServer.run { server in
            for name in ["nurse", "oona"] { #expect(try await Self.choosePassword(name, server).status == 200) }
            let (nurse, oona) = (try await server.cookie("nurse"), try await server.cookie("oona"))
            for body in [#"{"label":"backup"}"#, #"{"label":"backup","password":"another password"}"#] {
                #expect(try await server.send("POST", "/api/v1/me/tokens", as: nurse, body: body).status == 400)
            }
            let body = #"{"label":"backup","password":"\#(Self.password)"}"#
            let made = try await server.send("POST", "/api/v1/me/tokens", as: nurse, body: body)
            let token = try #require(made.text.firstMatch(of: /"(vigil_[^"]+)"/)?.1)
            let bearer = ["Authorization": "Bearer \(token)"]
            #expect(try await server.send("GET", "/api/v1/me", headers: bearer).status == 200)
            let list = try await server.send("GET", "/api/v1/me/tokens", as: nurse)
            #expect(list.text.contains("backup") && !list.text.contains(token))
            let id = try #require(list.text.firstMatch(of: /"id":"([0-9a-f]+)"/)?.1)
            // Neither another account nor the token itself ends it, or makes the next.
            #expect(try await server.send("DELETE", "/api/v1/me/tokens/\(id)", as: oona).status == 400)
            #expect(try await server.send("DELETE", "/api/v1/me/tokens/\(id)", headers: bearer).status == 404)
            #expect(try await server.send("POST", "/api/v1/me/tokens", body: body, headers: bearer).status == 404)
            #expect(try await server.send("DELETE", "/api/v1/me/tokens/\(id)", as: nurse).status == 204)
            #expect(try await server.send("GET", "/api/v1/me", headers: bearer).status == 401)
            let noted = try await server.accounts.audit(before: nil, limit: 10).map(\.action)
            #expect(noted.contains("make-token") && noted.contains("token-ended"))
        }
    }

    @Test("a password that is chosen with a link ends them; one that is changed with the old one does not", arguments: StoreKind.allCases)
    func passwords(_ kind: StoreKind) async throws {
        let store = try kind.make()
        try await store.add(Account(name: "nurse", roles: [.carer]), now: 0)
        let token = try await store.makeToken(for: "nurse", label: "backup", now: 0)
        try await store.setPassword(hash: "x", of: "nurse")
        #expect(try await store.session(token: token) != nil)
        let link = try await store.makeLink(for: "nurse", now: 0)
        let shared = ShareLink(id: "", account: "nurse", participant: "anna", metrics: ["pain"], range: 1...2, expires: 1000)
        _ = try await store.makeShareLink(shared, now: 0, noting: [])
        try await store.setPassword(hash: "x", of: "nurse", with: link, now: 1)
        #expect(try await store.shareLinks(of: "anna", now: 1).isEmpty, "nor does a link that somebody else may have made")
        #expect(try await store.session(token: token) == nil)
        #expect(try await store.tokens(of: "nurse").isEmpty)
    }

    @Test("one that may only ask is answered, changes nothing, and what it saw is in the audit")
    func readOnly() async throws {
        try await DashboardServer.run { server in
            let token = try await server.accounts.makeToken(for: "nurse", label: "assistant", isReadOnly: true, now: 0)
            let bearer = ["authorization": "Bearer \(token)"]
            #expect(try await server.send("GET", "/api/v1/alerts", headers: bearer).status == 200)
            let body = #"{"minutes":60,"reason":"x"}"#
            let answer = try await server.send("POST", "/api/v1/participants/anna/alerts/all/silence", body: body, headers: bearer)
            #expect(answer.status == 403 && answer.text.contains("read-only"), "\(answer.text)")
            let bare = ["authorization": "Bearer \(token.replacing("read_", with: ""))"]
            #expect(try await server.send("GET", "/api/v1/alerts", headers: bare).status == 401)
            #expect(try await server.accounts.audit(before: nil, limit: 10).map(\.action).contains("alerts"))
        }
    }
}
