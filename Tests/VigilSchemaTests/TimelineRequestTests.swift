import Foundation
import Testing
import VigilSchema

@Suite("Requests to the timeline")
struct TimelineRequestTests {
    private static let range = TimelineQuery.Range(from: Timestamp(seconds: 1), to: Timestamp(seconds: 2))
    private static let series = TimelineQuery.Series(participant: "12", metric: "heart-rate", source: "watch", range: range)

    private static let alert = AlertMessage(
        participant: "12", rule: "r", sequence: 1, transition: "raised", cause: "reading", time: 1.5, decided: 2, state: "active",
        severity: "warning", priority: "medium", kind: "medical", group: "heart", since: 1.5, title: ["en": "High"])
    private static let replaced: ReplacedValue = {
        var value = ReplacedValue(
            number: 7, metric: "ecg", unit: "mV", source: "watch", session: "05", time: Timestamp(seconds: 1), sequence: 2, zone: -30,
            received: Timestamp(seconds: 3), replaced: Timestamp(seconds: 4))
        (value.samples, value.period) = ([0.25, -1], 0.004)
        return value
    }()

    private static let queries: [TimelineQuery] = [
        .participants, .people, .metrics(participant: "12"), .metrics(participant: "12", counted: false), .latest(participant: "12"),
        .readings(participant: "12"),
        .readings(participant: "12", metric: "ecg", range, limit: 7), .series(series, width: 100), .waveform(series),
        .envelope(series, width: 9),
        .page(participant: "12", span: .decade, to: Timestamp(seconds: 3)), .histogram(series, by: .hour, zone: "Europe/Berlin"),
        .sources(series), .sessions(participant: "12"), .gaps(series, longerThan: 5), .alerts(participant: "12", range, limit: 3),
        .entries(participant: "12", range), .profile(participant: "12"),
        .addEntries(
            [TimelineEntry(id: "a", kind: .note, time: Timestamp(seconds: 1), description: "d")], participant: "12", origin: "import-1"),
        .restore(
            [
                .profile(ParticipantProfile(first: "Ada")), .alert(Self.alert), .replaced(Self.replaced),
                .entry(
                    TimelineEntry(id: "a", kind: .note, time: Timestamp(seconds: 1), description: "d"), received: Timestamp(seconds: 2.25)),
            ], participant: "12", origin: "import-1"),
        .removeEntry(id: "a", participant: "12"),
        .removeReadings(["pain"], participant: "12", source: "manual.ada", at: Timestamp(seconds: 1)),
        .setProfile(ParticipantProfile(first: "Ada"), participant: "12"),
        .addLevels(["pain": 3], participant: "12", time: Timestamp(seconds: 1)), .undoImport(id: "import-1"), .erase(participant: "12"),
        .addAudit([AuditEntry(time: Timestamp(seconds: 1), actor: "ada", operation: "page")]),
    ]

    @Test("are read as they are written, each of them", arguments: queries)
    func coding(_ query: TimelineQuery) throws {
        let request = TimelineRequest(query, after: "5", responseTopic: "vigil/v1/responses/me/1")
        let written = try JSONEncoder().encode(request)
        #expect(try JSONDecoder().decode(TimelineRequest.self, from: written) == request)
    }

    @Test("stand for every query that there is")
    func all() throws {
        let names = try Self.queries.map { query in
            let object = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(TimelineRequest(query))) as? [String: Any]
            return object?["query"] as? String
        }
        #expect(Set(names) == Set(TimelineQuery.Name.allCases.map(\.rawValue)))
    }

    @Test("are flat, and what a query does not use is passed over")
    func flat() throws {
        let text = #"{"query":"page","participant":"12","span":"week","width":3,"dance":true}"#
        let request = try JSONDecoder().decode(TimelineRequest.self, from: Data(text.utf8))
        #expect(request == TimelineRequest(.page(participant: "12", span: .week)))
    }

    @Test("say what they lack, with the query and the participant for the audit trail")
    func invalid() {
        let text = #"{"query":"series","participant":"12","responseTopic":"vigil/v1/responses/me/1"}"#
        let error = #expect(throws: TimelineRequest.Invalid.self) {
            try JSONDecoder().decode(TimelineRequest.self, from: Data(text.utf8))
        }
        #expect(error?.query == .series && error?.participant == "12" && error?.reason == "metric is missing")
        #expect(error?.responseTopic == "vigil/v1/responses/me/1")
    }

    @Test("go on where a page of readings ended")
    func cursor() throws {
        let text = #"{"metric":1,"sequence":-2,"source":3,"time":4.5}"#
        let cursor = try #require(ReadingsCursor(after: text))
        #expect(ReadingsCursor(after: cursor.after) == cursor && ReadingsCursor(after: "7") == nil)
    }

    @Test(
        "are refused in words where something is missing, too long or none of what there is",
        arguments: [
            (#""query":"latest""#, "participant is missing or is not 1 to 64 of A-Z a-z 0-9 _ . -"),
            (#""query":"metrics","participant":"a b""#, "participant is missing or is not 1 to 64 of A-Z a-z 0-9 _ . -"),
            (#""query":"series","participant":"a","metric":"""#, "metric is missing"),
            (#""query":"gaps","participant":"a""#, "metric is missing"),
            (#""query":"page","participant":"a","span":"eon""#, "span is none of day, week, month, year, decade"),
            (#""query":"histogram","participant":"a","metric":"m","by":"x""#, "by is none of weekday, hour, day, week, month"),
            (#""query":"add-entries","participant":"a""#, "entries are missing, or more than 1000"),
            (#""query":"add-entries","participant":"a","entries":[]"#, "entries are missing, or more than 1000"),
            (#""query":"restore","participant":"a","records":[]"#, "records are missing, or more than 1000"),
            (#""query":"add-audit""#, "audit is missing, or more than 1000"),
            (#""query":"set-profile","participant":"a""#, "profile is missing"),
            (#""query":"remove-entry","participant":"a""#, "id is missing or no name"),
            (#""query":"remove-readings","participant":"a","source":"s","time":1"#, "metrics is missing, or names more than 20"),
            (#""query":"undo-import","id":"a/b""#, "id is missing or no name"),
            (#""query":"restore","participant":"a","id":"a b","records":[{"profile":{}}]"#, "id is missing or no name"),
        ])
    func refused(members: String, reason: String) {
        let error = #expect(throws: TimelineRequest.Invalid.self) {
            try JSONDecoder().decode(TimelineRequest.self, from: Data("{\(members),\"actor\":\"ada\"}".utf8))
        }
        #expect(error?.reason == reason && error?.description == reason && error?.actor == "ada")
    }

    @Test("take a thousand lines and no more")
    func thousand() throws {
        let line = #"{"time":1,"actor":"a","operation":"b","outcome":"ok"}"#
        for (count, isTaken) in [(1000, true), (1001, false)] {
            let text = #"{"query":"add-audit","audit":["# + Array(repeating: line, count: count).joined(separator: ",") + "]}"
            let request = try? JSONDecoder().decode(TimelineRequest.self, from: Data(text.utf8))
            #expect((request != nil) == isTaken)
        }
    }

    @Test("ask for a day, by weekday, counted, where they do not say otherwise; and keep who asks")
    func defaults() throws {
        func read(_ text: String) throws -> TimelineRequest { try JSONDecoder().decode(TimelineRequest.self, from: Data(text.utf8)) }
        #expect(try read(#"{"query":"page","participant":"a"}"#).query == .page(participant: "a", span: .day, to: nil))
        #expect(
            try read(#"{"query":"histogram","participant":"a","metric":"m"}"#).query
                == .histogram(.init(participant: "a", metric: "m"), by: .weekday, zone: nil))
        #expect(try read(#"{"query":"metrics","participant":"a"}"#).query == .metrics(participant: "a", counted: true))
        #expect(try read(#"{"query":"metrics","participant":"a","counted":false}"#).query == .metrics(participant: "a", counted: false))
        var request = TimelineRequest(.metrics(participant: "a"), after: "5", responseTopic: "t")
        (request.actor, request.address) = ("ada", "::1")
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(request)) as? NSDictionary
        #expect(object == ["query": "metrics", "participant": "a", "after": "5", "responseTopic": "t", "actor": "ada", "address": "::1"])
        #expect(try JSONDecoder().decode(TimelineRequest.self, from: JSONEncoder().encode(request)) == request)
    }
}
