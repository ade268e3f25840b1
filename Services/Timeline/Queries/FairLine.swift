import Synchronization

/// A queue that is served round-robin by asker, one element of each at a time, so that a busy asker delays only itself.
///
/// Bounded, in all and by asker. Threading: callable from any task; one task reads.
final class FairLine<Element: Sendable>: Sendable {
    /// The outcome of adding an element.
    enum Outcome: Sendable {
        case added
        /// The queue is full.
        case full
        /// The asker's share is full.
        case shareIsFull
    }

    private struct State {
        var waiting: [String: [Element]] = [:]
        /// The askers with waiting elements; the first is next.
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
    ///   - limit: the most elements.
    ///   - share: the most elements of one asker.
    init(limit: Int, share: Int) { (self.limit, self.share) = (limit, share) }

    /// Adds an element of an asker.
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

    /// The next element, as soon as there is one; nil once it is finished and empty, or the task is cancelled.
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

    /// Ends the queue.
    func finish() {
        let taker = state.withLock { state in
            state.isFinished = true
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume(returning: nil)
    }
}

/// The round-robin order of concurrent elements.
enum FairOrder {
    /// The elements, one of each asker in turn.
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
