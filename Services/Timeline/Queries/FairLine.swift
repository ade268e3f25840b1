import Synchronization

/// What waits, in turn by who asks: each asker's in their order, and of each one at a time, so that whoever asks for much waits for it alone.
///
/// Bounded, altogether and by asker. Threading: from anywhere; one task takes.
final class FairLine<Element: Sendable>: Sendable {
    /// What became of something that was to wait.
    enum Outcome: Sendable {
        case added
        /// There is no room for anybody's.
        case full
        /// The asker has as much waiting as one may have.
        case shareIsFull
    }

    private struct State {
        var waiting: [String: [Element]] = [:]
        /// The askers with something waiting; the first has the next turn.
        var turns: [String] = []
        var count = 0
        var taker: CheckedContinuation<Element?, Never>?
        var isFinished = false

        mutating func next() -> Element? {
            guard !turns.isEmpty else { return nil }
            let asker = turns.removeFirst()
            guard var own = waiting.removeValue(forKey: asker) else { return nil }
            let element = own.removeFirst()
            count -= 1
            if !own.isEmpty {
                waiting[asker] = own
                turns.append(asker)
            }
            return element
        }
    }

    private let limit: Int
    private let share: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: how many may wait.
    ///   - share: how many of one asker.
    init(limit: Int, share: Int) { (self.limit, self.share) = (limit, share) }

    /// Has something wait for the asker's turn.
    func add(_ element: Element, of asker: String) -> Outcome {
        let (outcome, taker) = state.withLock { state -> (Outcome, CheckedContinuation<Element?, Never>?) in
            if let taker = state.taker {
                state.taker = nil
                return (.added, taker)
            }
            guard state.count < limit else { return (.full, nil) }
            let own = state.waiting[asker, default: []].count
            guard own < share else { return (.shareIsFull, nil) }
            if own == 0 { state.turns.append(asker) }
            state.waiting[asker, default: []].append(element)
            state.count += 1
            return (.added, nil)
        }
        taker?.resume(returning: element)
        return outcome
    }

    /// The next one, as soon as there is one; nil once it is finished and empty, or the task is cancelled.
    func next() async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let element = state.withLock { state -> Element?? in
                    if let next = state.next() { return .some(next) }
                    guard !state.isFinished else { return .some(nil) }
                    state.taker = continuation
                    return nil
                }
                if let element { continuation.resume(returning: element) }
            }
        } onCancel: {
            finish()
        }
    }

    /// Nothing more comes.
    func finish() {
        let taker = state.withLock { state in
            state.isFinished = true
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume(returning: nil)
    }
}

/// The order in which what came together has its turn.
enum FairOrder {
    /// The elements, of each asker one in turn.
    static func interleaved<Element>(_ elements: [Element], by asker: (Element) -> String) -> [Element] {
        guard elements.count > 2 else { return elements }
        var rounds: [[Element]] = []
        var counts: [String: Int] = [:]
        for element in elements {
            let name = asker(element)
            let round = counts[name, default: 0]
            counts[name] = round + 1
            if round == rounds.count { rounds.append([]) }
            rounds[round].append(element)
        }
        return rounds.flatMap(\.self)
    }
}
