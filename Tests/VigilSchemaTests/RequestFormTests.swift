import Foundation
import Testing
import VigilSchema

@Suite("What requests to the timeline look like")
struct RequestFormTests {
    private static let range = TimelineQuery.Range(from: Timestamp(seconds: 1.5), to: Timestamp(seconds: 2))
    private static let series = TimelineQuery.Series(participant: "12", metric: "ecg", source: "watch", range: range)

    @Test(
        "have all that is asked for, under the names of the documentation",
        arguments: [
            (.participants, #"{"query":"participants"}"#), (.people, #"{"query":"people"}"#),
            (.metrics(participant: "12"), #"{"participant":"12","query":"metrics"}"#),
            (.metrics(participant: "12", counted: false), #"{"counted":false,"participant":"12","query":"metrics"}"#),
            (.latest(participant: "12"), #"{"participant":"12","query":"latest"}"#),
            (
                .readings(participant: "12", metric: "ecg", range, limit: 7),
                #"{"from":1.5,"limit":7,"metric":"ecg","participant":"12","query":"readings","to":2}"#
            ),
            (.readings(participant: "12"), #"{"participant":"12","query":"readings"}"#),
            (
                .series(series, width: 100),
                #"{"from":1.5,"metric":"ecg","participant":"12","query":"series","source":"watch","to":2,"width":100}"#
            ),
            (.waveform(series), #"{"from":1.5,"metric":"ecg","participant":"12","query":"waveform","source":"watch","to":2}"#),
            (
                .envelope(series, width: 9),
                #"{"from":1.5,"metric":"ecg","participant":"12","query":"envelope","source":"watch","to":2,"width":9}"#
            ),
            (
                .page(participant: "12", span: .decade, to: Timestamp(seconds: 3)),
                #"{"participant":"12","query":"page","span":"decade","to":3}"#
            ),
            (
                .histogram(series, by: .hour, zone: "Europe/Berlin"),
                #"{"by":"hour","from":1.5,"metric":"ecg","participant":"12","query":"histogram","source":"watch","to":2,"zone":"Europe/Berlin"}"#
            ),
            (.sources(series), #"{"from":1.5,"metric":"ecg","participant":"12","query":"sources","source":"watch","to":2}"#),
            (.sessions(participant: "12"), #"{"participant":"12","query":"sessions"}"#),
            (
                .gaps(series, longerThan: 5),
                #"{"from":1.5,"metric":"ecg","participant":"12","query":"gaps","seconds":5,"source":"watch","to":2}"#
            ),
            (.alerts(participant: "12", range, limit: 3), #"{"from":1.5,"limit":3,"participant":"12","query":"alerts","to":2}"#),
            (.entries(participant: "12", range, limit: 4), #"{"from":1.5,"limit":4,"participant":"12","query":"entries","to":2}"#),
            (
                .entries(participant: "12", kinds: [.result, .allergy]),
                #"{"kinds":["allergy","result"],"participant":"12","query":"entries"}"#
            ),
            (.profile(participant: "12"), #"{"participant":"12","query":"profile"}"#),
            (.removeEntry(id: "a", participant: "12"), #"{"id":"a","participant":"12","query":"remove-entry"}"#),
            (
                .removeReadings(["pain"], participant: "12", source: "manual.ada", at: Timestamp(seconds: 1)),
                #"{"metrics":["pain"],"participant":"12","query":"remove-readings","source":"manual.ada","time":1}"#
            ),
            (
                .addLevels(["pain": 3], participant: "12", time: Timestamp(seconds: 1)),
                #"{"levels":{"pain":3},"participant":"12","query":"add-levels","time":1}"#
            ),
            (.undoImport(id: "import-1"), #"{"id":"import-1","query":"undo-import"}"#),
            (.erase(participant: "12"), #"{"participant":"12","query":"erase"}"#),
        ] as [(TimelineQuery, String)])
    func written(query: TimelineQuery, text: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(String(decoding: try encoder.encode(TimelineRequest(query)), as: UTF8.self) == text)
        #expect(try JSONDecoder().decode(TimelineRequest.self, from: Data(text.utf8)) == TimelineRequest(query))
    }

    private func json(_ value: some Encodable) throws -> NSDictionary? {
        try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)) as? NSDictionary
    }

    @Test("have the origin of what is added, and records as the store keeps them, a replaced value with all that it has")
    func records() throws {
        let entry = TimelineEntry(id: "a", kind: .note, time: Timestamp(seconds: 1), description: "d")
        var value = ReplacedValue(
            number: 7, metric: "ecg", unit: "mV", source: "watch", session: "05", time: Timestamp(seconds: 1), sequence: 2, zone: -30,
            received: Timestamp(seconds: 3), replaced: Timestamp(seconds: 4))
        (value.samples, value.period) = ([0.25, -1], 0.004)
        let replaced: NSDictionary = [
            "number": 7, "metric": "ecg", "unit": "mV", "source": "watch", "session": "05", "time": 1, "sequence": 2, "zone": -30,
            "received": 3, "replaced": 4, "samples": [0.25, -1], "period": 0.004,
        ]
        let written: NSDictionary = ["id": "a", "kind": "note", "time": 1, "description": "d"]
        #expect(
            try json(TimelineRequest(.restore([.replaced(value), .entry(entry, received: nil)], participant: "12", origin: "i")))
                == ["query": "restore", "participant": "12", "id": "i", "records": [["replaced": replaced], ["entry": written]]])
        #expect(
            try json(TimelineRequest(.addEntries([entry], participant: "12", origin: nil)))
                == ["query": "add-entries", "participant": "12", "entries": [written]])
        #expect(
            try json(TimelineRequest(.setProfile(ParticipantProfile(first: "Ada"), participant: "12")))
                == ["query": "set-profile", "participant": "12", "profile": ["first": "Ada"]])
    }

    @Test("to the importer have what they are made of, and nothing else")
    func imports() throws {
        let request = ImportRequest(
            "upload", job: "j", name: "n", size: 1, offset: 2, data: "d", answers: ImportAnswers(), after: 3, id: "i")
        #expect(
            try json(request) == [
                "command": "upload", "job": "j", "name": "n", "size": 1, "offset": 2, "data": "d", "answers": [:] as NSDictionary,
                "after": 3,
                "id": "i",
            ])
        #expect(try json(ImportRequest("list")) == ["command": "list"])
        #expect(ImportRequest.mostBytes == 262_144)
    }

    @Test("number what has no sequence with nought")
    func sequence() {
        let reading = StoredReading(
            metric: "m", unit: "u", source: "s", time: Timestamp(seconds: 1), value: 1, received: Timestamp(seconds: 1))
        #expect(reading.sequence == 0)
        let observation = Observation(metric: "m", time: Timestamp(seconds: 1), content: .value(1), unit: "u")
        #expect(observation.sequence == 0 && observation.interval == 0 && observation.zone == nil)
    }
}
