import Foundation
import MessageBus
import Synchronization
import Testing
import VigilSchema

@testable import Dashboard

@Suite("People's profiles over REST", .timeLimit(.minutes(2)))
struct ProfileTests {
    private static let path = "/api/v1/participants/anna"
    private static let password = "correct horse battery"

    /// A timeline that has the entries, and an alarm service that says yes.
    private static func suite(_ entries: String = "", stored: Bool = true) -> @Sendable (OutgoingMessage) -> String {
        { message in
            let text = String(decoding: message.payload, as: UTF8.self)
            if text.contains(#""command""#) { return stored ? #"{"ok":true,"removed":{"things":2}}"# : #"{"ok":false,"error":"no"}"# }
            if text.contains(#""query":"entries""#) { return #"{"result":[\#(entries)]}"# }
            if text.contains(#""query":"profile""#) { return #"{"result":{"first":"Anna","birthDate":"1990-05-06","height":170}}"# }
            if text.contains(#""query":"erase""#) { return #"{"result":{"rows":{"reading":7},"pseudonym":"~x"}}"# }
            if text.contains(#""query":"people""#) { return #"{"result":[{"participant":"anna","profile":{}}]}"# }
            return #"{"result":{}}"#
        }
    }

    private static func run(
        _ suite: @escaping @Sendable (OutgoingMessage) -> String, _ body: @escaping @Sendable (DashboardServer, String) async throws -> Void
    ) async throws {
        try await DashboardServer.run(answering: suite) { server in
            try await server.accounts.add(Account(name: "olga", roles: [.operator, .carer], participants: ["anna"]), now: 0)
            let olga = try #require(try await server.accounts.account("olga"))
            try await SignIn(store: server.accounts, now: { Date().timeIntervalSince1970 }).setPassword(password, of: olga)
            try await body(server, try await server.cookie("olga"))
        }
    }

    private static func payloads(_ server: DashboardServer, with mark: String) -> [String] {
        server.asked.all.map { String(decoding: $0.payload, as: UTF8.self) }.filter { $0.contains(mark) }
    }

    @Test("what is stored of a person is told to the alarm rules, with the conditions that are known")
    func rules() async throws {
        let copd = #"{"id":"profile-copd","kind":"condition","time":1,"description":"COPD","detail":"scale-2"}"#
        try await Self.run(Self.suite(copd)) { server, olga in
            let body = #"{"first":"Anna","birthDate":"1950-02-03","sex":"female","height":168,"timeZone":"Europe/Berlin"}"#
            #expect(try await server.send("PUT", Self.path + "/profile", as: olga, body: body).status == 200)
            let told = try #require(Self.payloads(server, with: "set-profile").last { $0.contains(#""command""#) })
            for part in [#""born":"1950-02-03""#, #""height":168"#, #""saturationScale":2"#, #""pregnant":false"#, #""actor":"olga""#] {
                #expect(told.contains(part), "\(part)")
            }
        }
    }

    @Test("conditions become entries that stand at a glance, begin and end, and reach the rules")
    func conditions() async throws {
        let pregnancy = #"{"id":"profile-pregnancy","kind":"condition","time":1,"description":"Pregnancy","detail":"2099-01-01"}"#
        try await Self.run(Self.suite(pregnancy)) { server, olga in
            let known = try await server.send("GET", Self.path + "/conditions", as: olga)
            #expect(known.text == #"{"copd":false,"diabetes":false,"due":"2099-01-01","pregnant":true,"scale2":false}"#)
            let birth = Date(timeIntervalSinceNow: -5 * 86_400).formatted(.iso8601.year().month().day())
            let body = #"{"diabetes":true,"copd":true,"scale2":true,"pregnant":false,"delivered":"\#(birth)"}"#
            #expect(try await server.send("PUT", Self.path + "/conditions", as: olga, body: body).status == 200)
            let stored = try #require(Self.payloads(server, with: "add-entries").last)
            for id in ["profile-diabetes", "profile-copd", "profile-pregnancy", "profile-birth"] { #expect(stored.contains(id)) }
            #expect(stored.contains(#""detail":"scale-2""#) && stored.contains(#""ends""#))
            let profile = try #require(Self.payloads(server, with: #""query":"set-profile""#).last)
            #expect(profile.contains(#""isPregnant":true"#))
            let told = try #require(Self.payloads(server, with: #""command":"set-profile""#).last)
            #expect(told.contains(#""delivered":"\#(birth)""#) && told.contains(#""saturationScale":2"#))
        }
    }

    @Test(
        "are refused where they contradict themselves or are no dates",
        arguments: [
            #"{"scale2":true}"#, #"{"delivered":"2020-01-01"}"#, #"{"delivered":"x"}"#, #"{"due":"2026-13-01"}"#,
            #"{"pregnant":true,"delivered":"\#(Date().formatted(.iso8601.year().month().day()))"}"#, "[]",
        ])
    func malformed(body: String) async throws {
        try await Self.run(Self.suite()) { server, olga in
            let reply = try await server.send("PUT", Self.path + "/conditions", as: olga, body: body)
            #expect(reply.status == 400)
            #expect(Self.payloads(server, with: "add-entries").isEmpty)
        }
    }

    @Test("a refusal of the alarm rules is told")
    func refusedByRules() async throws {
        try await Self.run(Self.suite(stored: false)) { server, olga in
            let reply = try await server.send("PUT", Self.path + "/profile", as: olga, body: "{}")
            #expect(reply.status == 409)
        }
    }

    @Test("a person is added once, seen by who added them, left out of lists while archived, and erased with the password")
    func course() async throws {
        try await Self.run(Self.suite()) { server, olga in
            #expect(try await server.send("POST", "/api/v1/participants", as: olga, body: #"{"id":"ben","first":"Ben"}"#).status == 200)
            #expect(try await server.accounts.account("olga")?.participants == ["anna", "ben"])
            for body in [#"{"id":"anna"}"#, #"{"id":"a b"}"#, #"{"id":"_module.x"}"#] {
                #expect(try await server.send("POST", "/api/v1/participants", as: olga, body: body).status >= 400)
            }
            let list = "/api/v1/participants"
            #expect(try await server.send("PUT", Self.path + "/archived", as: olga, body: #"{"archived":true}"#).status == 204)
            #expect(try await !server.send("GET", list, as: olga).text.contains(#""id":"anna""#))
            #expect(try await server.send("GET", list + "?archived=true", as: olga).text.contains(#""id":"anna""#))
            #expect(try await server.send("PUT", Self.path + "/archived", as: olga, body: #"{"archived":false}"#).status == 204)
            #expect(try await server.send("GET", list, as: olga).text.contains(#""id":"anna""#))
            for body in [
                #"{"confirm":"ben","password":"\#(Self.password)"}"#, #"{"confirm":"anna","password":"wrong"}"#, #"{"confirm":"anna"}"#,
            ] { #expect(try await server.send("POST", Self.path + "/erase", as: olga, body: body).status == 400) }
            #expect(Self.payloads(server, with: "erase").isEmpty)
            server.hub.take(module: #"{"service":"vigil-alert","state":"online"}"#, named: "vigil-alert/main")
            let body = #"{"confirm":"anna","password":"\#(Self.password)"}"#
            let erased = try await server.send("POST", Self.path + "/erase", as: olga, body: body)
            #expect(erased.status == 200 && erased.text.contains(#""alert":4"#) && erased.text.contains(#""timeline":14"#))
            #expect(erased.text.contains(#""ingest":"is not running"#))
            let audit = try await server.accounts.audit(before: nil, limit: 50)
            for action in ["add-person", "archive-person", "unarchive-person", "erase-person"] {
                #expect(audit.contains { $0.action == action && $0.actor == "olga" }, "\(action)")
            }
        }
    }

    @Test("is an operator's to change, and nobody's else")
    func strangers() async throws {
        try await Self.run(Self.suite()) { server, _ in
            let nurse = try await server.cookie("nurse")
            for (method, path, body) in [
                ("PUT", "profile", "{}"), ("PUT", "conditions", "{}"), ("PUT", "archived", #"{"archived":true}"#),
                ("POST", "erase", #"{"confirm":"anna","password":"x"}"#),
            ] {
                #expect(try await server.send(method, "\(Self.path)/\(path)", as: nurse, body: body).status == 404)
            }
            #expect(try await server.send("POST", "/api/v1/participants", as: nurse, body: #"{"id":"x"}"#).status == 404)
        }
    }
}
