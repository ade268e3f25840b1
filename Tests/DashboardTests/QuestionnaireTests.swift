import Foundation
import MessageBus
import Testing
import VigilSchema

@testable import Dashboard

@Suite("Questionnaires", .timeLimit(.minutes(2)))
struct QuestionnaireTests {
    private static let stored = #"{"outcome":"stored","stored":1,"duplicates":0,"corrections":0,"rejected":0,"reasons":[]}"#
    private static let path = "/api/v1/participants/anna/questionnaires"

    private static func shipped() throws -> [Questionnaire] {
        try Questionnaire.read(folder: DashboardServer.webFolder + "/questionnaires")
    }

    @Test("the shipped ones are whole in every language, and their scores fit their metric")
    func files() throws {
        let all = try Self.shipped()
        #expect(all.map(\.id) == ["gad-7", "phq-9"])
        #expect(all.map(\.questions.count) == [7, 9])
        for one in all {
            let texts =
                [one.title, one.introduction] + one.choices.map(\.text) + one.questions.map(\.text) + one.questions.compactMap(\.urgent)
                + one.bands.flatMap { [$0.text, $0.advice] }
            for text in texts { #expect(Set(text.keys) == ["en", "de", "ru"] && text.values.allSatisfy { !$0.isEmpty }) }
            #expect(one.choices.map(\.points) == [0, 1, 2, 3])
            let metric = try #require(MetricCatalogue.standard.definition(named: one.metric))
            #expect(metric.plausible == 0...Double(one.questions.count * 3))
        }
    }

    /// Kroenke, Spitzer and Williams 2001; Spitzer and others 2006.
    @Test(
        "a score falls into its published band",
        arguments: [
            ("phq-9", [0, 4, 5, 9, 10, 14, 15, 19, 20, 27], [0, 0, 5, 5, 10, 10, 15, 15, 20, 20]),
            ("gad-7", [0, 4, 5, 9, 10, 14, 15, 21], [0, 0, 5, 5, 10, 10, 15, 15]),
        ] as [(String, [Int], [Int])])
    func bands(id: String, scores: [Int], starts: [Int]) throws {
        let one = try #require(try Self.shipped().first { $0.id == id })
        for (score, start) in zip(scores, starts) {
            let answers = one.questions.indices.map { min(3, max(0, score - 3 * $0)) }
            #expect(one.accepts(answers))
            let result = one.result(of: answers)
            #expect(result.score == score && result.band.from == start)
        }
    }

    @Test("thoughts of death are answered at once, however small the score is")
    func urgent() throws {
        let one = try #require(try Self.shipped().first { $0.id == "phq-9" })
        #expect(one.result(of: [0, 0, 0, 0, 0, 0, 0, 0, 1]).urgent != nil)
        #expect(
            one.measurements(of: [1, 0, 0, 0, 0, 0, 0, 0, 2]).map { "\($0.metric) \($0.value)" } == ["phq9-score 3", "phq9-self-harm 2"])
        #expect(MetricCatalogue.standard.definition(named: "phq9-self-harm")?.plausible == 0...3)
        #expect(one.result(of: [3, 3, 3, 3, 3, 3, 3, 3, 0]).urgent == nil)
    }

    @Test("answers become a score that was typed in, and the score with its meaning is the answer")
    func answered() async throws {
        try await DashboardServer.run(answering: { _ in Self.stored }) { server in
            let nurse = try await server.cookie("nurse")
            #expect(try await server.send("GET", "/api/v1/questionnaires", as: nurse).text.contains(#""id":"phq-9""#))
            let body = #"{"answers":[1,1,1,1,1,1,1,1,2],"time":1700000000}"#
            let reply = try await server.send("POST", Self.path + "/phq-9", as: nurse, body: body)
            #expect(reply.status == 200 && reply.text.contains(#""score":10"#) && reply.text.contains(#""urgent":{"#))
            let message = try #require(server.asked.all.last)
            #expect(message.topic == "vigil/v1/ingest/anna/manual/nurse")
            let payload = String(decoding: message.payload, as: UTF8.self)
            #expect(
                payload.contains(
                    #"[{"metric":"phq9-score","time":1700000000,"unit":"{score}","value":10},{"metric":"phq9-self-harm","time":1700000000,"unit":"{score}","value":2}]"#
                ))
            let audit = try await server.accounts.audit(before: nil, limit: 1, participant: "anna")
            #expect(audit.map { "\($0.action) \($0.detail)" } == ["answer-questionnaire phq-9"])
        }
    }

    @Test(
        "nothing is stored of answers that are none",
        arguments: [
            ("phq-9", #"{"answers":[1,1,1,1,1,1,1,1]}"#, 400), ("phq-9", #"{"answers":[1,1,1,1,1,1,1,1,4]}"#, 400),
            ("phq-9", #"{"answers":[1,1,1,1,1,1,1,1,1],"time":9e12}"#, 400), ("gad-7", #"{"answers":"x"}"#, 400),
            ("no-such", #"{"answers":[]}"#, 404),
        ])
    func malformed(id: String, body: String, status: Int) async throws {
        try await DashboardServer.run(answering: { _ in Self.stored }) { server in
            let nurse = try await server.cookie("nurse")
            #expect(try await server.send("POST", "\(Self.path)/\(id)", as: nurse, body: body).status == status)
            #expect(server.asked.all.isEmpty)
        }
    }

    @Test(
        "a file that is none is refused",
        arguments: [
            "", "{}", "{id: 'a b', metric: 'pain', title: {}, source: '', introduction: {}, choices: [], questions: [], bands: []}",
            "{id: 'a', metric: 'no-such', title: {}, source: '', introduction: {}, choices: [{points: 0, text: {}}], questions: [{text: {}}], bands: [{from: 0, text: {}, advice: {}}]}",
            "{id: 'a', metric: 'pain', title: {}, source: '', introduction: {}, choices: [{points: 0, text: {}}], questions: [{text: {}}], bands: [{from: 1, text: {}, advice: {}}]}",
        ])
    func wrongFiles(text: String) {
        #expect(throws: QuestionnaireError.self) { try Questionnaire(parsing: text, file: "q.json5") }
    }
}
