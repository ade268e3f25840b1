import Foundation
import Testing
import VigilSchema

@testable import Timeline
@testable import TimelineStore

@Suite("Pages as JSON")
struct PageWriterTests {
    private static func series(_ metric: String, _ points: Int) -> PageSeries {
        let buckets = (0..<points).map { number in
            let values = (0...number % 3).map { Double(number * 7 % 11 - 3) / Double($0 + 1) * ($0 == 1 ? 1e16 : 0.37) }
            let time = Timestamp(microseconds: Int64(number) * 86_400_000_001 - 7_000_000)
            return SeriesBucket(
                time: time, count: Int64(values.count), min: values.min() ?? 0, max: values.max() ?? 0, mean: values.reduce(0, +) / 3,
                sum: values.reduce(0, +),
                first: values[0], last: values[0])
        }
        return PageSeries(metric: metric, title: "The \"\(metric)\"/ é", unit: "{steps}/m2", points: buckets)
    }

    private static func page(_ series: [PageSeries]) -> PageAnswer {
        let texts = [
            LatestValue(metric: "stress-status", unit: "1", source: "a/b", time: Timestamp(seconds: 1.5), value: nil, text: "calm")
        ]
        let page = StoredPage(
            participant: "person \u{1}", from: Timestamp(seconds: -1), to: Timestamp(seconds: 3), series: series, texts: texts)
        let entries = TimelineEntry.Kind.allCases.map {
            TimelineEntry(id: "id-\($0.rawValue)", kind: $0, time: Timestamp(seconds: 2), description: "said", value: 4, unit: "mg")
        }
        return PageAnswer(page, entries: entries)
    }

    @Test("are written by hand as the encoder writes them", arguments: [0, 1, 50])
    func same(points: Int) throws {
        let page = Self.page(["pain", "steps", "systolic-pressure", "heart-rate"].map { Self.series($0, points) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let expected = try encoder.encode(TimelineResponse(result: page.page))
        let written = try PageWriter.response(page, encoder)
        #expect(String(decoding: written, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
    }

    @Test("leave out a metric whose numbers JSON does not have, say so, and tell the others", arguments: [Double.infinity, .nan])
    func infinite(number: Double) throws {
        var steps = Self.series("steps", 2), pain = Self.series("pain", 2), rate = Self.series("heart-rate", 2)
        steps.points[1].max = number
        pain.points[0].mean = number
        rate.points[1].sum = number
        let page = Self.page([steps, pain, rate, Self.series("body-weight", 2)])
        #expect(page.page.vitals.map(\.metric) == ["body-weight"] && page.page.levels.isEmpty && page.page.cut == ["vitals"])
        _ = try PageWriter.response(page, JSONEncoder())
    }
}
