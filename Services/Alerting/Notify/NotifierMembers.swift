import Foundation
import HTTPClient
import Observability
import ServiceKit
import Settings
import Shares

/// Makes the tasks that tell people: one for each notifier, and one for the heartbeat.
struct NotifierMembers {
    let settings: NotifierSettings
    let core: AlertCore
    let coordinator: AlertCoordinator
    let feed: NotifierFeed
    /// The share whose transitions are told; nil: all are.
    let share: Share?
    /// Tells whether what comes in is judged and leaves.
    let isAlive: @Sendable () async -> Bool
    let log: Logger
    let metrics: MetricsRegistry

    /// The counters are there without a notifier too: whoever watches them need not know if there is one.
    static func register(_ metrics: MetricsRegistry) -> (delivered: Counter, failed: Counter) {
        (
            metrics.counter("vigil_alert_notifications_total", help: "Notifications that were accepted."),
            metrics.counter("vigil_alert_notification_failures_total", help: "Attempts that failed; each is repeated.")
        )
    }

    func make() throws -> [ServiceGroup.Member] {
        let (delivered, failed) = Self.register(metrics)
        let (coordinator, share) = (coordinator, share)
        var members: [ServiceGroup.Member] = []
        for entry in settings.notifiers {
            guard let inbox = feed.inbox(of: entry.route.id) else { continue }
            let notifier = Notifier(
                route: entry.route, channel: try Self.channel(entry), core: core, inbox: inbox, log: log, delivered: delivered,
                failed: failed,
                report: { await coordinator.report(notifier: share?.name(ofNotifier: $0) ?? $0, isFailing: $1) })
            members.append(ServiceGroup.Member("notifier \(entry.route.id)", notifier))
        }
        if let heartbeat = settings.heartbeat, share?.answersForAll ?? true {
            let pulse = HeartbeatSender(heartbeat: heartbeat, log: log, isAlive: isAlive)
            members.append(ServiceGroup.Member("heartbeat", pulse))
        }
        return members
    }

    private static func channel(_ entry: NotifierSettings.Entry) throws(CommandError) -> any NotificationChannel {
        switch entry.way {
        case .webhook(let url, let file):
            return WebhookChannel(url: url, secret: try file.map(secret), client: HTTPClient(), timeout: entry.timeout)
        case .mail(let mail):
            let password = try mail.passwordFile.map(secret).map { String(decoding: $0, as: UTF8.self) }
            let server = MailServer(
                url: mail.server, security: mail.isEncrypted ? .required : .none, username: mail.user, password: password)
            return MailChannel(
                client: MailClient(server: server), sender: mail.sender, recipients: mail.recipients, language: mail.language,
                zone: mail.zone, timeout: entry.timeout)
        case .command(let arguments): return CommandChannel(arguments: arguments, timeout: entry.timeout)
        }
    }

    /// A secret file's first line.
    private static func secret(_ path: String) throws(CommandError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path), let line = data.split(separator: 10).first else {
            throw CommandError(.noInput, "the secret file \(path) is missing or empty")
        }
        return Array(line)
    }
}

/// Requests a monitor's address again and again, as long as the engine works: the monitor raises the alarm when this stops.
struct HeartbeatSender: Service {
    let heartbeat: NotifierSettings.Heartbeat
    let log: Logger
    /// True while what comes in is judged and leaves.
    let isAlive: @Sendable () async -> Bool
    var clock: any Clock<Duration> = ContinuousClock()

    func run() async throws {
        let client = HTTPClient()
        let timeout = min(heartbeat.interval, .seconds(10))
        while !Task.isCancelled {
            guard await isAlive() else {
                try await clock.sleep(for: min(heartbeat.interval, .seconds(1)))
                continue
            }
            do throws(TransferError) {
                _ = try await client.get(heartbeat.url, timeout: timeout, limit: 65_536)
            } catch {
                log.warning("heartbeat not delivered", ["error": error.description])
            }
            try await clock.sleep(for: heartbeat.interval)
        }
    }
}
