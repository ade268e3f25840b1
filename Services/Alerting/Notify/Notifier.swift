import AlertRules
import HTTPClient
import Observability
import ServiceKit
import VigilSchema

/// A way to a receiver, by the notifier that it is of.
struct NotificationWay: Sendable {
    let name: String
    let channel: any NotificationChannel
    /// Nil: who reads its messages cannot answer them.
    var answers: AnswerOffers?
}

/// Notifies one receiver: reads transitions, groups them, and sends each notification until it is accepted.
///
/// Each notifier has its own task and queue, so a receiver that hangs delays no other. The state is stored after each
/// round; a crash at worst repeats a notification with the same id. After several failures in a row the engine gets a
/// technical observation, and the other notifiers report it.
final class Notifier: Service {
    private let route: NotifierRoute
    private let routing: NotifierRouting?
    /// The times at which receivers had a notification of an alert, by notifier.
    private let told: @Sendable (_ alert: String) -> [String: Double]
    /// The receiver's own way, and those that take its place where it fails.
    private let ways: [NotificationWay]
    /// The seconds after a failure for which a receiver that cannot be reached is tried last.
    private static let rest = 60.0
    /// Whoever is notified so many seconds after another is not among the first.
    private static let first = 60.0
    private let core: AlertCore
    private let inbox: NotifierInbox
    private let log: Logger
    private let counters: NotifierCounters
    private let clock: any Clock<Duration>
    /// Reports the notifier's condition.
    private let report: @Sendable (_ notifier: String, _ condition: NotifierCondition) async -> Void

    init(
        route: NotifierRoute, routing: NotifierRouting? = nil, told: @escaping @Sendable (String) -> [String: Double] = { _ in [:] },
        ways: [NotificationWay], core: AlertCore, inbox: NotifierInbox, log: Logger,
        counters: NotifierCounters,
        clock: any Clock<Duration> = ContinuousClock(), report: @escaping @Sendable (String, NotifierCondition) async -> Void
    ) {
        self.route = route
        self.routing = routing
        self.told = told
        self.ways = ways
        self.core = core
        self.inbox = inbox
        self.log = log.with(["notifier": route.id])
        self.counters = counters
        self.clock = clock
        self.report = report
    }

    /// The state that changes from round to round.
    private struct Progress {
        var planner: NotificationPlanner
        /// The alarms that are sent before they are stored.
        var unconfirmed = UnconfirmedAlarms()
        /// The number of the last transition that the planner has read.
        var covered: Int64
        /// The last report about the receiver; nil before the first.
        var reported: NotifierCondition?
        var hasFinished = false
        /// The wall time at which the routes may select another receiver.
        var nextChange: Int64
    }

    func run() async throws {
        var progress = try await begin()
        await withDiscardingTaskGroup { tasks in
            tasks.addTask { await self.lookForProblem() }
            while !Task.isCancelled {
                let pause = await round(&progress, &tasks)
                await inbox.wait(atMost: pause, clock: clock)
            }
        }
        await settle(&progress)
        await save(&progress)
        // Other settings may take this one's place; they send what waits, and nothing that has arrived.
        for (key, isDelivered) in inbox.takeWarned() { progress.unconfirmed.finished(key, isDelivered: isDelivered, now: 0) }
        if !progress.unconfirmed.rest.isEmpty { inbox.announce(progress.unconfirmed.rest) }
    }

    private func begin() async throws -> Progress {
        let kept = try await core.notifier(route.id)
        var planner = NotificationPlanner(route: route, routing: routing, groups: kept.groups)
        inbox.state.withDeliveries { $0.restore(kept.groups.values.flatMap(\.told).sorted()) }
        let now = await core.presentClock
        // A new notifier reports the alerts that are active now.
        if routing == nil { for alert in kept.present { planner.take(alert, now: now) } }
        return Progress(planner: planner, covered: kept.covered, nextChange: routing == nil ? .max : .min)
    }

    /// Does everything that is due. Returns the time until the next due work; nil: none without a signal.
    private func round(_ progress: inout Progress, _ tasks: inout DiscardingTaskGroup) async -> Duration? {
        await settle(&progress)
        reportHealth(&progress, &tasks)
        warn(&progress, &tasks)
        for participant in inbox.takeForgotten() {
            progress.planner.forget(participant)
            progress.unconfirmed.forget(participant)
            inbox.state.withDeliveries { $0.forget { $0.hasPrefix("\(participant)/") } }
            progress.hasFinished = true
        }
        for test in inbox.takeTests() { tasks.addTask { await self.run(test) } }
        do {
            let wall = ClockSample.now.wall
            try await changeShift(&progress, wall)
            let news = try await core.transitions(after: progress.covered, withFacts: readsEngine)
            let now = await core.presentClock
            for alert in news.alerts {
                follow(alert)
                progress.planner.take(alert, now: now, wall: wall)
                progress.unconfirmed.drop(upTo: alert.message)
            }
            progress.covered = max(progress.covered, news.last)
            for notification in progress.planner.begin(now: now, wall: wall) {
                let current = explained(await core.newest(notification))
                tasks.addTask { await self.deliver(current) }
            }
            if progress.hasFinished { await save(&progress) }
            if !news.isAll { return .zero }
            let boot = ClockSample.now.boot
            let pauses = [
                progress.planner.nextDue.map { $0 - now }, routing.map { _ in progress.nextChange - wall },
                progress.unconfirmed.nextDue.map { $0 - boot },
            ]
            return pauses.compactMap(\.self).min().map { .microseconds(max(0, $0)) }
        } catch {
            log.error("alerts cannot be read from the state file; trying again", ["error": "\(error)"])
            return .seconds(1)
        }
    }

    /// Evaluates the routes again when hours or rotations change: alerts of another receiver move to it.
    private func changeShift(_ progress: inout Progress, _ wall: Int64) async throws {
        guard let routing, wall >= progress.nextChange else { return }
        let now = await core.presentClock
        for alert in try await core.presentAlerts(withFacts: readsEngine) { progress.planner.take(alert, now: now, wall: wall) }
        progress.nextChange = routing.tree.nextChange(after: wall)
        progress.hasFinished = true
    }

    /// Adds why it comes to this receiver, and to an escalation who was notified before.
    private func explained(_ notification: Notification) -> Notification {
        var notification = notification
        if let step = notification.escalation {
            let key = notification.alerts.first { $0.escalatedTo == step.to }.map { "\($0.participant)/\($0.rule)" }
            notification.escalation?.from = key.map { told($0).keys.filter { $0 != route.id }.sorted() } ?? []
        } else if notification.status == "firing", !notification.isReminder, isFirst(notification) {
            notification.isFirst = true
        }
        return notification
    }

    /// Whether nobody had heard of any of the alerts much earlier, this receiver included.
    private func isFirst(_ notification: Notification) -> Bool {
        let start = Self.wall - Self.first
        return notification.alerts.allSatisfy { alert in
            guard alert.escalatedTo == nil else { return false }
            return told("\(alert.participant)/\(alert.rule)").allSatisfy { $0.key != route.id && $0.value >= start }
        }
    }

    private var readsEngine: Bool { routing?.tree.readsEngine ?? false }

    private func tellsNow(_ alarm: AlertMessage) -> Bool {
        if let routing { return routing.tellsNow(route.id, alarm, at: ClockSample.now.wall) }
        return route.escalation == nil && route.concerns(alarm)
    }

    private func settle(_ progress: inout Progress) async {
        let finished = inbox.takeFinished()
        guard !finished.isEmpty else { return }
        let now = await core.presentClock
        for end in finished { progress.planner.finished(end.notification, end.outcome, end.error, now: now) }
        progress.hasFinished = true
    }

    private func reportHealth(_ progress: inout Progress, _ tasks: inout DiscardingTaskGroup) {
        // A start does not change the condition: a failing receiver stays failing until a delivery succeeds.
        let reached = isReached(progress)
        guard reached != nil || inbox.state.hasRefusals else { return }
        let condition: NotifierCondition = reached == false ? .failing : inbox.state.hasRefusals ? .recipientRefused : .delivering
        guard progress.reported != condition else { return }
        progress.reported = condition
        if condition == .failing { log.error("the receiver cannot be reached; a technical alarm is raised") }
        let (report, name) = (report, route.id)
        tasks.addTask { await report(name, condition) }
    }

    /// Whether the receiver accepts planned deliveries and unconfirmed alarms; nil before the first attempt.
    private func isReached(_ progress: Progress) -> Bool? {
        let failures = inbox.state.snapshot.failures
        if failures >= NotificationPlanner.failuresUntilAlarm { return false }
        return progress.planner.isReachable ?? (progress.reported == .failing && failures == 0 ? true : nil)
    }

    /// Checks in parallel for permanent causes of failure.
    private func lookForProblem() async {
        guard let problem = await ways.first?.channel.lastingProblem() else { return }
        log.error("some recipients cannot be reached; a technical alarm is raised", ["reason": problem])
        inbox.state.set(problem: problem)
        inbox.signal()
    }

    private func deliver(_ notification: Notification) async {
        guard ways.first?.channel.wants(notification) ?? true else { return inbox.finished(notification, .unwanted) }
        do throws(ChannelError) {
            let refused = try await send(notification)
            inbox.finished(notification, refused.contains(where: \.isTemporary) ? .partly : .delivered)
        } catch {
            inbox.finished(notification, .failed, error)
        }
    }

    /// Sends by the first way that takes it.
    /// - Throws: the reason of the receiver's own way, where none does.
    private func send(_ message: Notification) async throws(ChannelError) -> [MailRefusal] {
        inbox.state.withDeliveries { $0.began(message.keys, at: Self.wall) }
        var reason: ChannelError?
        for way in orderedWays where way.channel.wants(message) {
            var message = message
            message.answers = way.answers?.links(message, of: way.name)
            do throws(ChannelError) {
                let refused = try await way.channel.deliver(message)
                counters.delivered.add()
                counters.deliveries(of: route.id, way.name == route.id ? "accepted" : "otherwise").add()
                inbox.state.withDeliveries { $0.accepted(message.keys, by: way.name, at: Self.wall) }
                if way.name == route.id { noteDelivery(refused) } else { inbox.signal() }
                return refused
            } catch {
                counters.deliveries(of: route.id, "failed").add()
                inbox.state.withDeliveries { $0.failed(message.keys, error.description) }
                if way.name == route.id {
                    if !error.isPostponed { noteFailure(error) }
                    reason = error
                } else {
                    counters.failed.add()
                    log.warning("a second way fails, too", ["way": way.name, "error": error.description])
                }
            }
        }
        // Where others were tried in its place, it is a failure.
        if ways.count > 1 { reason?.isPostponed = false }
        throw reason ?? ChannelError("there is no way")
    }

    /// The own way first; last while it cannot be reached, but once a minute.
    private var orderedWays: [NotificationWay] {
        let state = inbox.state.snapshot
        guard state.failures >= NotificationPlanner.failuresUntilAlarm, let failed = state.failed, Self.wall - failed < Self.rest else {
            return ways
        }
        return Array(ways.dropFirst() + ways.prefix(1))
    }

    private static var wall: Double { Double(ClockSample.now.wall) / 1e6 }

    private func follow(_ alert: LoggedAlert) {
        inbox.state.withDeliveries { $0.follow(alert) }
        let isAnswered = alert.message.transition == "acknowledged" && inbox.state.withDeliveries { $0[alert.key] } != nil
        if isAnswered { counters.deliveries(of: route.id, "answered").add() }
    }

    private func noteDelivery(_ refused: [MailRefusal]) {
        let change = inbox.state.delivered(refused, at: Self.wall)
        if change.recovered > 0 { log.notice("notifications are delivered again", ["failures": "\(change.recovered)"]) }
        noteRefusals(refused, news: change.refused)
    }

    private func noteRefusals(_ refused: [MailRefusal], news: [MailRefusal]) {
        for _ in refused { counters.refused.add() }
        for refusal in news {
            log.warning(
                "the mail server refuses a recipient",
                ["recipient": refusal.address, "code": "\(refusal.code)", "reason": refusal.text])
        }
    }

    /// Counts a failure. Logs the first and then each doubling of the count.
    private func noteFailure(_ error: ChannelError) {
        counters.failed.add()
        for _ in error.refused { counters.refused.add() }
        guard let failures = inbox.state.failed(error, at: Self.wall) else { return }
        log.warning("notification not delivered; it will be tried again", ["error": error.description, "failures": "\(failures)"])
    }

    /// Sends an alarm that is not stored yet until it is accepted. Once stored, it is sent like any other.
    private func warn(_ progress: inout Progress, _ tasks: inout DiscardingTaskGroup) {
        let now = ClockSample.now.boot
        for (key, isDelivered) in inbox.takeWarned() {
            progress.unconfirmed.finished(key, isDelivered: isDelivered, now: now, spread: .random(in: 0.75...1.25))
        }
        var dropped = 0
        for change in inbox.takeUnconfirmed() {
            if !change.isUrgent {
                progress.unconfirmed.drop(upTo: change)
            } else if tellsNow(change), !progress.unconfirmed.add(change, now: now) {
                dropped += 1
            }
        }
        if dropped > 0 { log.error("alarms are not told until they are stored: too many wait", ["alarms": "\(dropped)"]) }
        for alarm in progress.unconfirmed.begin(now: now) { tasks.addTask { await self.warn(of: alarm) } }
    }

    private func warn(of alarm: AlertMessage) async {
        do throws(ChannelError) {
            let refused = try await send(.unconfirmed(alarm, route: route, at: Self.wall))
            // Who was refused for now gets it at the next attempt; the others have it.
            inbox.warned(.init(alarm), isDelivered: !refused.contains(where: \.isTemporary))
        } catch {
            inbox.warned(.init(alarm), isDelivered: false)
        }
    }

    private func run(_ test: NotifierInbox.Test) async {
        let now = ClockSample.now
        do throws(ChannelError) {
            guard let own = ways.first else { return }
            let refused = try await own.channel.deliver(.test(of: route.id, actor: test.actor, at: Double(now.wall) / 1e6))
            let others = refused.map { "; refused: \($0)" }.joined()
            await test.answer("delivered in \((ClockSample.now.boot - now.boot) / 1000) ms\(others)", true)
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
