import MessageBus
import ServiceKit
import VigilSchema

/// Do the services have room to store? What `vigil check` finds out from each of them.
enum DiskCheck {
    private static let what = "room on disk"

    /// Asks the services.
    static func finding(_ session: BrokerSession, _ services: [String]) async -> CheckReport.Finding {
        do {
            let answers = try await session.requesting(answersBelow: session.answerTopic) { requester in
                await withTaskGroup(of: (service: String, room: String).self) { tasks in
                    for service in services { tasks.addTask { (service, await room(of: service, requester)) } }
                    return await tasks.reduce(into: []) { $0.append($1) }
                }
            }
            return finding(answers.sorted { $0.service < $1.service })
        } catch {
            return .init(what: what, isWell: false, words: "the services cannot be asked: \(error)")
        }
    }

    /// The answer of one service; those that hang are waited for together.
    private static func room(of service: String, _ requester: Requester) async -> String {
        let exchange = ParameterExchange(requester: requester, service: service, timeout: .seconds(5))
        do {
            let answer = try await exchange.ask(.moduleGet(service: service), "disk", nil)
            return answer.value?.text ?? "unknown: \(answer.error ?? "no answer")"
        } catch {
            return "unknown: \(error)"
        }
    }

    /// Judges the answers, each a level and the room in words.
    static func finding(_ answers: [(service: String, room: String)]) -> CheckReport.Finding {
        let short = answers.filter { !$0.room.hasPrefix("ample:") }
        guard !short.isEmpty else { return .init(what: what, isWell: true, words: "every service has enough") }
        let words = short.map { "\($0.service) \($0.room)" }.joined(separator: "; ")
        let isFull = short.contains { $0.room.hasPrefix("almost-full:") }
        let next = "; free space on the disk of its state folder, or shorten the retention"
        return .init(what: what, isWell: !isFull, words: words + next, isWarning: !isFull)
    }
}
