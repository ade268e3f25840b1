import Observability
import Synchronization
import VigilSchema

/// The events for a notifier's task: new transitions, finished deliveries, tests. Signals coalesce. Threading: callable
/// from any task.
package final class NotifierInbox: Sendable {
    /// A request for a test notification.
    struct Test: Sendable {
        let actor: String
        let answer: @Sendable (_ result: String, _ isDelivered: Bool) async -> Void
    }

    /// The end of an attempt to deliver a notification.
    struct Finished: Sendable {
        let notification: Notification
        let outcome: DeliveryOutcome
        /// The reason of a failure.
        var error: ChannelError?
    }

    private struct State {
        var finished: [Finished] = []
        var forgotten: Set<String> = []
        var unconfirmed: [AlertMessage] = []
        var warned: [(UnconfirmedAlarms.Key, isDelivered: Bool)] = []
        var tests: [Test] = []
    }

    private static let (mostTests, mostUnconfirmed) = (4, UnconfirmedAlarms.most)
    private let news = Signal()
    private let pending = Mutex(State())
    /// The deliveries so far.
    let state = NotifierState()

    package init() {}

    /// Wakes the notifier, because there are new transitions.
    package func signal() { news.signal() }

    func finished(_ notification: Notification, _ outcome: DeliveryOutcome, _ error: ChannelError? = nil) {
        pending.withLock { $0.finished.append(Finished(notification: notification, outcome: outcome, error: error)) }
        signal()
    }

    /// Requests a test; false: too many are waiting.
    func request(_ test: Test) -> Bool {
        let isTaken = pending.withLock { state in
            guard state.tests.count < Self.mostTests else { return false }
            state.tests.append(test)
            return true
        }
        signal()
        return isTaken
    }

    func takeFinished() -> [Finished] {
        pending.withLock { state in
            defer { state.finished = [] }
            return state.finished
        }
    }

    /// Makes the notifier forget a participant.
    func forget(_ participant: String) {
        pending.withLock { _ = $0.forgotten.insert(participant) }
        signal()
    }

    func takeForgotten() -> Set<String> {
        pending.withLock { state in
            defer { state.forgotten = [] }
            return state.forgotten
        }
    }

    /// Makes the notifier send alarms that are not stored yet.
    func announce(_ alarms: [AlertMessage]) {
        pending.withLock { $0.unconfirmed += alarms.prefix(Self.mostUnconfirmed - $0.unconfirmed.count) }
        signal()
    }

    func takeUnconfirmed() -> [AlertMessage] {
        pending.withLock { state in
            defer { state.unconfirmed = [] }
            return state.unconfirmed
        }
    }

    /// Notes the end of an attempt to send an alarm that is not stored yet.
    func warned(_ key: UnconfirmedAlarms.Key, isDelivered: Bool) {
        pending.withLock { $0.warned.append((key, isDelivered)) }
        signal()
    }

    func takeWarned() -> [(UnconfirmedAlarms.Key, isDelivered: Bool)] {
        pending.withLock { state in
            defer { state.warned = [] }
            return state.warned
        }
    }

    func takeTests() -> [Test] {
        pending.withLock { state in
            defer { state.tests = [] }
            return state.tests
        }
    }

    /// Returns after the next signal, or one since the last call, at the latest after `pause`.
    func wait(atMost pause: Duration?, clock: any Clock<Duration>) async { await news.wait(atMost: pause, clock: clock) }
}

/// Passes transitions, test requests and changed settings to every notifier. Threading: callable from any task.
package final class NotifierFeed: Sendable {
    private let state: Mutex<(inboxes: [String: NotifierInbox], settings: NotifierSettings)>
    /// Signalled once the settings have changed; the runner of the notifiers waits for it.
    let changes = Signal()

    package init(_ notifiers: [String] = []) {
        let inboxes = Dictionary(notifiers.map { ($0, NotifierInbox()) }, uniquingKeysWith: { first, _ in first })
        state = Mutex((inboxes, NotifierSettings()))
    }

    package init(_ settings: NotifierSettings) {
        let inboxes = settings.notifiers.map { ($0.route.id, NotifierInbox()) }
        state = Mutex((Dictionary(inboxes, uniquingKeysWith: { first, _ in first }), settings))
    }

    /// The notifiers' names, sorted.
    var names: [String] { state.withLock { $0.inboxes.keys.sorted() } }
    var settings: NotifierSettings { state.withLock { $0.settings } }
    private var inboxes: [NotifierInbox] { state.withLock { Array($0.inboxes.values) } }

    /// Sets other settings. A notifier that remains keeps its inbox.
    func set(_ settings: NotifierSettings) {
        let isNew = state.withLock { state in
            guard state.settings != settings else { return false }
            let names = settings.notifiers.map(\.route.id)
            state.inboxes = Dictionary(names.map { ($0, state.inboxes[$0] ?? NotifierInbox()) }, uniquingKeysWith: { first, _ in first })
            state.settings = settings
            return true
        }
        if isNew { changes.signal() }
    }

    /// What became of the notifications of an alert, a line for each notifier that sent one.
    func deliveries(of alert: String) -> [String] {
        names.compactMap { name in inbox(of: name)?.state.withDeliveries { $0[alert] }?.line(name) }
    }

    /// The times at which notifiers' receivers had a notification of an alert, by notifier.
    func told(of alert: String) -> [String: Double] {
        state.withLock { $0.inboxes }.compactMapValues { $0.state.withDeliveries { $0[alert]?.told } }
    }

    func inbox(of notifier: String) -> NotifierInbox? { state.withLock { $0.inboxes[notifier] } }

    /// Makes all forget a participant.
    func forget(_ participant: String) { for inbox in inboxes { inbox.forget(participant) } }

    /// Makes all send alarms that are not stored yet.
    func announce(_ alarms: [AlertMessage]) { for inbox in inboxes { inbox.announce(alarms) } }

    /// Wakes all.
    func signal() { for inbox in inboxes { inbox.signal() } }
}
