import Foundation
import MessageBus
import Synchronization
import Testing
import VigilSchema

@testable import Dashboard

@Suite("Measurements by hand, and the health modules over REST", .timeLimit(.minutes(2)))
struct MeasurementTests {
    private static let stored = #"{"outcome":"stored","stored":1,"duplicates":0,"corrections":0,"rejected":0,"reasons":[]}"#
    private static let refused =
        #"{"outcome":"rejected","stored":0,"duplicates":0,"corrections":0,"rejected":1,"reasons":["body-weight lies outside 1…400 kg"]}"#
    private static let path = "/api/v1/participants/anna/measurements"

    @Test("are published below the name of who typed them in, and answered after the commit")
    func stored() async throws {
        try await DashboardServer.run(answering: { _ in Self.stored }) { server in
            let nurse = try await server.cookie("nurse")
            let body = #"{"readings":[{"metric":"body-weight","value":159.6,"unit":"[lb_av]","time":1700000000}]}"#
            let reply = try await server.send("POST", Self.path, as: nurse, body: body)
            #expect(reply.status == 200)
            let message = try #require(server.asked.all.last)
            #expect(message.topic == "vigil/v1/ingest/anna/manual/nurse")
            let payload = try #require(try JSONSerialization.jsonObject(with: Data(message.payload)) as? [String: Any])
            let readings = try #require(payload["observations"] as? [[String: Any]])
            #expect(readings.count == 1)
            #expect(readings[0]["unit"] as? String == "[lb_av]")
            #expect(readings[0]["time"] as? Double == 1_700_000_000)
            #expect(payload["responseTopic"] as? String == "vigil/v1/responses/dashboard/1")
            let audit = try await server.accounts.audit(before: nil, limit: 10, participant: "anna")
            #expect(audit.contains { $0.action == "add-measurements" && $0.detail == "body-weight" })
        }
    }

    @Test("what ingest refuses is refused, with its reason")
    func refused() async throws {
        try await DashboardServer.run(answering: { _ in Self.refused }) { server in
            let reply = try await server.send(
                "POST", Self.path, as: try await server.cookie("nurse"), body: #"{"readings":[{"metric":"body-weight","value":4000}]}"#)
            #expect(reply.status == 422)
            #expect(reply.text.contains("not-stored"))
        }
    }

    @Test(
        "nothing is sent for a form that is none",
        arguments: [
            #"{"readings":[]}"#, #"{"readings":[{"metric":"no-such","value":1}]}"#, #"{"readings":[{"metric":"ecg","value":1}]}"#,
            #"{"readings":[{"metric":"body-weight"}]}"#, #"{"readings":[{"metric":"body-weight","value":1,"text":"x"}]}"#,
            #"{"readings":[{"metric":"body-weight","value":70,"time":9e12}]}"#,
            #"{"readings":[{"metric":"body-weight","value":70,"time":-5}]}"#,
        ])
    func malformed(body: String) async throws {
        try await DashboardServer.run(answering: { _ in Self.stored }) { server in
            let reply = try await server.send("POST", Self.path, as: try await server.cookie("nurse"), body: body)
            #expect(reply.status == 400)
            #expect(server.asked.all.isEmpty)
        }
    }

    @Test(
        "are nobody's to enter, and modules nobody's to see, who may not see the person or not know who it is", arguments: ["oona", "ana"])
    func strangers(name: String) async throws {
        try await DashboardServer.run(answering: { _ in Self.stored }) { server in
            let token = try await server.cookie(name)
            let entered = try await server.send("POST", Self.path, as: token, body: #"{"readings":[{"metric":"body-weight","value":70}]}"#)
            #expect(entered.status == 404)
            for path in ["modules", "modules/weight", "modules/weight/target"] {
                #expect(try await server.send("GET", "/api/v1/participants/anna/\(path)", as: token).status == 404)
            }
            #expect(server.asked.all.allSatisfy { $0.topic != "vigil/v1/ingest/anna/manual/\(name)" })
        }
    }

    /// A timeline that has one weight, which the account typed in.
    private static func timeline(of account: String) -> @Sendable (OutgoingMessage) -> String {
        { message in
            let text = String(decoding: message.payload, as: UTF8.self)
            if message.topic.contains("/manual/") { return stored }
            if text.contains(#""query":"remove-readings""#) { return #"{"result":true}"# }
            if text.contains(#""query":"sources""#) { return #"{"result":["manual.\#(account)"]}"# }
            if text.contains(#""query":"metrics""#) {
                return #"{"result":[{"metric":"body-weight","unit":"kg","first":1,"last":1700000000.5,"isWaveform":false}]}"#
            }
            guard text.contains(#""query":"readings""#) else { return #"{"result":[]}"# }
            let reading = { (source: String) in
                #"{"metric":"body-weight","unit":"kg","source":"\#(source)","time":1700000000.5,"sequence":0,"value":170,"received":1700000001}"#
            }
            let all = ["scale", "vigil-modules/weight", "manual.\(account)"].map(reading).joined(separator: ",")
            return #"{"result":{"readings":[\#(all)]}}"#
        }
    }

    private static let typed = path + "/body-weight/1700000000.5"

    @Test("are listed with who typed them in, corrected under the same time, and removed, by who typed them in")
    func changed() async throws {
        try await DashboardServer.run(answering: Self.timeline(of: "nurse")) { server in
            let nurse = try await server.cookie("nurse")
            let list = try await server.send("GET", Self.path, as: nurse)
            #expect(
                list.text
                    == #"[{"account":"nurse","metric":"body-weight","mine":true,"time":1700000000.5,"unit":"kg","value":170}]"#)
            #expect(try await server.send("PUT", Self.typed, as: nurse, body: #"{"value":70}"#).status == 200)
            let message = try #require(server.asked.all.last { $0.topic == "vigil/v1/ingest/anna/manual/nurse" })
            let payload = String(decoding: message.payload, as: UTF8.self)
            #expect(payload.contains(#""time":1700000000.5"#) && payload.contains(#""value":70"#))
            #expect(try await server.send("DELETE", Self.typed, as: nurse).status == 204)
            let order = String(decoding: try #require(server.asked.all.last).payload, as: UTF8.self)
            #expect(order.contains(#""metrics":["body-weight"]"#) && order.contains(#""source":"manual.nurse""#))
            #expect(order.contains(#""time":1700000000.5"#) && order.contains(#""actor":"nurse""#))
            let orders = server.asked.all.map { String(decoding: $0.payload, as: UTF8.self) }.filter { $0.contains("remove-readings") }
            #expect(orders.count == 2 && orders[0].contains("vigil-modules") && orders.allSatisfy { !$0.contains("scale") })
            let audit = try await server.accounts.audit(before: nil, limit: 10, participant: "anna")
            #expect(audit.prefix(2).map(\.action) == ["remove-measurement", "correct-measurement"])
            #expect(audit.allSatisfy { !$0.detail.contains("70") })
        }
    }

    @Test("that come again under one key are stored, corrected and removed once, and for nobody but the account that is meant")
    func again() async throws {
        try await DashboardServer.run(answering: Self.timeline(of: "nurse")) { server in
            let nurse = try await server.cookie("nurse")
            let body = #"{"readings":[{"metric":"body-weight","value":70,"time":1700000000.5}]}"#
            for (place, (method, path, content)) in [
                ("POST", Self.path, body), ("PUT", Self.typed, #"{"value":71}"#), ("DELETE", Self.typed, "{}"),
            ].enumerated() {
                var headers = ["Idempotency-Key": "k\(place)", "Vigil-Account": "ana"]
                let refused = try await server.send(method, path, as: nurse, body: content, headers: headers)
                #expect(refused.status == 409 && refused.text.contains("other-account"))
                headers["Vigil-Account"] = "nurse"
                let count = server.asked.all.count
                let first = try await server.send(method, path, as: nurse, body: content, headers: headers)
                let done = server.asked.all.count
                let second = try await server.send(method, path, as: nurse, body: content, headers: headers)
                #expect(first.status < 300 && second.status == first.status && done > count)
                #expect(server.asked.all.count == done, "\(method)")
                #expect(try await server.send(method, path, as: nurse, body: content, headers: ["Idempotency-Key": "a b"]).status == 400)
            }
            #expect(try await server.accounts.audit(before: nil, limit: 10, participant: "anna").count == 3)
        }
    }

    @Test("that were refused or not confirmed are carried out when they come again")
    func refusedAgain() async throws {
        let answers = Mutex(0)
        let answer: @Sendable (OutgoingMessage) throws -> String = { _ in
            let isFirst = answers.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { throw CancellationError() }
            return Self.stored
        }
        try await DashboardServer.run(answering: answer) { server in
            let nurse = try await server.cookie("nurse")
            let body = #"{"readings":[{"metric":"body-weight","value":70,"time":1700000000.5}]}"#
            for status in [504, 200, 200] {
                let reply = try await server.send("POST", Self.path, as: nurse, body: body, headers: ["Idempotency-Key": "k"])
                #expect(reply.status == status)
            }
            #expect(server.asked.all.count == 2)
        }
    }

    @Test("of somebody else are an operator's to change, and nobody's else; what is not there is changed by nobody")
    func othersMeasurements() async throws {
        try await DashboardServer.run(answering: Self.timeline(of: "ben")) { server in
            try await server.accounts.add(Account(name: "olga", roles: [.operator, .carer], participants: ["anna"]), now: 0)
            let (nurse, olga) = (try await server.cookie("nurse"), try await server.cookie("olga"))
            for path in [Self.typed, Self.typed + "?account=ben", Self.typed + "?account=a%2Fb", Self.path + "/body-weight/x"] {
                #expect(try await server.send("DELETE", path, as: nurse).status == 404, "\(path)")
                #expect(try await server.send("PUT", path, as: nurse, body: #"{"value":70}"#).status == 404, "\(path)")
            }
            for name in ["oona", "ana"] {
                #expect(try await server.send("DELETE", Self.typed + "?account=ben", as: try await server.cookie(name)).status == 404)
            }
            #expect(server.asked.all.allSatisfy { !String(decoding: $0.payload, as: UTF8.self).contains("remove-readings") })
            #expect(try await server.send("PUT", Self.typed + "?account=ben", as: olga, body: #"{"value":70}"#).status == 200)
            #expect(server.asked.all.contains { $0.topic == "vigil/v1/ingest/anna/manual/ben" })
            #expect(try await server.send("DELETE", Self.typed + "?account=ben", as: olga).status == 204)
        }
    }

    @Test("a module's page and parameters are asked for the person, and a refusal is told in words")
    func modules() async throws {
        try await DashboardServer.run(answering: { message in
            let text = String(decoding: message.payload, as: UTF8.self)
            if text.contains("weight.page") { return #"{"document":{"module":"weight","rows":[]}}"# }
            if message.topic.hasSuffix("/set") { return #"{"error":"weight.target accepts a number from 20 to 400"}"# }
            return #"{"result":[]}"#
        }) { server in
            let nurse = try await server.cookie("nurse")
            let page = try await server.send("GET", "/api/v1/participants/anna/modules/weight", as: nurse)
            #expect(page.status == 200)
            #expect(page.text.contains(#""module":"weight""#))
            let asked = try #require(server.asked.all.last { $0.topic == "vigil/v1/modules/vigil-modules/get" })
            #expect(String(decoding: asked.payload, as: UTF8.self).contains(#""participant":"anna""#))
            let set = try await server.send("PUT", "/api/v1/participants/anna/modules/weight/target", as: nurse, body: #"{"value":900}"#)
            #expect(set.status == 422)
            let other = try await server.send("GET", "/api/v1/participants/ben/modules/weight", as: nurse)
            #expect(other.status == 404)
            let odd = try await server.send("GET", "/api/v1/participants/anna/modules/weight.page%20x", as: nurse)
            #expect(odd.status == 404)
        }
    }
}
