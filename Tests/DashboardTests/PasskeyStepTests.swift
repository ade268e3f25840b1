import Cryptography
import Foundation
import Synchronization
import Testing
import TimelineStore

@testable import Dashboard

/// The answers are those of "none attestation, ES256" in the test vectors of W3C's Web Authentication, level 3, section 16.
@Suite("Signing in with a passkey")
struct PasskeyStepTests {
    private static let registration = """
        {"label": "blue key", "clientData": "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoiQU1NUHQ0VXh4R1RTdG5jZHE0MTdZRHdCRmk4dnBJ\
        YS1wdzhvT3VWVzRUQSIsIm9yaWdpbiI6Imh0dHBzOi8vZXhhbXBsZS5vcmciLCJjcm9zc09yaWdpbiI6ZmFsc2UsImV4dHJhRGF0YSI6ImNsaWVudERhdGFKU09OIG1heSBi\
        ZSBleHRlbmRlZCB3aXRoIGFkZGl0aW9uYWwgZmllbGRzIGluIHRoZSBmdXR1cmUsIHN1Y2ggYXMgdGhpczogQmtRZURqZGNUQnJYQmlBd0pUTEU1UT09In0",
        "authenticatorData": "v6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LVZAAAAAIRGzLmrHbN0dQsjZ_9vOh8AIPkfOR20ybL94OpwGJ\
        y6P7Y_V5umEiszrZT_PsMwCEvkpQECAyYgASFYIK_voW-XypstI-uGzLZAmNINuQhWBi6yScM6m2cvJt9hIlggkwpWuHovymYzSwNFir-HlxfBLMaO1zKQry4mZHlrkiA"}
        """
    private static let answer = """
        {"id": "-R85HbTJsv3g6nAYnLo_tj9Xm6YSKzOtlP8-wzAIS-Q", "authenticatorData": "v6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LUZAAAAAA",
        "clientData": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiT2NEblVoUVh1bFRVUG8zSlVYVDBJOTdwdnp6WUJQOXRaY2hYeWF2MDFBZyIsIm9yaWdpbiI6I\
        mh0dHBzOi8vZXhhbXBsZS5vcmciLCJjcm9zc09yaWdpbiI6ZmFsc2V9",
        "signature": "MEYCIQD1Ck4uRAkknEqFO6NhKC8JhB303UVHoTqHeAIY3v_NOAIhAISArA8Lk1OBdPV1vxGh3V14xuSGAT-TcpXqE2U-Mx6H"}
        """
    private static let asked = "AMMPt4UxxGTStncdq417YDwBFi8vpIa-pw8oOuVW4TA"
    private static let askedAgain = "OcDnUhQXulTUPo3JUXT0I97pvzzYBP9tZchXyav01Ag"
    private static let password = "correct horse battery"

    /// A server that is called example.org; the nurse and oona have chosen their passwords, and the nurse has a passkey.
    private static func run(_ body: @escaping @Sendable (DashboardServer, _ cookie: String) async throws -> Void) async throws {
        try await DashboardServer.run(makeChallenge: script()) { server in
            try await body(server, try await begin(server))
        }
    }

    /// The challenges that were answered, the first of them first.
    private static func script() -> @Sendable () -> String {
        let next = Once()
        return { next.isFirst ? asked : askedAgain }
    }

    /// Says once that it is the first time.
    private final class Once: Sendable {
        private let state = Mutex(true)
        var isFirst: Bool {
            state.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
        }
    }

    /// Has the nurse and oona choose their passwords, and the nurse add a passkey; returns the nurse's cookie.
    private static func begin(_ server: DashboardServer, answeredAt other: DashboardServer? = nil) async throws -> String {
        for name in ["nurse", "oona"] {
            let link = try await server.accounts.makeLink(for: name, now: Date().timeIntervalSince1970)
            let chosen = try await call(server, "/session/link", #"{"token": "\#(link)", "password": "\#(password)"}"#)
            #expect(chosen.status == 200)
        }
        let cookie = try await server.cookie("nurse")
        let refused = try await call(server, "/me/passkeys/challenge", #"{"password": "another password"}"#, cookie)
        #expect(refused.status == 400)
        let question = try await call(server, "/me/passkeys/challenge", #"{"password": "\#(password)"}"#, cookie)
        #expect(question.status == 200 && question.text.contains(asked))
        let added = try await call(other ?? server, "/me/passkeys", registration, cookie)
        #expect(added.status == 204, "\(added.text)")
        return cookie
    }

    @Test("what one dashboard has asked is answered at another, once, as is what was answered there")
    func twoDashboards() async throws {
        let stores = try StoreKind.database.two()
        try await DashboardServer.addPeople(to: stores[0])
        try await DashboardServer.serve(stores[0], makeChallenge: Self.script()) { first in
            try await DashboardServer.serve(stores[1]) { second in
                _ = try await Self.begin(first, answeredAt: second)
                let question = try await Self.signIn(first)
                #expect(question.status == 401 && question.text.contains(Self.askedAgain))
                // Both get the answer at once: one of them signs in.
                async let here = Self.signIn(first, with: Self.answer).status
                async let there = Self.signIn(second, with: Self.answer).status
                #expect(try await [here, there].sorted() == [200, 401])
                #expect(try await Self.signIn(second, with: Self.answer).status == 401)
            }
        }
    }

    private static func call(
        _ server: DashboardServer, _ path: String, _ body: String, _ cookie: String? = nil, host: String = "example.org"
    ) async throws -> DashboardServer.Reply {
        try await server.send("POST", "/api/v1" + path, as: cookie, body: body, headers: ["Host": host])
    }

    @Test(
        "a question holds for two minutes, and not where the clock was set back by hours since",
        arguments: [(119.9, true), (120, false), (-1, true), (-3600, false)])
    func life(passed: Double, holds: Bool) async throws {
        for kind in StoreKind.allCases {
            let store = try kind.make()
            try await store.add(Account(name: "nurse", roles: [.carer]), now: 0)
            let challenges = PasskeyChallenges(store: store)
            _ = try await challenges.ask("nurse", for: .signIn, authority: "example.org", now: 1e9)
            #expect(try await store.challenges == 1)
            let taken = try? await challenges.take("nurse", for: .signIn, now: 1e9 + passed)
            #expect((taken != nil) == holds)
            #expect(try await store.challenges == 0)
        }
    }

    private static func signIn(
        _ server: DashboardServer, _ name: String = "nurse", with answer: String? = nil, host: String = "example.org"
    ) async throws -> DashboardServer.Reply {
        let passkey = answer.map { #", "passkey": \#($0)"# } ?? ""
        return try await call(server, "/session", #"{"name": "\#(name)", "password": "\#(password)"\#(passkey)}"#, host: host)
    }

    @Test("takes the password and then what the passkey signed; each question once")
    func both() async throws {
        try await Self.run { server, _ in
            let question = try await Self.signIn(server)
            #expect(question.status == 401 && question.headers["set-cookie"] == nil)
            #expect(question.text.contains(#""code":"passkey""#) && question.text.contains(Self.askedAgain))
            let signedIn = try await Self.signIn(server, with: Self.answer)
            #expect(signedIn.status == 200 && signedIn.headers["set-cookie"]?.isEmpty == false, "\(signedIn.text)")
            // The same answer once more: nobody asked.
            let again = try await Self.signIn(server, with: Self.answer)
            #expect(again.status == 401 && again.headers["set-cookie"] == nil && again.text.contains("passkey-refused"))
        }
    }

    @Test("refuses a changed answer, another's, and one without what was signed; the question is spent")
    func refusals() async throws {
        try await Self.run { server, _ in
            let bad = [
                Self.answer.replacingOccurrences(of: "MEYCIQD1", with: "MEYCIQD2"),
                Self.answer.replacingOccurrences(of: "-R85Hb", with: "-R85Hc"),
                #"{"id": "", "clientData": "", "authenticatorData": ""}"#,
                #"{"id": "é", "clientData": "💥", "authenticatorData": "=", "signature": ""}"#,
            ]
            for answer in bad {
                _ = try await Self.signIn(server)
                let refused = try await Self.signIn(server, with: answer)
                #expect(refused.status == 401 && refused.headers["set-cookie"] == nil, "\(answer)")
                #expect(try await Self.signIn(server, with: Self.answer).status == 401)
            }
            // Who knows another's password, and has no passkey, needs none; with somebody else's nothing is different.
            #expect(try await Self.signIn(server, "oona").status == 200)
            #expect(try await Self.signIn(server, with: "7").status == 400)
        }
    }

    @Test("says under another name or an address which pages to open, and a one-time link does not pass it by")
    func elsewhere() async throws {
        try await Self.run { server, _ in
            for host in ["localhost", "127.0.0.1"] {
                let refused = try await Self.signIn(server, host: host)
                #expect(refused.status == 401 && refused.text.contains("passkey-elsewhere") && refused.text.contains("example.org"))
            }
            let link = try await server.accounts.makeLink(for: "nurse", now: Date().timeIntervalSince1970)
            let body = #"{"token": "\#(link)", "password": "\#(Self.password)"}"#
            let question = try await Self.call(server, "/session/link", body)
            #expect(question.status == 401 && question.text.contains(#""code":"passkey""#) && question.headers["set-cookie"] == nil)
            #expect(try await Self.signIn(server, with: Self.answer).status == 200)
        }
    }

    @Test("is told of, taken away with the password only, and by an operator for who lost it")
    func removing() async throws {
        try await Self.run { server, cookie in
            let list = try await server.send("GET", "/api/v1/me/passkeys", as: cookie)
            #expect(list.text.contains("blue key") && list.text.contains("example.org"))
            let path = "/me/passkeys/-R85HbTJsv3g6nAYnLo_tj9Xm6YSKzOtlP8-wzAIS-Q/remove"
            #expect(try await Self.call(server, path, #"{"password": "another password"}"#, cookie).status == 400)
            let stranger = try await server.cookie("oona")
            #expect(try await Self.call(server, path, #"{"password": "\#(Self.password)"}"#, stranger).status == 400)
            #expect(try await server.accounts.passkeys(of: "nurse").count == 1)
            #expect(try await Self.call(server, path, #"{"password": "\#(Self.password)"}"#, cookie).status == 204)
            #expect(try await Self.signIn(server).status == 200)
            #expect(try await server.accounts.removePasskeys(of: "nurse") == 0)
            await #expect(throws: AccountError.unknown("nobody")) { try await server.accounts.removePasskeys(of: "nobody") }
        }
    }

    @Test("asks for whole bytes, as a browser writes them back, others each time")
    func questions() {
        let all = (0..<100).map { _ in RandomToken.make() }
        #expect(Set(all).count == 100)
        #expect(all.allSatisfy { Base64URL.decode($0)?.count == 32 })
    }
}

extension AccountStore {
    /// The questions that wait for an answer.
    fileprivate var challenges: Int64 {
        get async throws { try await database.read { try $0.rows("SELECT count(*) FROM challenges")[0].integer(0) } }
    }
}
