import Synchronization

/// One open stream of events: its mailbox, and the waiting for something in it.
final class Viewer: Sendable {
    /// The data that a viewer may see.
    struct Access: Sendable {
        let account: Account
        /// Pseudonyms instead of names.
        let pseudonyms: Pseudonyms
        /// The participants whose waveforms are wanted.
        let waves: Set<String>

        var isPseudonymous: Bool { account.seesPseudonyms }
        var seesModules: Bool { account.permissions.contains(.operate) }

        func sees(_ participant: String) -> Bool { account.sees(participant) }
        func alias(_ participant: String) -> String { pseudonyms.name(participant, for: account) }
    }

    private struct State {
        var access: Access
        var mailbox = ViewerMailbox()
        var waiting: CheckedContinuation<Void, Never>?
        var isClosed = false
    }

    let number: Int
    private let state: Mutex<State>

    init(number: Int, access: Access) {
        self.number = number
        state = Mutex(State(access: access))
    }

    /// The participants that it may see now.
    var access: Access { state.withLock { $0.access } }

    /// Changes what it may see; where that is less or more, it begins anew.
    func set(_ account: Account) {
        let waves = access.waves
        guard access.account != account else { return }
        state.withLock { $0.access = Access(account: account, pseudonyms: $0.access.pseudonyms, waves: waves) }
        put { $0.reset() }
    }

    /// Puts something in and wakes the stream.
    func put(_ change: (inout ViewerMailbox) -> Void) {
        let waiting = state.withLock { state in
            change(&state.mailbox)
            guard !state.mailbox.isEmpty else { return nil as CheckedContinuation<Void, Never>? }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    /// Returns once something is there, or it was closed.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    guard state.mailbox.isEmpty, !state.isClosed else { return true }
                    state.waiting = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            close()
        }
    }

    /// The messages to be sent now.
    func take(snapshot: (Access) -> String) -> [ViewerMailbox.Event] {
        var (mailbox, access) = state.withLock { state in
            let taken = (state.mailbox, state.access)
            if !taken.0.isEmpty {
                state.mailbox = ViewerMailbox.taken
            }
            return taken
        }
        guard !mailbox.isEmpty else { return [] }
        if mailbox.isEnding { close() }
        return mailbox.take(snapshot: { snapshot(access) }, alias: access.alias)
    }

    /// A Boolean value that indicates whether nothing is to be sent any more.
    var isClosed: Bool { state.withLock { $0.isClosed && $0.mailbox.isEmpty } }

    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }
}

extension ViewerMailbox {
    /// One whose content was just taken.
    static var taken: ViewerMailbox {
        var mailbox = ViewerMailbox()
        _ = mailbox.take(snapshot: { "" }, alias: { $0 })
        return mailbox
    }
}
