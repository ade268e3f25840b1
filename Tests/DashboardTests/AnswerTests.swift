import Access
import Foundation
import MessageBus
import Testing
import TimelineStore
import VigilSchema

@testable import Dashboard

@Suite("An answer by the link in a message")
struct AnswerTests {
    private static let began = 1_700_000_000.25

    private static func key() throws -> AnswerKey { try #require(AnswerKey("a key of sixteen or more".utf8)) }

    private static func link(_ change: (inout AnswerLink) -> Void = { _ in }) -> AnswerLink {
        var link = AnswerLink(
            notifier: "daughter", participant: "anna", rule: "glucose-low", since: began, severity: "critical",
            told: began + 5, expires: Date().timeIntervalSince1970 + 600)
        change(&link)
        return link
    }

    private static func raise(_ hub: LiveHub, state: String = "active", since: Double = began) {
        let alert = AlertMessage(
            participant: "anna", rule: "glucose-low", sequence: 1, transition: "raised", cause: "reading", time: since, decided: since,
            state: state, severity: "critical", priority: "high", kind: "medical", group: "glucose", since: since,
            title: ["en": "Glucose low"], message: ["en": "Anna's glucose is low"])
        hub.take(alert: alert, "glucose-low", of: "anna")
    }

    private static func post(
        _ server: DashboardServer, _ path: String, _ token: String, answer: String? = nil
    ) async throws -> DashboardServer.Reply {
        let body = answer.map { #"{"token":"\#(token)","answer":"\#($0)"}"# } ?? #"{"token":"\#(token)"}"#
        return try await server.send("POST", "/api/v1/answer\(path)", body: body)
    }

    private static func commands(_ server: DashboardServer) -> [[String: Any]] {
        server.asked.all.compactMap { try? JSONSerialization.jsonObject(with: Data($0.payload)) as? [String: Any] }
            .filter { $0["rule"] as? String == "glucose-low" }
    }

    @Test("that is refused may be tried again five times, and then costs no command and no line of the audit")
    func refusals() async throws {
        try await DashboardServer.run(answering: { _ in #"{"ok":false,"error":"worse by then"}"# }) { server in
            Self.raise(server.hub)
            let token = Self.link().token(try Self.key())
            for attempt in 0..<8 {
                let status = try await Self.post(server, "", token, answer: "acknowledge").status
                #expect((status == 429) == (attempt >= AnswerAttempts.most), "\(attempt): \(status)")
            }
            #expect(Self.commands(server).count == AnswerAttempts.most)
        }
    }

    @Test("whose line in the audit cannot be written leaves the link as it was")
    func unaudited() async throws {
        try await DashboardServer.run(answering: { _ in #"{"ok":true}"# }) { server in
            Self.raise(server.hub)
            let token = Self.link().token(try Self.key())
            let refusal = "CREATE TRIGGER no_line BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no'); END"
            try await server.accounts.database.transaction { try $0.execute(refusal) }
            #expect(try await Self.post(server, "", token, answer: "going").status >= 500)
            #expect(Self.commands(server).isEmpty)
            try await server.accounts.database.transaction { try $0.execute("DROP TRIGGER no_line") }
            #expect(try await Self.post(server, "", token, answer: "going").status == 204)
        }
    }

    @Test("is a command by the notifier, noted in the audit, once; to look at the link is none")
    func once() async throws {
        try await DashboardServer.run(answering: { _ in #"{"ok":true}"# }) { server in
            Self.raise(server.hub)
            let token = Self.link().token(try Self.key())
            for _ in 0..<3 {
                let seen = try await Self.post(server, "/look", token)
                #expect(seen.status == 200 && seen.text.contains(#""state":"open""#) && !seen.text.contains("Anna's"))
            }
            // What a program does that follows links.
            #expect(try await server.send("GET", "/answer.html").status == 200)
            #expect(try await server.send("GET", "/api/v1/answer").status == 404)
            #expect(Self.commands(server).isEmpty)
            #expect(try await Self.post(server, "", token, answer: "going").status == 204)
            let command = try #require(Self.commands(server).first)
            #expect(command["command"] as? String == "acknowledge" && command["actor"] as? String == "daughter (link)")
            #expect(command["seen"] as? Double == Self.began + 5)
            #expect(command["severity"] as? String == "critical" && command["reason"] as? String == "on the way")
            #expect(try await Self.post(server, "", token, answer: "silence").text.contains(#""code":"used""#))
            #expect(try await Self.post(server, "/look", token).text.contains(#""state":"used""#))
            #expect(Self.commands(server).count == 1)
            let audit = try await server.accounts.audit(before: nil, limit: 10)
            #expect(
                audit.map { "\($0.actor) \($0.action) \($0.participant) \($0.detail)" } == ["daughter (link) answer-going anna glucose-low"]
            )
        }
    }

    @Test("silences for an hour, and no more than was told")
    func silence() async throws {
        try await DashboardServer.run(answering: { _ in #"{"ok":true}"# }) { server in
            Self.raise(server.hub)
            #expect(try await Self.post(server, "", Self.link().token(try Self.key()), answer: "silence").status == 204)
            let command = try #require(Self.commands(server).first)
            let until = try #require(command["until"] as? Double)
            #expect(abs(until - Date().timeIntervalSince1970 - 3600) < 60 && command["severity"] as? String == "critical")
        }
    }

    @Test("is refused by a link that is forged, changed, over, of another key, or no link at all")
    func refused() async throws {
        try await DashboardServer.run(answering: { _ in #"{"ok":true}"# }) { server in
            Self.raise(server.hub)
            let key = try Self.key(), token = Self.link().token(key)
            let other = try #require(AnswerKey("another key of sixteen".utf8))
            let parts = token.split(separator: ".")
            let foreign = Self.link { $0.rule = "fever" }.token(key).split(separator: ".")
            let tokens = [
                "", ".", "x.y", String(token.dropLast()), token + "0", "\(parts[0])." + String(repeating: "0", count: 32),
                "\(foreign[0]).\(parts[1])", Self.link().token(other), String(repeating: "a", count: 5000),
            ]
            for token in tokens {
                #expect(try await Self.post(server, "/look", token).status == 403)
                #expect(try await Self.post(server, "", token, answer: "acknowledge").status == 403, "\(token.prefix(40))")
            }
            let ended = Self.link { $0.expires = Date().timeIntervalSince1970 - 1 }.token(key)
            #expect(try await Self.post(server, "", ended, answer: "acknowledge").status == 410)
            #expect(try await Self.post(server, "", token, answer: "erase").status == 400)
            #expect(Self.commands(server).isEmpty)
        }
    }

    @Test("is refused where the alarm is over, or another of its rule has begun")
    func over() async throws {
        try await DashboardServer.run(answering: { _ in #"{"ok":true}"# }) { server in
            let token = Self.link().token(try Self.key())
            #expect(try await Self.post(server, "", token, answer: "acknowledge").text.contains(#""code":"over""#))
            Self.raise(server.hub, since: Self.began + 60)
            #expect(try await Self.post(server, "", token, answer: "acknowledge").text.contains(#""code":"over""#))
            #expect(try await Self.post(server, "/look", token).text.contains(#""state":"over""#))
            Self.raise(server.hub)
            #expect(try await Self.post(server, "", token, answer: "acknowledge").status == 204)
        }
    }

    @Test("leaves the link good where vigil-alert refuses, and is one of two that come at once")
    func again() async throws {
        try await DashboardServer.run(answering: { _ in #"{"ok":false,"error":"it has become worse"}"# }) { server in
            Self.raise(server.hub)
            let token = Self.link().token(try Self.key())
            for _ in 0..<2 { #expect(try await Self.post(server, "", token, answer: "acknowledge").text.contains(#""code":"refused""#)) }
        }
        try await DashboardServer.run(answering: { _ in #"{"ok":true}"# }) { server in
            Self.raise(server.hub)
            let token = Self.link().token(try Self.key())
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<8 { tasks.addTask { try await Self.post(server, "", token, answer: "acknowledge").status } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [204] + Array(repeating: 409, count: 7) && Self.commands(server).count == 1)
        }
    }

    @Test("is remembered by either store until the link would be refused anyway", arguments: StoreKind.allCases)
    func used(_ kind: StoreKind) async throws {
        let store = try kind.make()
        #expect(try await store.use(answer: "a.b", until: 100, now: 0))
        #expect(try await !store.use(answer: "a.b", until: 100, now: 50))
        #expect(try await store.isUsed(answer: "a.b"))
        try await store.release(answer: "a.b")
        #expect(try await !store.isUsed(answer: "a.b"))
        #expect(try await store.use(answer: "a.b", until: 100, now: 0))
        #expect(try await store.use(answer: "c.d", until: 300, now: 200))
        #expect(try await !store.isUsed(answer: "a.b"))
    }

    @Test("needs a key that nobody guesses")
    func shortKey() { #expect(AnswerKey("fifteen letters".utf8) == nil && AnswerKey("sixteen letters!".utf8) != nil) }
}
