import Foundation
import MessageBus
import Testing
import VigilSchema

@testable import Dashboard

@Suite("The report for a visit", .timeLimit(.minutes(2)))
struct ReportTests {
    private static let path = "/api/v1/participants/anna/report?from=1700000000&to=1700086400&language=de"

    /// Answers of the timeline and of the modules, by what is asked.
    private static func answer(_ payload: [UInt8]) -> String {
        let text = String(decoding: payload, as: UTF8.self)
        if text.contains(#""profile""#) { return #"{"result":{"first":"Anna","birthDate":"1950-02-03","timeZone":"Europe/Berlin"}}"# }
        if text.contains(#""metrics""#) {
            return
                #"{"result":[{"metric":"body-temperature","unit":"Cel","first":1700000000,"last":1700080000,"isWaveform":false}]}"#
        }
        if text.contains(#""series""#) {
            return
                #"{"result":[{"time":1700000000,"count":2,"min":37,"max":38,"mean":37.5,"sum":75,"first":37,"last":38}]}"#
        }
        if text.contains(#""entries""#) {
            return #"{"result":[{"id":"1","kind":"allergy","time":1200000000,"description":"Penicillin"}]}"#
        }
        return #"{"result":[]}"#
    }

    @Test("is a PDF of the person's own, and its reading stands in the audit")
    func pdf() async throws {
        try await DashboardServer.run(answering: { Self.answer($0.payload) }) { server in
            let reply = try await server.send("GET", Self.path, as: try await server.cookie("nurse"))
            #expect(reply.status == 200)
            let audit = try await server.accounts.audit(before: nil, limit: 10, participant: "anna")
            #expect(audit.contains { $0.action == "see-report" })
        }
    }

    @Test("has the ECG around the six newest alarms about the heart, of those of which one is stored")
    func strips() async throws {
        let alarms = (0..<9).map { number in
            let about = number == 8 ? #""metric":"body-temperature""# : #""metric":"heart-rate","value":17\#(number)"#
            return
                #"{"schema":"v","participant":"anna","rule":"r","sequence":\#(number + 1),"transition":"raised","cause":"reading","time":\#(1_700_000_100 + number * 60),"decided":1,"state":"active","severity":"warning","priority":"medium","kind":"medical","group":"vital-signs","acknowledged":false,"recovered":false,"inhibited":false,"dataLost":false,"silenced":false,"since":1,"title":{"en":"Heart rate high"},"message":{},\#(about)}"#
        }
        let block = (0..<2500).map { $0 % 250 == 100 ? "1.5" : "0" }.joined(separator: ",")
        try await DashboardServer.run(answering: { message in
            let text = String(decoding: message.payload, as: UTF8.self)
            if text.contains(#""alerts""#) { return #"{"result":[\#(alarms.joined(separator: ","))]}"# }
            guard text.contains(#""waveform""#) else { return Self.answer(message.payload) }
            // Of the newest one nothing is stored.
            let isGone = text.contains("1700000513")
            return isGone ? #"{"result":[]}"# : #"{"result":[{"source":"strap","time":1700000095,"period":0.004,"samples":[\#(block)]}]}"#
        }) { server in
            let nurse = try await server.cookie("nurse")
            let reply = try await server.send("GET", Self.path, as: nurse)
            #expect(reply.status == 200)
            let asked = try server.asked.all.compactMap { try JSONSerialization.jsonObject(with: Data($0.payload)) as? [String: Any] }
            let windows = asked.filter { $0["query"] as? String == "waveform" }.compactMap { $0["from"] as? Double }
            let expected: [Double] = [513, 453, 393, 333, 273, 213, 153].map { 1_700_000_000 + $0 }
            #expect(windows == expected)
            #expect(asked.filter { $0["query"] as? String == "waveform" }.allSatisfy { $0["metric"] as? String == "ecg" })
        }
    }

    @Test("is nobody's who may not see the person or not know who it is", arguments: ["oona", "ana"])
    func strangers(name: String) async throws {
        try await DashboardServer.run(answering: { Self.answer($0.payload) }) { server in
            let cookie = try await server.cookie(name)
            #expect(try await server.send("GET", Self.path, as: cookie).status == 404)
            #expect(server.asked.all.isEmpty)
        }
    }

    @Test("covers no time that is none, and none of decades", arguments: ["from=5&to=5", "from=9&to=5", "from=0&to=1700000000", "from=x"])
    func times(query: String) async throws {
        try await DashboardServer.run(answering: { Self.answer($0.payload) }) { server in
            let reply = try await server.send("GET", "/api/v1/participants/anna/report?\(query)", as: try await server.cookie("nurse"))
            #expect(reply.status == 400)
        }
    }

    @Test("has numbers in the reader's units and language, in no more digits than mean something")
    func numbers() throws {
        let words = PageWords(files: ["en": Array(#"{"unit.[degF]":"°F"}"#.utf8), "de": Array("{}".utf8)])
        let own = ReportNumbers.units(of: ["unit-Cel": .text("[degF]"), "unit-mg/dL": .text("mmol/L"), "theme": .text("dark")])
        let german = ReportNumbers(words: words.language("de"), units: own, zone: .gmt)
        #expect(german.text(37.5, "body-temperature", "Cel") == "99,5 °F")
        #expect(german.text(90.08, "blood-glucose", "mg/dL") == "5,0 mmol/L")
        // Another substance has another factor.
        #expect(german.text(190, "cholesterol", "mg/dL") == "190 mg/dL")
        let english = ReportNumbers(words: words.language("xx"), units: [:], zone: .gmt)
        #expect(english.text(37.5, "body-temperature", "Cel") == "37.5 °C")
        #expect(english.text(71.6, "heart-rate", "/min") == "72 /min")
    }
}
