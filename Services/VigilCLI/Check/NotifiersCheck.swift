import Foundation
import MessageBus
import ServiceKit
import VigilSchema

/// Does anybody hear of alarms? What `vigil check` finds out from `vigil-alert`.
enum NotifiersCheck {
    private struct Answer: Decodable {
        let ok: Bool
        let error: String?
        let problems: [String]?
        let lines: [String]?
        let hasFile: Bool?
        let isWell: Bool?
    }

    private static let what = "notifiers"

    /// Asks the service.
    static func finding(_ session: BrokerSession) async -> CheckReport.Finding {
        do {
            let request = try ServiceRequest(["command": "notifiers", "participant": "all", "rule": "all"], to: "alert")
            let payload = try await session.requesting(answersBelow: session.answerTopic) { requester in
                try await requester.request(timeout: .seconds(10)) { request.message(answeredOn: $0) }.payload
            }
            return finding(payload)
        } catch {
            return CheckReport.Finding(what: what, isWell: false, words: "vigil-alert does not say who is told: \(error)")
        }
    }

    /// Judges the answer.
    static func finding(_ payload: [UInt8]) -> CheckReport.Finding {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(payload)), answer.ok else {
            let error = (try? JSONDecoder().decode(Answer.self, from: Data(payload)))?.error ?? "an answer that cannot be read"
            return CheckReport.Finding(what: what, isWell: false, words: error)
        }
        let problems = answer.problems ?? []
        guard answer.hasFile == true else {
            return CheckReport.Finding(what: what, isWell: true, words: problems.joined(separator: "; "), isWarning: true)
        }
        let isWell = problems.isEmpty && answer.isWell != false
        let next = problems.isEmpty ? [] : ["mend it, then: vigil alerts reload"]
        let words = (problems + next + (answer.lines ?? [])).joined(separator: "; ")
        return CheckReport.Finding(what: what, isWell: isWell, words: words.isEmpty ? "only the heartbeat" : words)
    }
}
