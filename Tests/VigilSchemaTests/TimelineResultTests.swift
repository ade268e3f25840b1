import Foundation
import Testing
import VigilSchema

@Suite("Results of the timeline")
struct TimelineResultTests {
    private func json(_ value: some Encodable) throws -> NSDictionary? {
        try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)) as? NSDictionary
    }

    @Test("keep all that they are made of")
    func members() throws {
        let reading = StoredReading(
            metric: "m", unit: "u", source: "s", session: "05", time: Timestamp(seconds: 1), sequence: 2, value: 3, text: "t",
            received: Timestamp(seconds: 4), zone: 5, period: 6)
        #expect(
            try json(reading)
                == [
                    "metric": "m", "unit": "u", "source": "s", "session": "05", "time": 1, "sequence": 2, "value": 3, "text": "t",
                    "received": 4,
                    "zone": 5, "period": 6,
                ])
        let latest = LatestValue(metric: "m", unit: "u", source: "s", time: Timestamp(seconds: 1), value: 3, text: "t", period: 6)
        #expect(try json(latest) == ["metric": "m", "unit": "u", "source": "s", "time": 1, "value": 3, "text": "t", "period": 6])
        let cursor = ReadingsCursor(time: Timestamp(seconds: 1), metric: 2, source: 3, sequence: -4)
        #expect(
            try json(ReadingsPage(readings: [reading], next: cursor))?["next"] as? NSDictionary == [
                "time": 1, "metric": 2, "source": 3, "sequence": -4,
            ])
        #expect(cursor.after == #"{"metric":2,"sequence":-4,"source":3,"time":1}"#)
        let bucket = SeriesBucket(time: Timestamp(seconds: 1), count: 2, min: 3, max: 4, mean: 5, sum: 6, first: 7, last: 8)
        #expect(try json(bucket) == ["time": 1, "count": 2, "min": 3, "max": 4, "mean": 5, "sum": 6, "first": 7, "last": 8])
        let bin = HistogramBin(key: "00", count: 1, sum: 2, min: 3, max: 4, mean: 5)
        #expect(try json(bin) == ["key": "00", "count": 1, "sum": 2, "min": 3, "max": 4, "mean": 5])
        let summary = MetricSummary(
            metric: "m", unit: "u", count: 7, first: Timestamp(seconds: 1), last: Timestamp(seconds: 2), isWaveform: false)
        #expect(try json(summary) == ["metric": "m", "unit": "u", "count": 7, "first": 1, "last": 2, "isWaveform": false])
        #expect(try json(SeriesGap(from: Timestamp(seconds: 1), to: Timestamp(seconds: 2))) == ["from": 1, "to": 2])
        let entry = TimelineEntry(
            id: "a", kind: .note, time: Timestamp(seconds: 1), ends: Timestamp(seconds: 2), description: "d", value: 3, text: "t",
            unit: "u",
            codes: ["c": ["e"]], detail: "f")
        #expect(
            try json(entry)
                == [
                    "id": "a", "kind": "note", "time": 1, "ends": 2, "description": "d", "value": 3, "text": "t", "unit": "u",
                    "codes": ["c": ["e"]], "detail": "f",
                ])
    }

    @Test("have a number or else a text as their content")
    func content() {
        func latest(_ value: Double?, _ text: String?) -> Observation.Content? {
            LatestValue(metric: "m", unit: "u", source: "s", time: Timestamp(seconds: 1), value: value, text: text).content
        }
        func stored(_ value: Double?, _ text: String?) -> Observation.Content? {
            StoredReading(
                metric: "m", unit: "u", source: "s", time: Timestamp(seconds: 1), value: value, text: text, received: Timestamp(seconds: 1)
            ).content
        }
        for content in [latest, stored] {
            #expect(
                content(1, nil) == .value(1) && content(nil, "a") == .text("a") && content(1, "a") == .value(1) && content(nil, nil) == nil)
        }
    }

    @Test("are the result, or the failure thrown, or a failure that says there is neither")
    func response() throws {
        let failure = TimelineResponse<[String]>.Failure(code: "refused", reason: "no")
        #expect(try TimelineResponse(result: ["a"]).get() == ["a"] && failure.description == "no (refused)")
        #expect(throws: failure) { try TimelineResponse<[String]>(result: nil, error: failure).get() }
        #expect(throws: TimelineResponse<[String]>.Failure(code: "failed", reason: "the timeline's answer is empty")) {
            try TimelineResponse<[String]>(result: nil).get()
        }
        let read = try TimelineResponse<[String]>(decoding: Array(#"{"result":["a"],"next":"7"}"#.utf8))
        #expect(read.result == ["a"] && read.next == "7" && read.error == nil)
        #expect(try json(ErasureReport())?["rows"] as? NSDictionary == [:] && json(UndoReport()) == ["removed": 0, "restored": 0])
    }

    @Test("as a page hold entries by their kind, lists without any left out")
    func page() throws {
        let entries = TimelineEntry.Kind.allCases.map {
            TimelineEntry(id: $0.rawValue, kind: $0, time: Timestamp(seconds: 1), description: "d")
        }
        func page(_ entries: [TimelineEntry], cut: [String] = []) -> TimelinePage {
            TimelinePage(
                participant: "12", from: Timestamp(seconds: 1), to: Timestamp(seconds: 2), entries: entries, vitals: [], levels: [:],
                texts: [],
                alerts: [], cut: cut)
        }
        let full = page(entries, cut: ["notes"])
        #expect(full.items.map(\.kind) == TimelineEntry.Kind.allCases && full.items.allSatisfy { $0.items.map(\.id) == [$0.kind.rawValue] })
        #expect(full.cut == ["notes"] && full.alerts == nil && page([]).cut == nil && page([]).items.allSatisfy(\.items.isEmpty))
        #expect(full.notes?.map(\.id) == ["note"] && full.medications?.map(\.id) == ["medication"])
        #expect(try json(page([])) == ["participant": "12", "start_date": 1, "end_date": 2, "vitals": [], "levels": [:], "texts": []])
        for (value, text, isMeasured) in [(1, nil, true), (nil, "a", true), (1, "a", true), (nil, nil, false)] as [(Double?, String?, Bool)]
        {
            let entry = TimelineEntry(
                id: "a", kind: .result, time: Timestamp(seconds: 1), ends: Timestamp(seconds: 3), description: "d", value: value,
                text: text,
                unit: "u", codes: ["c": ["e"]], detail: "f")
            let item = try #require(page([entry]).results?.first)
            #expect((item.measurement != nil) == isMeasured && item.measurement?.value == value && item.measurement?.text == text)
            #expect(
                item.date == Timestamp(seconds: 1) && item.endDate == Timestamp(seconds: 3) && item.detail == "f"
                    && item.codes == ["c": ["e"]])
        }
    }

    @Test("for a publisher count all that they speak of, and are written with sorted keys")
    func receipts() throws {
        let receipt = Receipt(outcome: .stored, batch: "b", stored: 1, duplicates: 20, corrections: 300, rejected: 4000, reasons: ["r/s"])
        #expect(receipt.count == 4321 && Receipt(outcome: .rejected).count == 0)
        #expect(
            String(decoding: try receipt.encoded(), as: UTF8.self)
                == #"{"batch":"b","corrections":300,"duplicates":20,"outcome":"stored","reasons":["r/s"],"rejected":4000,"stored":1}"#)
        #expect(try Receipt(decoding: receipt.encoded()) == receipt)
        let confirmation = Confirmation(
            stored: ["a"], refused: [.init(batch: "b", reason: "r", observations: [.init(group: 1, observation: 2, reason: "s")])])
        #expect(try Confirmation(decoding: confirmation.encoded()) == confirmation)
        #expect(
            String(decoding: try confirmation.encoded(), as: UTF8.self)
                == #"{"refused":[{"batch":"b","observations":[{"group":1,"observation":2,"reason":"s"}],"reason":"r"}],"stored":["a"]}"#)
    }

    @Test("of a refusal show the payload's first 1,024 bytes")
    func rejects() throws {
        let reject = Reject(
            participant: "12", device: "A01", time: Timestamp(seconds: 2.5), error: PayloadError(.missing, "r", offset: 7, path: "$.x"),
            count: 3,
            omitted: 4, topic: "t", payload: [UInt8](repeating: 65, count: 1023) + [66, 67])
        #expect(Data(base64Encoded: reject.payload) == Data([UInt8](repeating: 65, count: 1023) + [66]))
        var object = try json(reject) as? [String: Any] ?? [:]
        object["payload"] = nil
        #expect(
            object as NSDictionary == [
                "participant": "12", "device": "A01", "time": 2.5, "code": "missing", "reason": "r", "offset": 7, "path": "$.x", "count": 3,
                "omitted": 4, "topic": "t",
            ])
        #expect(try Reject(decoding: reject.encoded()) == reject)
    }
}
