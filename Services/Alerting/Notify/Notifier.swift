import AlertRules
import Observability
import ServiceKit
import Synchronization
import VigilSchema

/// Tells one receiver: takes transitions as they are decided, groups them, sends them, and sends them again until they were accepted.
///
/// A task of its own with a queue of its own, so that a receiver that hangs delays nobody but itself. Its state is stored after each round of
/// deliveries: a crash repeats a notification at worst, with the same id. A receiver that fails several times in a row is reported to the engine
/// as a technical matter, which tells the others.
final class Notifier: Service {
    private let route: NotifierRoute
    private let channel: any NotificationChannel
    private let core: AlertCore
    private let inbox: NotifierInbox
    private let log: Logger
    private let delivered: Counter
    private let failed: Counter
    private let clock: any Clock<Duration>
    /// Reports whether the receiver can be reached.
    private let report: @Sendable (_ notifier: String, _ isFailing: Bool) async -> Void

    init(
        route: NotifierRoute, channel: any NotificationChannel, core: AlertCore, inbox: NotifierInbox, log: Logger, delivered: Counter,
        failed: Counter, clock: any Clock<Duration> = ContinuousClock(), report: @escaping @Sendable (String, Bool) async -> Void
    ) {
        self.route = route
        self.channel = channel
        self.core = core
        self.inbox = inbox
        self.log = log.with(["notifier": route.id])
        self.delivered = delivered
        self.failed = failed
        self.clock = clock
        self.report = report
    }

    /// The state that changes from round to round.
    private struct Progress {
        var planner: NotificationPlanner
        /// The number of the last transition that the planner has taken.
        var covered: Int64
        /// The last report on the receiver; nil before the first.
        var isReportedFailing: Bool?
        var hasFinished = false
    }

    func run() async throws {
        var progress = try await begin()
        await withDiscardingTaskGroup { tasks in
            while !Task.isCancelled {
                let pause = await round(&progress, &tasks)
                await inbox.wait(atMost: pause, clock: clock)
            }
        }
        await settle(&progress)
        await save(&progress)
    }

    private func begin() async throws -> Progress {
        let kept = try await core.notifier(route.id)
        var planner = NotificationPlanner(route: route, groups: kept.groups)
        let now = await core.presentClock
        // A notifier that is new hears of what is active now.
        for alert in kept.present { planner.take(alert, now: now) }
        return Progress(planner: planner, covered: kept.covered)
    }

    /// Does what there is to do; returns the time until there will be more without a signal, nil: never.
    private func round(_ progress: inout Progress, _ tasks: inout DiscardingTaskGroup) async -> Duration? {
        await settle(&progress)
        reportHealth(&progress, &tasks)
        for alarm in inbox.takeUnconfirmed() where route.escalation == nil && route.concerns(alarm) {
            tasks.addTask { await self.warn(of: alarm) }
        }
        for participant in inbox.takeForgotten() {
            progress.planner.forget(participant)
            progress.hasFinished = true
        }
        for test in inbox.takeTests() { tasks.addTask { await self.run(test) } }
        do {
            let news = try await core.transitions(after: progress.covered)
            let now = await core.presentClock
            for alert in news.alerts { progress.planner.take(alert, now: now) }
            progress.covered = max(progress.covered, news.last)
            for notification in progress.planner.begin(now: now, wall: ClockSample.now.wall) {
                let current = await core.newest(notification)
                tasks.addTask { await self.deliver(current) }
            }
            if progress.hasFinished { await save(&progress) }
            if !news.isAll { return .zero }
            return progress.planner.nextDue.map { .microseconds(max(0, $0 - now)) }
        } catch {
            log.error("alerts cannot be read from the state file; trying again", ["error": "\(error)"])
            return .seconds(1)
        }
    }

    private func settle(_ progress: inout Progress) async {
        let finished = inbox.takeFinished()
        guard !finished.isEmpty else { return }
        let now = await core.presentClock
        for (notification, isDelivered) in finished { progress.planner.finished(notification, delivered: isDelivered, now: now) }
        progress.hasFinished = true
    }

    private func reportHealth(_ progress: inout Progress, _ tasks: inout DiscardingTaskGroup) {
        // A start says nothing of the receiver: one that was failing is so until something was delivered.
        guard let isReachable = progress.planner.isReachable, progress.isReportedFailing != !isReachable else { return }
        let isFailing = !isReachable
        progress.isReportedFailing = isFailing
        if isFailing { log.error("the receiver cannot be reached; a technical alarm is raised") }
        let (report, name) = (report, route.id)
        tasks.addTask { await report(name, isFailing) }
    }

    private func deliver(_ notification: Notification) async {
        do throws(ChannelError) {
            try await channel.send(notification)
            delivered.add()
            inbox.finished(notification, delivered: true)
        } catch {
            failed.add()
            log.warning("notification not delivered; it will be tried again", ["error": error.description])
            inbox.finished(notification, delivered: false)
        }
    }

    /// Tells an alarm that is not stored yet, once; when it is, it is told as any other.
    private func warn(of alarm: AlertMessage) async {
        do throws(ChannelError) {
            try await channel.send(.unconfirmed(alarm, route: route, at: Double(ClockSample.now.wall) / 1e6))
            delivered.add()
        } catch {
            failed.add()
            log.error("an unconfirmed alarm was not delivered", ["error": error.description])
        }
    }

    private func run(_ test: NotifierInbox.Test) async {
        let now = ClockSample.now
        do throws(ChannelError) {
            try await channel.send(.test(of: route.id, actor: test.actor, at: Double(now.wall) / 1e6))
            await test.answer("delivered in \((ClockSample.now.boot - now.boot) / 1000) ms", true)
        } catch {
            await test.answer("not delivered: \(error.description)", false)
        }
    }

    private func save(_ progress: inout Progress) async {
        let planner = progress.planner
        let groups = planner.changed.map { (key: $0, group: planner.groups[$0]) }
        do {
            try await core.keep(notifier: route.id, coveredTo: progress.covered, groups)
            progress.planner.saved()
            progress.hasFinished = false
        } catch {
            log.error("the notifier's state cannot be stored; a restart would repeat notifications", ["error": "\(error)"])
        }
    }
}

/// The events that a notifier's task waits for: new transitions, finished deliveries, tests. Signals coalesce. Threading: from anywhere.
package final class NotifierInbox: Sendable {
    /// A request for a test notification.
    struct Test: Sendable {
        let actor: String
        let answer: @Sendable (_ result: String, _ isDelivered: Bool) async -> Void
    }

    private struct State {
        var finished: [(Notification, Bool)] = []
        var forgotten: Set<String> = []
        var unconfirmed: [AlertMessage] = []
        var tests: [Test] = []
    }

    private static let (mostTests, mostUnconfirmed) = (4, 1000)
    private let news = Signal()
    private let state = Mutex(State())

    package init() {}

    /// Wakes the notifier: there are new transitions.
    package func signal() { news.signal() }

    func finished(_ notification: Notification, delivered: Bool) {
        state.withLock { $0.finished.append((notification, delivered)) }
        signal()
    }

    /// Asks for a test; false while too many others wait.
    func request(_ test: Test) -> Bool {
        let isTaken = state.withLock { state in
            guard state.tests.count < Self.mostTests else { return false }
            state.tests.append(test)
            return true
        }
        signal()
        return isTaken
    }

    func takeFinished() -> [(Notification, Bool)] {
        state.withLock { state in
            defer { state.finished = [] }
            return state.finished
        }
    }

    /// Has the notifier forget a participant.
    func forget(_ participant: String) {
        state.withLock { _ = $0.forgotten.insert(participant) }
        signal()
    }

    func takeForgotten() -> Set<String> {
        state.withLock { state in
            defer { state.forgotten = [] }
            return state.forgotten
        }
    }

    /// Has the notifier tell alarms that are not stored yet.
    func announce(_ alarms: [AlertMessage]) {
        state.withLock { $0.unconfirmed += alarms.prefix(Self.mostUnconfirmed - $0.unconfirmed.count) }
        signal()
    }

    func takeUnconfirmed() -> [AlertMessage] {
        state.withLock { state in
            defer { state.unconfirmed = [] }
            return state.unconfirmed
        }
    }

    func takeTests() -> [Test] {
        state.withLock { state in
            defer { state.tests = [] }
            return state.tests
        }
    }

    /// Returns after the next signal, or one that came since the last call, at the latest after `pause`.
    func wait(atMost pause: Duration?, clock: any Clock<Duration>) async { await news.wait(atMost: pause, clock: clock) }
}

/// Passes on that something was decided, and requests for tests, to every notifier. Threading: from anywhere, once all are added.
package final class NotifierFeed: Sendable {
    private let inboxes: [String: NotifierInbox]

    package init(_ notifiers: [String] = []) {
        inboxes = Dictionary(notifiers.map { ($0, NotifierInbox()) }, uniquingKeysWith: { first, _ in first })
    }

    /// The notifiers' names, sorted.
    var names: [String] { inboxes.keys.sorted() }

    func inbox(of notifier: String) -> NotifierInbox? { inboxes[notifier] }

    /// Has all forget a participant.
    func forget(_ participant: String) { for inbox in inboxes.values { inbox.forget(participant) } }

    /// Has all tell alarms that are not stored yet.
    func announce(_ alarms: [AlertMessage]) { for inbox in inboxes.values { inbox.announce(alarms) } }

    /// Wakes all.
    func signal() { for inbox in inboxes.values { inbox.signal() } }
}
