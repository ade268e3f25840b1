import Foundation
import HTTPClient
import Observability
import ServiceKit

/// Tells people: takes what the engine decided from the core, groups it, sends it, and sends it again until it was accepted.
///
/// Its state is kept after each round: a crash repeats a notification at worst, with the same id.
struct NotifierService: Service {
    let core: AlertCore
    let settings: NotifierSettings
    let channels: [String: any NotificationChannel]
    let log: Logger
    let delivered: Counter
    let failed: Counter
    /// Whether the engine's last turn was completed lately.
    let isAlive: @Sendable () -> Bool
    var clock: any Clock<Duration> = ContinuousClock()

    func run() async throws {
        var planner = NotificationPlanner(routes: settings.notifiers.map(\.route), state: try await core.notifierState())
        var covered: Int64 = 0
        var lastBeat = Int64.min
        while !Task.isCancelled {
            let news = try await core.notices(after: covered)
            let now = await core.presentClock
            for notice in news.messages { planner.take(notice, now: now) }
            covered = max(covered, news.last)
            let sent = await send(planner.due(now: now, wall: ClockSample.now.wall), &planner)
            if sent || news.last > 0 { try await core.keep(notifier: planner.state, coveredTo: covered) }
            await beat(&lastBeat, now)
            if news.last == 0 { try await clock.sleep(for: .milliseconds(250)) }
        }
    }

    /// Sends at once what goes to different notifiers; returns whether anything was tried.
    private func send(_ due: [Notification], _ planner: inout NotificationPlanner) async -> Bool {
        let results = await withTaskGroup(of: (Notification, Bool).self) { group in
            for (name, notifications) in Dictionary(grouping: due, by: \.notifier) {
                for notification in notifications.prefix(8) { group.addTask { (notification, await deliver(notification, name)) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let now = await core.presentClock
        for (notification, isDelivered) in results { planner.finished(notification, delivered: isDelivered, now: now) }
        return !results.isEmpty
    }

    private func deliver(_ notification: Notification, _ name: String) async -> Bool {
        guard let channel = channels[name] else { return false }
        do throws(ChannelError) {
            try await channel.send(notification)
            delivered.add()
            return true
        } catch {
            failed.add()
            log.warning("notification not delivered; it will be tried again", ["notifier": name, "error": error.description])
            return false
        }
    }

    /// Tells the monitor that watches over us that we live: that what comes in is judged and leaves.
    private func beat(_ last: inout Int64, _ now: Int64) async {
        guard let heartbeat = settings.heartbeat, last == .min || now - last >= heartbeat.interval, isAlive() else { return }
        last = now
        do throws(TransferError) {
            _ = try await HTTPClient().get(heartbeat.url, timeout: .seconds(10), limit: 65_536)
        } catch {
            log.warning("heartbeat not delivered", ["error": error.description])
        }
    }
}
