import Synchronization

/// Those who wait for the rules to be read again: any number of them is one wish. Threading: from anywhere.
final class ReloadRequests: Sendable {
    /// The most that are answered; the sender of more is told so at once.
    private static let most = 1000

    /// An element for one or more wishes since the last.
    let wishes: AsyncStream<Void>
    private let wish: AsyncStream<Void>.Continuation
    private let waiting = Mutex<(handlers: [CommandHandler], cause: RuleAdoption.Cause)>(([], .found(digest: nil)))

    init() {
        // That there is a wish is all that counts: the newest stands for all.
        (wishes, wish) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Wishes for it without an answer.
    func signal(_ cause: RuleAdoption.Cause = .asked) {
        // Who asks gets what is there; what was merely found does not take that back.
        waiting.withLock { if $0.cause != .asked { $0.cause = cause } }
        wish.yield()
    }

    /// Wishes for it; false where too many wait already.
    func add(_ handler: CommandHandler) -> Bool {
        let isTaken = waiting.withLock { waiting in
            guard waiting.handlers.count < Self.most else { return false }
            waiting.handlers.append(handler)
            waiting.cause = .asked
            return true
        }
        wish.yield()
        return isTaken
    }

    /// Those who are answered by the next reading, and what it is for.
    func take() -> (handlers: [CommandHandler], cause: RuleAdoption.Cause) {
        waiting.withLock { waiting in
            defer { waiting = ([], .found(digest: nil)) }
            return waiting
        }
    }
}
