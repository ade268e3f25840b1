import Foundation
import Observability
import ServiceKit
import TestSupport
import Testing
import TimelineStore

@testable import Dashboard

@Suite("The dashboard while the database of its accounts is away", .serialized, .timeLimit(.minutes(3)))
struct DatabaseAwayTests {
    private static let password = "correct horse battery"

    /// A server whose database is a test's own, and the nurse's cookie.
    private func run(
        _ body: @Sendable (DashboardServer, PostgresAccounts, PostgresServer, _ cookie: String) async throws -> Void
    ) async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let database = PostgresAccounts(PostgresConfiguration(connection: try server.makeDatabase()))
        let accounts = AccountStore(database)
        try await DashboardServer.addPeople(to: accounts)
        try await SignIn(store: accounts, now: { 0 }).setPassword(Self.password, of: Account(name: "nurse", roles: [.carer]))
        try await DashboardServer.serve(accounts) { dashboard in
            try await body(dashboard, database, server, try await dashboard.cookie("nurse"))
        }
    }

    private func signIn(_ dashboard: DashboardServer) async throws -> DashboardServer.Reply {
        try await dashboard.send("POST", "/api/v1/session", body: #"{"name": "nurse", "password": "\#(Self.password)"}"#)
    }

    @Test("what is live goes on for whoever was signed in a moment ago; everything else, and everybody else, is told why not")
    func away() async throws {
        try await run { dashboard, database, server, cookie in
            let stranger = try await dashboard.cookie("oona")
            #expect(try await dashboard.send("GET", "/api/v1/me", as: cookie).status == 200)
            try server.stopImmediately()
            for path in ["/me", "/alerts", "/participants"] {
                let live = try await dashboard.send("GET", "/api/v1\(path)", as: cookie)
                #expect(live.status == 200, "\(path) \(live.text)")
            }
            for (method, path, cookie) in [
                ("GET", "/me/sessions", cookie), ("GET", "/me", stranger), ("GET", "/participants/anna/page", cookie),
                ("GET", "/me", "vigil-1=unknown"), ("DELETE", "/session", cookie),
            ] {
                let refused = try await dashboard.send(method, "/api/v1\(path)", as: cookie)
                #expect(refused.status == 503 && refused.text.contains("accounts-away"), "\(path) \(refused.status) \(refused.text)")
            }
            let refused = try await signIn(dashboard)
            #expect(refused.status == 503 && refused.text.contains("cannot be checked just now") && refused.headers["set-cookie"] == nil)
            #expect(await database.probe() == false)
            try server.start()
            try await eventually("the database is back") { await database.probe() }
            #expect(try await signIn(dashboard).status == 200)
            #expect(try await dashboard.send("GET", "/api/v1/me", as: stranger).status == 200)
        }
    }

    @Test("a stream of live values is opened meanwhile, and the line of the audit about it is written afterwards")
    func live() async throws {
        try await run { dashboard, database, server, cookie in
            #expect(try await dashboard.send("GET", "/api/v1/me", as: cookie).status == 200)
            try server.stopImmediately()
            let port = try #require(UInt16(dashboard.base.split(separator: ":")[2]))
            let request = "GET /api/v1/live?waves=anna HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: \(cookie)\r\n\r\n"
            let connection = try RawConnection(port: port, sending: request)
            #expect(await connection.receive(until: "event: beat").contains("event: snapshot"))
            connection.close()
            try server.start()
            try await eventually("the database is back") { await database.probe() }
            await dashboard.unwritten.write()
            #expect(
                try await dashboard.accounts.audit(before: nil, limit: 1).map { "\($0.actor) \($0.action) \($0.detail)" } == [
                    "nurse see-live anna"
                ])
        }
    }

    @Test("nobody waits for a database that is frozen: one finds out, and all others are told at once")
    func frozen() async throws {
        try await run { dashboard, database, server, cookie in
            server.signalAll(SIGSTOP)
            let took = try await ContinuousClock().measure {
                try await withThrowingTaskGroup(of: Int.self) { tasks in
                    for _ in 0..<40 { tasks.addTask { try await dashboard.send("GET", "/api/v1/me/sessions", as: cookie).status } }
                    for try await status in tasks { #expect(status == 503) }
                }
            }
            // Three seconds for the one; forty one after the other would be two minutes, however fast the machine.
            #expect(took < .seconds(100))
            #expect(try await signIn(dashboard).status == 503)
            server.signalAll(SIGCONT)
            try await eventually("the database is back") { await database.probe() }
            #expect(try await dashboard.send("GET", "/api/v1/me/sessions", as: cookie).status == 200)
        }
    }

    @Test("a session is believed for a minute, and not at all once it was seen to have ended")
    func recent() {
        let recent = RecentSessions()
        let nurse = Account(name: "nurse", roles: [.carer], participants: ["anna"])
        func session(_ seen: Double) -> Session {
            Session(id: "id", account: nurse, created: seen, seen: seen, address: "", agent: "", isToken: false)
        }
        recent.found(session(0), id: "id", now: 100)
        #expect(recent.session(id: "id", now: 159) != nil && recent.session(id: "other", now: 100) == nil)
        for time in [160.0, 40, 1e9] { #expect(recent.session(id: "id", now: time) == nil) }
        recent.found(session(100 - AccountStore.idle + 10), id: "id", now: 100)
        #expect(recent.session(id: "id", now: 109) != nil && recent.session(id: "id", now: 111) == nil)
        recent.found(nil, id: "id", now: 100)
        #expect(recent.session(id: "id", now: 100) == nil)
    }
}
