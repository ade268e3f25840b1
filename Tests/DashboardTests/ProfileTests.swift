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

    /// A timeline that has the entries, and an alarm service that says yes. Of a person each has something in two rounds.
    private static func suite(_ entries: String = "", stored: Bool = true) -> @Sendable (OutgoingMessage) -> String {
        let rounds = Mutex<[String: Int]>([:])
        return { message in
            let text = String(decoding: message.payload, as: UTF8.self)
            let isErasure = text.contains(#""erase""#)
            let round = rounds.withLock { known in
                known[message.topic, default: 0] += isErasure ? 1 : 0
                return known[message.topic, default: 0]
            }
            if isErasure, round > 2 { return #"{"ok":true,"removed":{},"result":{"rows":{}}}"# }
            if text.contains(#""command""#) { return stored ? #"{"ok":true,"removed":{"things":2}}"# : #"{"ok":false,"error":"no"}"# }
            if text.contains(#""query":"entries""#) { return #"{"result":[\#(entries)]}"# }
            if text.contains(#""query":"profile""#) { return #"{"result":{"first":"Anna","birthDate":"1990-05-06","height":170}}"# }
            if text.contains(#""query":"erase""#) { return #"{"result":{"rows":{"reading":7},"pseudonym":"~x","imports":["import-4"]}}"# }
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

    @Test("a change of the profile leaves what it does not name, and pregnancy, as they are; null takes away")
    func merged() async throws {
        let known = #"{"result":{"first":"Anna","pseudonym":"A","height":170,"isPregnant":true,"modules":["weight"]}}"#
        let answer = Self.suite()
        let suite: @Sendable (OutgoingMessage) -> String = { $0.payload.contains(Array(#""query":"profile""#.utf8)) ? known : answer($0) }
        try await Self.run(suite) { server, olga in
            let body = #"{"first":"Ann","height":null,"isPregnant":false}"#
            #expect(try await server.send("PUT", Self.path + "/profile", as: olga, body: body).status == 200)
            let stored = try #require(Self.payloads(server, with: #""query":"set-profile""#).last)
            for part in [#""first":"Ann""#, #""pseudonym":"A""#, #""isPregnant":true"#, #""modules":["weight"]"#] {
                #expect(stored.contains(part), "\(part)")
            }
            #expect(!stored.contains("height"))
            #expect(try await server.send("PUT", Self.path + "/profile", as: olga, body: #"{"height":"x"}"#).status == 400)
        }
    }

    @Test("nobody is added while it cannot be told who is there")
    func addedBlind() async throws {
        let answer = Self.suite()
        let suite: @Sendable (OutgoingMessage) throws -> String = { message in
            if message.payload.contains(Array(#""query":"people""#.utf8)) { throw CancellationError() }
            return answer(message)
        }
        try await DashboardServer.run(answering: suite) { server in
            try await server.accounts.add(Account(name: "olga", roles: [.operator, .carer], participants: ["anna"]), now: 0)
            let olga = try await server.cookie("olga")
            #expect(try await server.send("POST", "/api/v1/participants", as: olga, body: #"{"id":"ben"}"#).status == 503)
            #expect(try await server.accounts.account("olga")?.participants == ["anna"])
            #expect(Self.payloads(server, with: "set-profile").isEmpty)
        }
    }

    @Test("pregnancy follows from its conditions: it ends with them, and six weeks after a birth")
    func pregnancy() {
        func entry(_ id: String, _ time: Double, ends: Double? = nil) -> TimelineEntry {
            TimelineEntry(
                id: id, kind: .condition, time: Timestamp(seconds: time), ends: ends.map { Timestamp(seconds: $0) }, description: "x")
        }
        let cases: [([TimelineEntry], Bool?, Bool?)] = [
            ([], true, true), ([], nil, nil), ([entry("asthma", 1)], true, true),
            ([entry("profile-pregnancy", 10)], nil, true), ([entry("profile-pregnancy", 200)], true, false),
            ([entry("profile-pregnancy", 10, ends: 90)], true, false),
            ([entry("profile-pregnancy", 10, ends: 50), entry("profile-birth", 50, ends: 150)], false, true),
            ([entry("profile-pregnancy", 10, ends: 50), entry("profile-birth", 50, ends: 100)], true, false),
        ]
        for (entries, before, after) in cases {
            var profile = ParticipantProfile(isPregnant: before)
            profile.follow(entries, at: Timestamp(seconds: 100))
            #expect(profile.isPregnant == after)
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
            for name in ["vigil-alert", "vigil-import"] {
                server.hub.take(module: #"{"service":"\#(name)","state":"online"}"#, named: "\(name)/main")
            }
            let body = #"{"confirm":"anna","password":"\#(Self.password)"}"#
            let erased = try await server.send("POST", Self.path + "/erase", as: olga, body: body)
            #expect(erased.status == 200 && erased.text.contains(#""alert":4"#) && erased.text.contains(#""timeline":14"#))
            #expect(erased.text.contains(#""ingest":"is not running"#))
            // Until a round finds nothing; the imports that the first named are told to who keeps their files.
            let orders = server.asked.all.filter { $0.topic.hasSuffix("/import") }.map { String(decoding: $0.payload, as: UTF8.self) }
            #expect(orders.map { $0.contains(#""imports":["import-4"]"#) } == [false, true, true])
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
