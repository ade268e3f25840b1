import Foundation
import MessageBus
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import Dashboard

@Suite("The dashboard under attack", .timeLimit(.minutes(4)))
struct AttackTests {
    @Test("nothing but signing in, answering by a signed link and opening a share link, is open to strangers")
    func strangers() async throws {
        try await DashboardServer.run { server in
            for operation in DashboardRoutes.operations {
                guard case .anybody = operation.caller else {
                    let reply = try await server.send(
                        operation.method, Self.path(operation, participant: "anna"), body: Self.body(operation))
                    #expect(reply.status == 401, "\(operation.method) \(operation.path)")
                    continue
                }
                guard !operation.path.hasPrefix("/session") else { continue }
                #expect(["/answer", "/answer/look", "/shared"].contains(operation.path))
                let body = #"{"token":"x.y","answer":"acknowledge"}"#
                #expect(try await server.send(operation.method, "/api/v1\(operation.path)", body: body).status == 403)
            }
        }
    }

    @Test("a foreign participant is 404 in every route, and the suite is not asked")
    func foreignParticipants() async throws {
        try await DashboardServer.run { server in
            for account in ["nurse", "ana", "oona"] {
                let cookie = try await server.cookie(account)
                for operation in DashboardRoutes.operations where operation.path.contains("{participant}") {
                    let reply = try await server.send(
                        operation.method, Self.path(operation, participant: "ben"), as: cookie, body: Self.body(operation))
                    #expect(reply.status == 404, "\(account): \(operation.method) \(operation.path)")
                }
                let stream = try await server.send("GET", "/api/v1/live?waves=ben", as: cookie)
                #expect(stream.status == 404)
            }
            #expect(
                !server.asked.all.contains { $0.topic.contains("/ben") || String(decoding: $0.payload, as: UTF8.self).contains("\"ben\"") })
            let page = try await server.send("GET", "/p/ben/live", as: try await server.cookie("nurse"))
            #expect(page.status == 404)
        }
    }

    @Test("a name that no database can hold, or of one endless character, is a wrong name, and noted", arguments: StoreKind.allCases)
    func strangeNames(_ kind: StoreKind) async throws {
        let accounts = try kind.make()
        try await DashboardServer.serve(accounts) { server in
            for name in [#"nurse\u0000"#, #"\u0000"#, "e" + String(repeating: "\u{301}", count: 20_000)] {
                let reply = try await server.send("POST", "/api/v1/session", body: #"{"name":"\#(name)","password":"x"}"#)
                #expect(reply.status == 401)
            }
        }
        let noted = try await accounts.audit(before: nil, limit: 10).filter { $0.action == "sign-in-refused" }.map(\.actor)
        #expect(noted.count == 3 && Array(noted[1...]) == ["\u{FFFD}", "nurse\u{FFFD}"] && noted[0].utf8.count < 130)
    }

    @Test("a change from another site, or as a form sends it, is refused")
    func forgery() async throws {
        try await DashboardServer.run { server in
            let cookie = try await server.cookie("nurse")
            for operation in DashboardRoutes.operations where operation.isChanging {
                let path = Self.path(operation, participant: "anna")
                for headers in [["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Sec-Fetch-Site": "none"]] {
                    let reply = try await server.send(operation.method, path, as: cookie, body: Self.body(operation), headers: headers)
                    #expect(reply.status == 403, "\(operation.method) \(operation.path) \(headers)")
                }
            }
            let form = try await server.send(
                "POST", "/api/v1/session", body: "name=nurse&password=x", headers: ["Content-Type": "application/x-www-form-urlencoded"])
            #expect(form.status == 415)
            #expect(server.asked.all.isEmpty)
        }
    }

    @Test("a name that an attacker lets point here is refused, and every answer carries the policy")
    func foreignHost() async throws {
        try await DashboardServer.run { server in
            let port = UInt16(server.base.split(separator: ":").last ?? "") ?? 0
            let connection = try RawConnection(port: port, sending: "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
            let reply = await connection.receive()
            #expect(reply.hasPrefix("HTTP/1.1 421"))
            connection.close()
            for path in ["/", "/api/v1/me", "/js/app.js", "/nothing.php", "/api/v1/nothing"] {
                let reply = try await server.send("GET", path)
                #expect(reply.headers["content-security-policy"]?.contains("script-src 'self'; style-src 'self'") == true)
                #expect(reply.headers["x-content-type-options"] == "nosniff")
            }
        }
    }

    @Test(
        "no path leads out of the folder of the pages",
        arguments: [
            "/../Account.swift", "/js/../../Accounts/Account.swift", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd",
            "/js/%00app.js",
            "//etc/passwd", "/js/app.js/../../../x.swift", "/.git/config", "/js/..\\..\\x.js",
        ])
    func traversal(path: String) async throws {
        try await DashboardServer.run { server in
            let port = UInt16(server.base.split(separator: ":").last ?? "") ?? 0
            let request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
            let connection = try RawConnection(port: port, sending: request)
            defer { connection.close() }
            let text = await connection.receive()
            // Either nothing, or the application's page, which is harmless; never a file's content.
            #expect(text.hasPrefix("HTTP/1.1 404") || text.contains("<title>Vigil</title>") || text.hasPrefix("HTTP/1.1 400"))
            #expect(!text.contains("root:") && !text.contains("import "))
        }
    }

    @Test("signing in sets a new cookie that no script reads, whatever the browser had; an old one signs nobody in")
    func fixation() async throws {
        try await DashboardServer.run { server in
            let now = Date().timeIntervalSince1970
            let link = try await server.accounts.makeLink(for: "nurse", now: now)
            let body = #"{"token":"\#(link)","password":"correct horse battery"}"#
            let reply = try await server.send("POST", "/api/v1/session/link", as: "vigil-1=attacker", body: body)
            let cookie = reply.headers["set-cookie"] ?? ""
            #expect(reply.status == 200)
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains("attacker"))
            let again = try await server.send("POST", "/api/v1/session/link", body: body)
            #expect(again.status == 401)
            let fixed = try await server.send("GET", "/api/v1/me", as: "vigil-1=attacker")
            #expect(fixed.status == 401)
            let own = String(cookie.prefix { $0 != ";" })
            let me = try await server.send("GET", "/api/v1/me", as: own)
            #expect(me.status == 200)
            _ = try await server.send("DELETE", "/api/v1/session", as: own)
            let after = try await server.send("GET", "/api/v1/me", as: own)
            #expect(after.status == 401)
            #expect(
                SessionCookie(isSecure: true, port: 1).header("x", seconds: 1).hasPrefix(
                    "__Host-vigil=x; Path=/; HttpOnly; SameSite=Strict"))
            #expect(SessionCookie(isSecure: true, port: 1).header("x", seconds: 1).hasSuffix("; Secure"))
        }
    }

    @Test("guesses are slowed down whatever address they claim to come from, and none gets in")
    func guessing() async throws {
        let pauses = Mutex<[Double]>([])
        try await DashboardServer.run(pause: { seconds in pauses.withLock { $0.append(seconds) } }) { server in
            for guess in 0..<24 {
                let forged = ["X-Forwarded-For": "10.0.0.\(guess)", "Forwarded": "for=10.0.0.\(guess)", "X-Real-IP": "10.0.0.\(guess)"]
                let reply = try await server.send(
                    "POST", "/api/v1/session", body: #"{"name":"nurse","password":"guess \#(guess)"}"#, headers: forged)
                #expect(reply.status == 401 && reply.headers["set-cookie"] == nil)
            }
        }
        #expect(pauses.withLock { $0.suffix(8) }.allSatisfy { $0 >= 4 }, "\(pauses.withLock { $0 })")
    }

    @Test("what only reads changes nothing, with whatever verb it is called; a session counts in a cookie alone")
    func verbs() async throws {
        try await DashboardServer.run { server in
            let cookie = try await server.cookie("nurse")
            for verb in ["PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"] {
                let reply = try await server.send(verb, "/api/v1/participants/anna/page", as: cookie, body: "{}")
                #expect((400..<500).contains(reply.status), "\(verb): \(reply.status)")
            }
            #expect(server.asked.all.isEmpty)
            let session = cookie.split(separator: "=")[1]
            let told = try await server.send(
                "GET", "/api/v1/me?session=\(session)&vigil-1=\(session)", headers: ["X-Session": String(session)])
            #expect(told.status == 401)
        }
    }

    @Test("a body above the limit is refused, and header breaks in a value go nowhere")
    func oversized() async throws {
        try await DashboardServer.run { server in
            let reply = try await server.send("POST", "/api/v1/session", body: String(repeating: "x", count: 2 << 20))
            #expect(reply.status == 413)
            let cookie = try await server.cookie("nurse")
            let split = try await server.send("GET", "/p/a%0d%0aSet-Cookie:%20x=y/live", as: cookie)
            #expect(split.headers["set-cookie"] == nil)
            #expect(split.status == 404)
        }
    }

    @Test("the actor of a command is the session's, whatever the page says; what is missing is said")
    func actor() async throws {
        try await DashboardServer.run(answering: { _ in #"{"ok":true}"# }) { server in
            let cookie = try await server.cookie("nurse")
            let path = "/api/v1/participants/anna/alerts/heart-rate-high/"
            let body = #"{"actor":"somebody else","severity":"warning"}"#
            let reply = try await server.send("POST", path + "acknowledge", as: cookie, body: body)
            #expect(reply.status == 200)
            let sent = String(decoding: server.asked.all[0].payload, as: UTF8.self)
            #expect(sent.contains(#""actor":"nurse""#) && !sent.contains("somebody"))
            #expect(server.asked.all[0].topic == "vigil/v1/requests/dashboard/alert")
            #expect(sent.contains(#""severity":"warning""#), "an answer counts for what was seen")
            #expect(sent.contains(#""participant":"anna""#) && sent.contains(#""rule":"heart-rate-high""#))
            let silence = try await server.send("POST", path + "silence", as: cookie, body: #"{"minutes":10}"#)
            #expect(silence.status == 400)
            for odd in ["0x10", "0x1p3", "nan", "infinity"] {
                let gaps = try await server.send("GET", "/api/v1/participants/anna/gaps?metric=heart-rate&from=\(odd)&to=99", as: cookie)
                #expect(gaps.status == 400, "\(odd)")
            }
            let audit = try await server.accounts.audit(before: nil, limit: 10)
            #expect(audit.contains { $0.actor == "nurse" && $0.action == "acknowledge" && $0.participant == "anna" })
        }
    }

    @Test("an analyst sees a pseudonym, can use it, and finds no name behind it")
    func pseudonym() async throws {
        try await DashboardServer.run { server in
            let cookie = try await server.cookie("ana")
            let list = try await server.send("GET", "/api/v1/participants", as: cookie)
            #expect(list.status == 200 && !list.text.contains("anna"))
            let name = try #require(list.text.firstMatch(of: /"id":"(p-[0-9a-f]+)"/)?.1)
            let series = try await server.send("GET", "/api/v1/participants/\(name)/series?metric=heart-rate", as: cookie)
            #expect(series.status == 200)
            let page = try await server.send("GET", "/api/v1/participants/\(name)/page", as: cookie)
            #expect(page.status == 404)
            let open = try await server.send("GET", "/api/v1/participants/anna/series?metric=heart-rate", as: cookie)
            #expect(open.status == 404)
        }
    }

    @Test("an analyst reads no device's name behind a waveform, and finds none by trying; however many answers it comes in")
    func pseudonymousDevices() async throws {
        let pages = [
            #"{"result":[{"source":"anna-watch","time":1,"period":1,"samples":[1.5,2]}],"next":"1"}"#,
            #"{"result":[{"source":"strap","time":2,"period":1,"samples":[3]},{"source":"anna-watch","time":3,"period":1,"samples":[4]}]}"#,
        ]
        try await DashboardServer.run(answering: { message in
            let text = String(decoding: message.payload, as: UTF8.self)
            return text.contains("\"waveform\"") ? pages[text.contains("\"after\"") ? 1 : 0] : #"{"result":[]}"#
        }) { server in
            let (ana, nurse) = (try await server.cookie("ana"), try await server.cookie("nurse"))
            let alias = Pseudonyms(secret: "s").name("anna", for: Account(name: "ana", roles: [.analyst]))
            let closed = try await server.send("GET", "/api/v1/participants/\(alias)/waveform?metric=ecg", as: ana)
            #expect(closed.status == 200 && !closed.text.contains("anna"), "\(closed.text)")
            let segments = try JSONDecoder().decode([WaveformSegment].self, from: Data(closed.text.utf8))
            #expect(segments.map(\.source) == ["1", "2", "1"] && segments.map(\.samples) == [[1.5, 2], [3], [4]])
            for name in ["series", "gaps", "histogram", "waveform", "waveform/envelope"] {
                let path = "\(name)?metric=heart-rate&source=anna-watch"
                #expect(try await server.send("GET", "/api/v1/participants/\(alias)/\(path)", as: ana).status == 400)
                #expect(try await server.send("GET", "/api/v1/participants/anna/\(path)", as: nurse).status == 200)
            }
            let open = try await server.send("GET", "/api/v1/participants/anna/waveform?metric=ecg", as: nurse)
            let all = try JSONDecoder().decode([WaveformSegment].self, from: Data(open.text.utf8))
            #expect(all.map(\.source) == ["anna-watch", "strap", "anna-watch"])
        }
    }

    @Test("a patient adds entries and takes none away; a carer does")
    func removingEntries() async throws {
        let accounts = try AccountStore(path: ":memory:")
        try await DashboardServer.addPeople(to: accounts)
        try await accounts.add(Account(name: "anna", roles: [.patient], participants: ["anna"]), now: 0)
        try await DashboardServer.serve(accounts) { server in
            let (anna, nurse) = (try await server.cookie("anna"), try await server.cookie("nurse"))
            let path = "/api/v1/participants/anna/entries"
            let added = try await server.send("POST", path, as: anna, body: #"{"kind":"note","description":"fell"}"#)
            #expect(added.status == 200, "\(added.text)")
            #expect(try await server.send("DELETE", path + "/x", as: anna, body: "{}").status == 404)
            #expect(try await server.send("DELETE", path + "/x", as: nurse, body: "{}").status == 204)
        }
    }

    @Test("a carer changes no profile, by which rules are chosen, and forgets no baseline: an operator does")
    func operatorsOnly() async throws {
        try await DashboardServer.run(answering: { _ in #"{"ok":true,"result":{}}"# }) { server in
            let nurse = try await server.cookie("nurse")
            for (method, path, body) in [
                ("PUT", "profile", #"{"birthDate":"2024-01-01"}"#), ("POST", "stress", #"{"command":"forget"}"#),
                ("POST", "stress", #"{"command":"bounds","bounds":{"heart-rate":[1,300]}}"#),
                ("POST", "stress", #"{"command":"mode","mode":"base"}"#),
            ] {
                #expect(try await server.send(method, "/api/v1/participants/anna/\(path)", as: nurse, body: body).status == 404, "\(body)")
            }
            #expect(server.asked.all.isEmpty)
            let calibrated = try await server.send("POST", "/api/v1/participants/anna/stress", as: nurse, body: #"{"command":"calibrate"}"#)
            #expect(calibrated.status == 200 && server.asked.all.count == 1)
        }
    }

    @Test("what is live names nobody to an analyst: no device called after the person, no text of people, nobody who acknowledged")
    func pseudonymousLive() throws {
        let analyst = Account(name: "ana", roles: [.analyst], participants: ["anna"])
        let carer = Account(name: "nurse", roles: [.carer], participants: ["anna"])
        let hub = LiveHub()
        var alert = AlertMessage(
            participant: "anna", rule: "glucose-low", sequence: 1, transition: "acknowledged", cause: "command", time: 1, decided: 1,
            state: "active", severity: "critical", priority: "high", kind: "medical", group: "glucose", since: 1, title: ["en": "Low"],
            message: ["en": "Anna's glucose is low"])
        alert.actor = "anna-carer"
        let content: [(String, Observation.Content)] = [
            ("heart-rate", .value(61)), ("note", .text("Anna fell")), ("consciousness", .text("alert")),
            ("ecg", .samples([1, 2], period: 1)),
        ]
        let observations = content.map { Observation(metric: $0, time: Timestamp(seconds: 1), content: $1, unit: "1") }
        hub.take(
            ObservationBatch(
                id: "a",
                groups: [
                    ObservationGroup(participant: "anna", source: "anna-watch", received: Timestamp(seconds: 1), observations: observations)
                ]))
        hub.take(alert: alert, "glucose-low", of: "anna")
        func snapshot(_ account: Account) -> String {
            hub.snapshot(Viewer.Access(account: account, pseudonyms: Pseudonyms(secret: "s"), waves: ["anna"]), now: 1)
        }
        let closed = snapshot(analyst)
        #expect(!closed.contains("anna") && !closed.contains("Anna"), "\(closed)")
        #expect(closed.contains("\"v\":61") && closed.contains("\"x\":\"alert\"") && closed.contains("\"w\":[{"))
        let open = snapshot(carer)
        #expect(open.contains("anna-watch") && open.contains("Anna fell") && open.contains("anna-carer"))
    }

    private static func path(_ operation: APIOperation, participant: String) -> String {
        var path = "/api/v1" + operation.path.replacing("{participant}", with: participant)
        for name in ["rule", "id", "job", "name", "service"] { path = path.replacing("{\(name)}", with: "x") }
        return path
    }

    private static func body(_ operation: APIOperation) -> String? { operation.isChanging ? "{}" : nil }
}
