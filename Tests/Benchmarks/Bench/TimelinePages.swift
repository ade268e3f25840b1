import SuiteHarness
import Timeline
import VigilSchema

/// A question about a participant, asked of a timeline of ten years: milliseconds from the request to its answer as JSON, the median over 100
/// participants at random.
struct TimelinePages: Benchmark {
    enum Question: String { case day, decade, weekdays }

    let question: Question
    var name: String { "page-\(question.rawValue)" }
    let unit = "ms"
    var goal: Goal { .atMost(question == .day ? 20 : 50) }
    let repeats = 1

    func product(_ bench: Workbench) async throws -> Double {
        let timeline = try await bench.timeline.made()
        let handler = QueryHandler(store: timeline.store, now: { GeneratedTimeline.end })
        var spent: [Double] = []
        for _ in 0..<100 {
            let request = request(of: GeneratedTimeline.name(Int.random(in: 1...timeline.participants)))
            var answer: [UInt8] = []
            spent.append(await ContinuousClock().measure { answer = await handler.answer(request) }.seconds * 1000)
            guard answer.starts(with: Array(#"{"result""#.utf8)) else { throw HarnessError(String(decoding: answer, as: UTF8.self)) }
        }
        Output.note("\(name): slowest \(Table.number(spent.max() ?? 0)) ms, at \(timeline.rows) readings of \(timeline.participants)")
        return spent.median
    }

    private func request(of participant: String) -> TimelineRequest {
        let end = GeneratedTimeline.end
        switch question {
        case .day: return TimelineRequest(.page(participant: participant, span: .day, to: end))
        case .decade: return TimelineRequest(.page(participant: participant, span: .decade, to: end))
        case .weekdays:
            let year = TimelineQuery.Range(from: end.advanced(bySeconds: -365 * 86_400), to: end)
            let heartRate = TimelineQuery.Series(participant: participant, metric: "heart-rate", range: year)
            return TimelineRequest(.histogram(heartRate, by: .weekday, zone: "Europe/Berlin"))
        }
    }
}
