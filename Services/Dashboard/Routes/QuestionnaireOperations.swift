import Foundation
import Observability
import VigilSchema

/// Questionnaires that people fill in: what there is, and answers with their score, which is a measurement typed in.
enum QuestionnaireOperations {
    static let all = [list, answer]

    private static let list = APIOperation(
        "GET", "/questionnaires", "The questionnaires: questions, answers and what scores mean, in every language.",
        for: .permitted(.seeIdentity)
    ) { call in
        APICall.json(call.dashboard.questionnaires)
    }

    private static let answer = APIOperation(
        "POST", "/participants/{participant}/questionnaires/{id}", "Stores the score of answers; answered after the commit.",
        for: .permitted(.enter),
        body: [
            .init("answers", .array, "The points of each question, in their order."),
            .init("time", .number, "Unix seconds; now where it is missing."),
        ]
    ) { call in
        struct Form: Decodable {
            let answers: [Int]
            let time: Double?
        }
        let id = try call.path("id")
        guard let questionnaire = call.dashboard.questionnaires.first(where: { $0.id == id }) else { throw APIError.notFound }
        let (form, now) = (try call.body(Form.self), call.dashboard.now())
        guard questionnaire.accepts(form.answers) else { throw APIError.malformed("answers has a number for each question") }
        let time = form.time ?? now
        guard time.isFinite, (0...now + 60).contains(time) else {
            throw APIError.malformed("time must be in Unix seconds, not in the future")
        }
        let result = questionnaire.result(of: form.answers)
        try await call.audit("answer-questionnaire", id)
        let scores = questionnaire.measurements(of: form.answers).map {
            Score(metric: $0.metric, time: time, value: Double($0.value), unit: "{score}")
        }
        let receipt = try await call.bus.enter(scores, participant: call.participant)
        guard receipt.rejected == 0 else {
            throw APIError(status: 422, code: "not-stored", reason: receipt.reasons.first ?? "the score was refused")
        }
        return APICall.json(result)
    }

    /// A score in the native format.
    private struct Score: Encodable, Sendable {
        let metric: String
        let time: Double
        let value: Double
        let unit: String
    }
}
