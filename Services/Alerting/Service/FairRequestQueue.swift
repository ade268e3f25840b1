import MessageBus
import Observability
import Synchronization
import VigilSchema

/// Pending questions, and answers that wait to leave, served round-robin by account, so that a busy account delays only
/// itself.
///
/// Bounded: `mostOfOne` of each account and `most` in all. Further questions are refused, at most `mostAnswers` times
/// until some have left. Nothing survives the process; askers repeat. Threading: callable from any task; one task runs
/// it.
final class FairRequestQueue: Sendable {
    private enum Item {
        case question(AlertCore.DeferredCommand)
        case answer([Reply])
    }

    private struct Lane {
        var items: [Item] = []
        var questions = 0
    }

    private struct State {
        var lanes: [String: Lane] = [:]
        /// The accounts with pending entries, the next one first.
        var turns: [String] = []
        var questions = 0
        var answers = 0
        var isDraining = false

        mutating func add(_ item: Item, _ account: String) {
            if lanes[account] == nil { turns.append(account) }
            lanes[account, default: Lane()].items.append(item)
            if case .question = item { lanes[account]?.questions += 1 }
        }
    }

    /// The most pending questions, of one account and in all.
    static let (mostOfOne, most) = (64, 512)
    /// The most ready answers, of one account and in all; more are dropped.
    static let (mostAnswersOfOne, mostAnswers) = (256, 4096)
    private let state = Mutex(State())
    private let signal = Signal()
    private let counts: AlertCounts

    /// - Parameter counts: counts refused questions and dropped answers.
    init(_ counts: AlertCounts) { self.counts = counts }

    /// The number of pending questions.
    var count: Int { state.withLock { $0.questions } }

    /// Adds a question, or refuses it if too many are pending.
    /// - Returns: the reason for the refusal; nil: added.
    func add(_ deferredCommand: AlertCore.DeferredCommand) -> String? {
        let account = deferredCommand.handler.asker ?? ""
        let refusal = state.withLock { state -> String? in
            guard state.lanes[account]?.questions ?? 0 < Self.mostOfOne else { return Self.refusal(Self.mostOfOne, "of this account ") }
            guard state.questions < Self.most else { return Self.refusal(Self.most) }
            state.questions += 1
            state.add(.question(deferredCommand), account)
            return nil
        }
        if refusal != nil { counts.questionsRefused.add(1, ordering: .relaxed) }
        signal.signal()
        return refusal
    }

    private static func refusal(_ count: Int, _ whose: String = "") -> String {
        "\(count) questions \(whose)wait for their answers already: ask again later"
    }

    /// Adds a ready answer of an account.
    func add(_ answer: [Reply], to account: String?) {
        guard !answer.isEmpty else { return }
        let account = account ?? ""
        let isTaken = state.withLock { state in
            let lane = state.lanes[account] ?? Lane()
            guard lane.items.count - lane.questions < Self.mostAnswersOfOne, state.answers < Self.mostAnswers else { return false }
            state.answers += 1
            state.add(.answer(answer), account)
            return true
        }
        if !isTaken { counts.answersDropped.add(1, ordering: .relaxed) }
        signal.signal()
    }

    /// Makes `run` return once nothing is pending.
    func drain() {
        state.withLock { $0.isDraining = true }
        signal.signal()
    }

    /// Answers one question after the other until it is drained or cancelled.
    /// - Parameters:
    ///   - answer: computes the answer to a question.
    ///   - publish: publishes answers.
    func run(
        answer: @Sendable (AlertCore.DeferredCommand) async -> [Reply], publish: @Sendable ([Reply]) async -> Void
    ) async {
        while !Task.isCancelled {
            switch next() {
            case .question(let deferredCommand): await publish(await answer(deferredCommand))
            case .answer(let replies): await publish(replies)
            case nil:
                if state.withLock({ $0.isDraining && $0.turns.isEmpty }) { return }
                await signal.wait()
            }
        }
    }

    private func next() -> Item? {
        state.withLock { state in
            guard !state.turns.isEmpty else { return nil }
            let account = state.turns.removeFirst()
            guard var lane = state.lanes[account], !lane.items.isEmpty else { return nil }
            let item = lane.items.removeFirst()
            if case .question = item {
                lane.questions -= 1
                state.questions -= 1
            } else {
                state.answers -= 1
            }
            state.lanes[account] = lane.items.isEmpty ? nil : lane
            if !lane.items.isEmpty { state.turns.append(account) }
            return item
        }
    }
}

extension CommandHandler {
    /// The account of the answer; nil: nobody is answered.
    var asker: String? {
        guard let topic = reply("").first?.message?.topic else { return nil }
        let levels = topic.dropFirst(Topic.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        return levels.count > 1 ? String(levels[1]) : nil
    }
}
