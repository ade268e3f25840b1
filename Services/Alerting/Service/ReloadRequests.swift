import Synchronization

/// Pending requests to read the rules again, coalesced into one. Threading: callable from any task.
final class ReloadRequests: Sendable {
    /// The most askers that are answered; more are refused at once.
    private static let most = 1000

    /// An element for one or more requests since the last.
    let wishes: AsyncStream<Void>
    private let wish: AsyncStream<Void>.Continuation
    private let waiting = Mutex<(handlers: [CommandHandler], cause: RuleAdoption.Cause)>(([], .found(digest: nil)))

    init() {
        // One element stands for all requests.
        (wishes, wish) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Requests a reload without an answer.
    func signal(_ cause: RuleAdoption.Cause = .asked) {
        // An explicit request stays explicit.
        waiting.withLock { if $0.cause != .asked { $0.cause = cause } }
        wish.yield()
    }

    /// Requests a reload; false: too many are waiting.
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

    /// The askers of the next reload, and its reason.
    func take() -> (handlers: [CommandHandler], cause: RuleAdoption.Cause) {
        waiting.withLock { waiting in
            defer { waiting = ([], .found(digest: nil)) }
            return waiting
        }
    }
}
