import Foundation
import MessageBus
import Testing
import VigilSchema

@testable import Dashboard

@Suite("A stored waveform over REST", .timeLimit(.minutes(2)))
struct WaveformTests {
    private static let path = "/api/v1/participants/anna/waveform"
    /// Two runs of a source, with a gap between them.
    private static let runs =
        #"{"result":[{"high":[1,2],"low":[0,-1],"source":"strap","step":0.5,"time":100},{"high":[1],"low":[0],"source":"strap","step":0.5,"time":110}]}"#

    private static func asked(_ server: DashboardServer) throws -> [String: Any] {
        let payload = try #require(server.asked.all.last { $0.topic.hasSuffix("/timeline") }?.payload)
        return try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
    }

    @Test("its envelope is asked for as the query says, answered as it is, and audited")
    func envelope() async throws {
        try await DashboardServer.run(answering: { _ in Self.runs }) { server in
            let nurse = try await server.cookie("nurse")
            let reply = try await server.send(
                "GET", Self.path + "/envelope?metric=ecg&from=100&to=3700&width=36000&source=strap", as: nurse)
            #expect(reply.status == 200)
            let parts = try JSONDecoder().decode([WaveformEnvelope].self, from: Data(reply.text.utf8))
            #expect(parts.map(\.low) == [[0, -1], [0]] && parts.map(\.time.seconds) == [100, 110])
            let asked = try Self.asked(server)
            #expect(asked["query"] as? String == "envelope" && asked["metric"] as? String == "ecg")
            #expect(asked["width"] as? Int == 36_000 && asked["source"] as? String == "strap")
            #expect(asked["from"] as? Double == 100 && asked["to"] as? Double == 3700 && asked["actor"] as? String == "nurse")
            let audit = try await server.accounts.audit(before: nil, limit: 10, participant: "anna")
            #expect(audit.contains { $0.action == "see-waveform-envelope" && $0.detail == "ecg" })
        }
    }

    @Test("a time that is too long is refused with the timeline's reason", arguments: ["", "/envelope"])
    func bounds(kind: String) async throws {
        let refusal = #"{"error":{"code":"bad-request","reason":"the window holds more than 200000 samples"}}"#
        try await DashboardServer.run(answering: { _ in refusal }) { server in
            let reply = try await server.send(
                "GET", Self.path + kind + "?metric=ecg&from=0&to=900000", as: try await server.cookie("nurse"))
            #expect(reply.status == 400 && reply.text.contains("more than 200000 samples"))
        }
    }

    @Test("nothing is asked for a query that is none", arguments: ["", "metric=", "metric=ecg&from=x", "metric=ecg&width=many"])
    func malformed(query: String) async throws {
        try await DashboardServer.run(answering: { _ in Self.runs }) { server in
            let reply = try await server.send("GET", Self.path + "/envelope?" + query, as: try await server.cookie("nurse"))
            #expect(reply.status == 400)
            #expect(server.asked.all.isEmpty)
        }
    }

    @Test("nobody sees it who may not see the person, and an analyst under numbers in place of devices' names")
    func strangers() async throws {
        try await DashboardServer.run(answering: { _ in Self.runs }) { server in
            for kind in ["", "/envelope"] {
                for name in ["oona", "ana"] {
                    let reply = try await server.send("GET", Self.path + kind + "?metric=ecg", as: try await server.cookie(name))
                    #expect(reply.status == 404)
                }
                let nobody = try await server.send("GET", Self.path + kind + "?metric=ecg")
                #expect(nobody.status == 401)
            }
            #expect(server.asked.all.allSatisfy { !String(decoding: $0.payload, as: UTF8.self).contains("waveform") })
            let alias = Pseudonyms(secret: "s").name("anna", for: Account(name: "ana", roles: [.analyst]))
            let path = "/api/v1/participants/\(alias)/waveform/envelope?metric=ecg"
            let closed = try await server.send("GET", path, as: try await server.cookie("ana"))
            #expect(closed.status == 200 && !closed.text.contains("strap"))
            #expect(try JSONDecoder().decode([WaveformEnvelope].self, from: Data(closed.text.utf8)).map(\.source) == ["1", "1"])
        }
    }
}
