import Foundation
import JSON5
import Settings
import VigilSchema

/// A questionnaire as its JSON5 file has it. Texts are by language.
package struct Questionnaire: Codable, Sendable, Hashable {
    typealias Text = [String: String]

    /// One answer that each question may be given.
    struct Choice: Codable, Sendable, Hashable {
        let points: Int
        let text: Text
    }

    struct Question: Codable, Sendable, Hashable {
        let text: Text
        /// Said at once where the answer has points, whatever the score is.
        var urgent: Text?
        /// The metric that its points are stored as, besides the score: an alarm rule looks at them.
        var metric: String?
    }

    /// What a score from so many points on means.
    struct Band: Codable, Sendable, Hashable {
        let from: Int
        let text: Text
        let advice: Text
    }

    struct Result: Codable, Sendable, Hashable {
        let score: Int
        let most: Int
        let band: Band
        let urgent: Text?
    }

    let id: String
    /// The metric that the score is stored as.
    let metric: String
    let title: Text
    let source: String
    let introduction: Text
    let choices: [Choice]
    let questions: [Question]
    /// By rising points; the first begins at 0.
    let bands: [Band]

    /// The metrics of answers with their values: the score, and that of each question that has its own.
    func measurements(of answers: [Int]) -> [(metric: String, value: Int)] {
        [(metric, answers.reduce(0, +))] + zip(questions, answers).compactMap { question, points in question.metric.map { ($0, points) } }
    }

    func accepts(_ answers: [Int]) -> Bool {
        answers.count == questions.count && answers.allSatisfy { answer in choices.contains { $0.points == answer } }
    }

    /// - Parameter answers: accepted ones.
    func result(of answers: [Int]) -> Result {
        let score = answers.reduce(0, +)
        let urgent = zip(questions, answers).first { $0.urgent != nil && $1 > 0 }?.0.urgent
        return Result(
            score: score, most: questions.count * (choices.map(\.points).max() ?? 0), band: bands.last { $0.from <= score } ?? bands[0],
            urgent: urgent)
    }

    /// Reads a file.
    /// - Throws: `QuestionnaireError` with what is wrong.
    init(parsing text: String, file: String) throws {
        do {
            let value = try JSON5Parser.parse(text)
            self = try JSONDecoder().decode(Questionnaire.self, from: try JSONSerialization.data(withJSONObject: value.object))
        } catch {
            throw QuestionnaireError(file: file, reason: "\(error)")
        }
        let metrics = [metric] + questions.compactMap(\.metric)
        guard Name.isValid(id), metrics.allSatisfy({ MetricCatalogue.standard.definition(named: $0)?.kind == .value }), !questions.isEmpty,
            questions.count <= 100,
            !choices.isEmpty, Set(choices.map(\.points)).count == choices.count, bands.first?.from == 0,
            zip(bands, bands.dropFirst()).allSatisfy({ $0.from < $1.from })
        else { throw QuestionnaireError(file: file, reason: "id, metric, questions, choices or bands are none") }
    }

    /// Reads the `.json5` files of a folder, in their names' order; none where there is no folder.
    static func read(folder: String) throws -> [Questionnaire] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return try names.filter { $0.hasSuffix(".json5") }.sorted().map { name in
            let file = "\(folder)/\(name)"
            guard let data = FileManager.default.contents(atPath: file) else {
                throw QuestionnaireError(file: file, reason: "cannot be read")
            }
            return try Questionnaire(parsing: String(decoding: data, as: UTF8.self), file: file)
        }
    }
}

/// A questionnaire's file that is wrong.
struct QuestionnaireError: Error, CustomStringConvertible, ExitCoded {
    let file: String
    let reason: String
    var exitCode: ExitCode { .configuration }
    var description: String { "\(file): \(reason)" }
}

extension JSON5Value {
    /// As Foundation's JSON has it.
    fileprivate var object: Any {
        switch content {
        case .null: NSNull()
        case .bool(let value): value
        case .number(let value): value
        case .string(let value): value
        case .array(let values): values.map(\.object)
        case .object(let members): Dictionary(members.map { ($0.name, $0.value.object) }, uniquingKeysWith: { first, _ in first })
        }
    }
}
