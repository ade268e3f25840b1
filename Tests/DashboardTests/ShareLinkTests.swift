import Foundation
import MessageBus
import QRCode
import Testing
import VigilSchema

@testable import Dashboard

@Suite("Share links", .timeLimit(.minutes(2)))
struct ShareLinkTests {
    private static let path = "/api/v1/participants/anna/share-links"
    private static let password = "correct horse battery"

    private static func answer(_ message: OutgoingMessage) -> String {
        let text = String(decoding: message.payload, as: UTF8.self)
        if text.contains(#""profile""#) { return #"{"result":{"first":"Anna","last":"Berg","timeZone":"Europe/Berlin"}}"# }
        if text.contains(#""series""#) {
            return #"{"result":[{"time":1700000000,"count":2,"min":61,"max":63,"mean":62,"sum":124,"first":61,"last":63}]}"#
        }
        return #"{"result":[]}"#
    }

    private static func form(
        metrics: String = #"["heart-rate"]"#, to: Int = 1_700_086_400, hours: Int = 24, password: String = password
    ) -> String {
        #"{"metrics":\#(metrics),"from":1700000000,"to":\#(to),"hours":\#(hours),"password":"\#(password)"}"#
    }

    private static func run(_ body: @escaping @Sendable (DashboardServer, String) async throws -> Void) async throws {
        try await DashboardServer.run(answering: answer) { server in
            let nurse = try #require(try await server.accounts.account("nurse"))
            try await SignIn(store: server.accounts, now: { Date().timeIntervalSince1970 }).setPassword(password, of: nurse)
            try await body(server, try await server.cookie("nurse"))
        }
    }

    /// Makes a link and returns its secret.
    private static func make(_ server: DashboardServer, _ cookie: String, _ body: String = form()) async throws -> String {
        struct Made: Decodable {
            let path: String
            let code: [String]
        }
        let reply = try await server.send("POST", path, as: cookie, body: body)
        let made = try JSONDecoder().decode(Made.self, from: Data(reply.text.utf8))
        #expect(made.path.hasPrefix("/shared.html#") && made.code.count >= 29 && made.code.allSatisfy { $0.count == made.code.count })
        return String(made.path.dropFirst("/shared.html#".count))
    }

    private static func open(_ server: DashboardServer, _ token: String) async throws -> DashboardServer.Reply {
        try await server.send("POST", "/api/v1/shared", body: #"{"token":"\#(token)"}"#)
    }

    @Test("show the chosen metrics of the chosen time of one person, and each look is in the audit")
    func shown() async throws {
        try await Self.run { server, cookie in
            let token = try await Self.make(server, cookie)
            let reply = try await Self.open(server, token)
            #expect(reply.status == 200 && reply.text.contains(#""steps":[[1700000000,61,62,63]]"#))
            #expect(reply.text.contains(#""name":"Anna""#) && !reply.text.contains("Berg"))
            let questions = server.asked.all.map { String(decoding: $0.payload, as: UTF8.self) }
            #expect(questions.allSatisfy { $0.contains(#""participant":"anna""#) && $0.contains("nurse (share link)") })
            #expect(questions.filter { $0.contains(#""series""#) }.allSatisfy { $0.contains(#""metric":"heart-rate""#) })
            let audit = try await server.accounts.audit(before: nil, limit: 10, participant: "anna")
            #expect(audit.map { "\($0.actor) \($0.action)" } == ["nurse (share link) see-share-link", "nurse make-share-link"])
            #expect(audit.allSatisfy { !$0.detail.contains(token) })
        }
    }

    @Test("open nothing where they are guessed, have ended, were revoked, or the account that made them sees the person no more")
    func refused() async throws {
        try await Self.run { server, cookie in
            let token = try await Self.make(server, cookie)
            for guess in ["", "a", token.uppercased() + "x", String(token.dropLast()), token + "a", String(repeating: "a", count: 5000)] {
                #expect(try await Self.open(server, guess).status == 403)
            }
            let past = ShareLink(
                id: "", account: "nurse", participant: "anna", metrics: ["heart-rate"], range: 0...1,
                expires: Date().timeIntervalSince1970 - 1)
            let ended = try await server.accounts.makeShareLink(past, now: Date().timeIntervalSince1970 - 3600, noting: [])
            #expect(try await Self.open(server, ended).status == 410)
            struct Item: Decodable { let id: String }
            let list = try await server.send("GET", Self.path, as: cookie).text
            #expect(!list.contains(token))
            let items = try JSONDecoder().decode([Item].self, from: Data(list.utf8))
            #expect(items.count == 1)
            let asked = server.asked.all.count
            let second = try await Self.make(server, cookie)
            #expect(try await server.send("DELETE", "\(Self.path)/\(items[0].id)", as: cookie).status == 204)
            #expect(try await server.send("DELETE", "\(Self.path)/\(items[0].id)", as: cookie).status == 404)
            #expect(try await Self.open(server, token).status == 403)
            try await server.accounts.change("nurse") { $0.participants = ["ben"] }
            #expect(try await Self.open(server, second).status == 403)
            #expect(server.asked.all.count == asked)
            try await server.accounts.remove("nurse")
            #expect(try await Self.open(server, second).status == 403)
        }
    }

    @Test("are good for no other route")
    func otherRoutes() async throws {
        try await Self.run { server, cookie in
            let token = try await Self.make(server, cookie)
            for operation in DashboardRoutes.operations {
                guard case .anybody = operation.caller else {
                    let path = "/api/v1" + operation.path.replacing("{participant}", with: "anna").replacing(#/\{\w+\}/#, with: "x")
                    for headers in [["Authorization": "Bearer \(token)"], ["Cookie": "vigil-1=\(token)"]] {
                        let reply = try await server.send(operation.method, path, headers: headers)
                        #expect(reply.status == 401, "\(operation.method) \(operation.path)")
                    }
                    continue
                }
            }
            let answered = try await server.send("POST", "/api/v1/answer", body: #"{"token":"\#(token)","answer":"acknowledge"}"#)
            #expect(answered.status == 403)
            let welcomed = try await server.send(
                "POST", "/api/v1/session/link", body: #"{"token":"\#(token)","password":"\#(Self.password)"}"#)
            #expect(welcomed.status == 401)
        }
    }

    @Test(
        "are made of a week at the most, of metrics with numbers, for a month at the most, with the password",
        arguments: [
            form(metrics: "[]"), form(metrics: #"["ecg"]"#), form(metrics: #"["note"]"#), form(metrics: #"["no-such"]"#),
            form(
                metrics: #"["pain","mood","steps","heart-rate","pulse-rate","body-weight","insulin","waist-circumference","carbohydrates"]"#
            ),
            form(to: 1_700_700_000), form(to: 1_700_000_000), form(hours: 0), form(hours: 721), form(password: "wrong"),
        ])
    func malformed(body: String) async throws {
        try await Self.run { server, cookie in
            let reply = try await server.send("POST", Self.path, as: cookie, body: body)
            #expect(reply.status == 400)
            #expect(try await server.accounts.shareLinks(of: "anna", now: 0).isEmpty)
        }
    }

    @Test("are not for analysts, screens on a wall and programs")
    func strangers() async throws {
        try await Self.run { server, cookie in
            try await server.accounts.add(Account(name: "wall", roles: [.carer], participants: ["*"], isKiosk: true), now: 0)
            for name in ["ana", "oona", "wall"] {
                #expect(try await server.send("POST", Self.path, as: try await server.cookie(name), body: Self.form()).status == 404)
            }
            let token = try await server.accounts.makeToken(for: "nurse", label: "x", now: 0)
            let reply = try await server.send("POST", Self.path, body: Self.form(), headers: ["Authorization": "Bearer \(token)"])
            #expect(reply.status == 400)
        }
    }

    @Test("are kept by either store, so many of a person, and go with the person", arguments: StoreKind.allCases)
    func kept(_ kind: StoreKind) async throws {
        let store = try kind.make()
        try await store.add(Account(name: "nurse", roles: [.carer], participants: ["anna"]), now: 0)
        let link = ShareLink(
            id: "", account: "nurse", participant: "anna", metrics: ["pain", "mood"], range: 1...2, expires: 1000)
        let secret = try await store.makeShareLink(link, now: 0, noting: [])
        let found = try #require(try await store.shareLink(secret: secret))
        #expect(found.metrics == ["pain", "mood"] && found.range == 1...2 && found.expires == 1000)
        for _ in 1..<AccountStore.mostShareLinks { _ = try await store.makeShareLink(link, now: 0, noting: []) }
        await #expect(throws: AccountError.tooManyShareLinks) { try await store.makeShareLink(link, now: 0, noting: []) }
        _ = try await store.makeShareLink(link, now: 2000, noting: [])
        try await store.archive("anna", true, now: 0, noting: [])
        #expect(try await store.archived() == ["anna"])
        _ = try await store.erase("anna")
        #expect(try await store.shareLinks(of: "anna", now: 0).isEmpty)
        #expect(try await store.archived().isEmpty)
    }

    @Test("a QR code has its finder patterns, and none is made of nothing or of too much")
    func code() throws {
        let code = try #require(QRCode("https://example.org/shared.html#" + String(repeating: "a", count: 43)))
        let size = code.rows.count
        #expect((size - 17).isMultiple(of: 4) && code.rows.allSatisfy { $0.count == size })
        let ring = [true, true, true, true, true, true, true, false]
        #expect(Array(code.rows[0][0..<8]) == ring && Array(code.rows[0][(size - 8)...]) == ring.reversed())
        #expect(code.rows[..<8].map { $0[0] } == ring && code.rows[(size - 8)...].map { $0[0] } == ring.reversed())
        #expect(QRCode("") == nil && QRCode("a\0b") == nil && QRCode(String(repeating: "a", count: 1001)) == nil)
    }
}
