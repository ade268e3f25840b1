import Cryptography
import Foundation
import HTTPClient
import MessageBus
import Observability
import ServiceKit
import Settings
import Shares
import VigilSchema

/// The counters of all notifiers.
struct NotifierCounters: Sendable {
    let delivered: Counter
    let failed: Counter
    let refused: Counter
    private let metrics: MetricsRegistry

    /// The counters exist without a notifier too, so that dashboards need not know.
    init(_ metrics: MetricsRegistry) {
        self.metrics = metrics
        delivered = metrics.counter("vigil_alert_notifications_total", help: "Notifications that were accepted.")
        failed = metrics.counter("vigil_alert_notification_failures_total", help: "Failed attempts; each is repeated.")
        refused = metrics.counter("vigil_alert_recipients_refused_total", help: "Refusals of single recipients.")
    }

    /// The deliveries of one notifier.
    /// - Parameter outcome: `accepted`, `otherwise` (by a second way), `failed` or `answered`.
    func deliveries(of notifier: String, _ outcome: String) -> Counter {
        metrics.counter(
            "vigil_alert_deliveries_total", help: "Notifications by notifier and what became of them.",
            labels: ["notifier": notifier, "outcome": outcome])
    }
}

/// Runs the notifiers and the heartbeat of the settings, and replaces changed ones. Unchanged ones continue.
final class NotifierRunner: Service {
    private let feed: NotifierFeed
    private let core: AlertCore
    private let coordinator: AlertCoordinator
    /// The share whose transitions are sent; nil: all.
    private let share: Share?
    /// Whether inputs are judged and outputs leave.
    private let isAlive: @Sendable () async -> Bool
    private let log: Logger
    private let counters: NotifierCounters

    init(
        feed: NotifierFeed, core: AlertCore, coordinator: AlertCoordinator, share: Share?, isAlive: @escaping @Sendable () async -> Bool,
        log: Logger, metrics: MetricsRegistry
    ) {
        self.feed = feed
        self.core = core
        self.coordinator = coordinator
        self.share = share
        self.isAlive = isAlive
        self.log = log
        counters = NotifierCounters(metrics)
    }

    /// One of the tasks. It is restarted when its settings have changed.
    private struct Part: Sendable {
        /// The part's settings, with the secrets that they name.
        let source: AnyHashableSendable
        let stop = Latch()
        let ended = Latch()
    }

    func run() async throws {
        await withDiscardingTaskGroup { tasks in
            var running: [String: Part] = [:]
            while !Task.isCancelled {
                await refresh(&running, &tasks)
                await feed.changes.wait()
            }
        }
    }

    /// Ends removed and changed parts, then starts the new ones.
    private func refresh(_ running: inout [String: Part], _ tasks: inout DiscardingTaskGroup) async {
        let wanted = wanted
        for (name, part) in running where wanted[name]?.source != part.source {
            part.stop.open()
            await part.ended.wait()
            running[name] = nil
        }
        for (name, service) in wanted where running[name] == nil {
            let part = Part(source: service.source)
            running[name] = part
            tasks.addTask { [log] in
                do { try await Self.run(service.service, until: part.stop) } catch {
                    log.error("a notifier has ended", ["notifier": name, "error": "\(error)"])
                }
                part.ended.open()
            }
        }
    }

    private static func run(_ service: any Service, until stop: Latch) async throws {
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await service.run() }
            tasks.addTask { await stop.wait() }
            try await tasks.next()
            tasks.cancelAll()
            // It stores its state before its successor starts.
            while try await tasks.next() != nil {}
        }
    }

    /// The wanted tasks, by name.
    var wanted: [String: (source: AnyHashableSendable, service: any Service)] {
        let settings = feed.settings
        var wanted: [String: (source: AnyHashableSendable, service: any Service)] = [:]
        let (routing, answers) = (NotifierRouting(settings), settings.answers.flatMap { try? AnswerOffers($0) })
        for entry in settings.notifiers {
            let ways = settings.ways(of: entry.route.id).map { ($0, $0.secrets) }
            // A secret may have been removed after the file was read; the next reading reports it.
            guard let inbox = feed.inbox(of: entry.route.id), ways.contains(where: { $0.1 != nil }) else { continue }
            let secrets = ways.map { AnyHashableSendable([AnyHashableSendable($0.0), AnyHashableSendable($0.1)]) }
            let parts: [any Hashable & Sendable] = [secrets, routing, settings.people, answers]
            let source = AnyHashableSendable(parts.map(AnyHashableSendable.init))
            let channels = ways.map { way, secrets in
                NotificationWay(
                    name: way.route.id,
                    channel: secrets?.channel(way, NotificationNames(way, settings.people)) ?? MissingSecretChannel(),
                    answers: way.mayAnswer ? answers : nil)
            }
            wanted["notifier \(entry.route.id)"] = (
                source,
                Notifier(
                    route: entry.route, routing: routing, told: feed.told, ways: channels, core: core, inbox: inbox, log: log,
                    counters: counters, report: report)
            )
        }
        if let heartbeat = settings.heartbeat, share?.answersForAll ?? true {
            let pulse = HeartbeatSender(heartbeat: heartbeat, log: log, isAlive: isAlive, report: report)
            wanted[HeartbeatSender.name] = (AnyHashableSendable(heartbeat), pulse)
        }
        return wanted
    }

    private var report: @Sendable (String, NotifierCondition) async -> Void {
        { [coordinator] in await coordinator.report(notifier: coordinator.name(ofNotifier: $0), $1) }
    }
}

/// A value that can be compared with values of any type.
struct AnyHashableSendable: Hashable, Sendable {
    private let value: any Hashable & Sendable

    init(_ value: any Hashable & Sendable) { self.value = value }

    static func == (left: Self, right: Self) -> Bool { AnyHashable(left.value) == AnyHashable(right.value) }
    func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension NotifierSettings.Entry {
    /// Nil where one cannot be read: nothing can be sent by this way.
    var secrets: NotifierSecrets? { try? NotifierSecrets(self) }
}

/// The way of a notifier whose secret cannot be read: everything goes by the next way.
private struct MissingSecretChannel: NotificationChannel {
    private static let reason = "its secret cannot be read: vigil alerts check says which"

    func send(_ notification: Notification) async throws(ChannelError) {
        var error = ChannelError(Self.reason)
        error.isLasting = true
        throw error
    }

    func lastingProblem() async -> String? { Self.reason }
}

/// The secrets of a notifier's settings, read from their files.
struct NotifierSecrets: Hashable, Sendable {
    private var secret: [UInt8]?
    /// By parameter of a service.
    private var parameters: [String: TemplateValue] = [:]
    private var identity: WebPushIdentity?

    init(_ entry: NotifierSettings.Entry) throws(CommandError) {
        switch entry.way {
        case .webhook(_, let file): secret = try file.map(Self.read)
        case .mail(let mail): secret = try mail.passwordFile.map(Self.read)
        case .command: break
        case .push(let push):
            let text = String(decoding: try Self.read(push.keyFile), as: UTF8.self)
            guard let secret = Base64URL.decode(text), let key = try? EllipticKey(secret: secret) else {
                throw CommandError(.data, "\(push.keyFile) holds no key of 32 bytes as base64url")
            }
            identity = WebPushIdentity(key: key, contact: push.contact)
        case .service(let service):
            for parameter in service.template.parameters {
                guard let file = service.secretFiles[parameter.name] else { continue }
                var text = String(decoding: try Self.read(file), as: UTF8.self)
                if parameter.kind == .url, (try? HTTPClient.check(text)) == nil {
                    throw CommandError(.data, "\(file) holds no address that begins with https://")
                }
                while parameter.kind == .url, text.hasSuffix("/") { text.removeLast() }
                parameters[parameter.name] = .text(text)
            }
        }
    }

    /// The channel to the receiver.
    /// - Parameter names: the names of participants in its messages.
    func channel(_ entry: NotifierSettings.Entry, _ names: NotificationNames) -> any NotificationChannel {
        switch entry.way {
        case .webhook(let url, _): return WebhookChannel(url: url, secret: secret, client: HTTPClient(), timeout: entry.timeout)
        case .mail(let mail):
            let server = MailServer(
                url: mail.server, security: mail.isEncrypted ? .required : .none, username: mail.user,
                password: secret.map { String(decoding: $0, as: UTF8.self) })
            return MailChannel(
                client: MailClient(server: server), sender: mail.sender, recipients: mail.recipients,
                reader: mail.reader.with(names), timeout: entry.timeout)
        case .command(let arguments): return CommandChannel(arguments: arguments, timeout: entry.timeout)
        case .push(let push):
            return WebPushChannel(
                identity: identity, subscriptionFile: push.subscriptionFile,
                reader: push.reader.with(names), client: HTTPClient(),
                timeout: entry.timeout)
        case .service(let service):
            let configuration = HTTPClientConfiguration(maximumRedirects: 0, certificateAuthorities: service.certificates)
            return ServiceChannel(
                template: service.template, parameters: service.parameters.merging(parameters) { $1 },
                reader: service.reader.with(names),
                client: HTTPClient(configuration: configuration), timeout: entry.timeout)
        }
    }

    /// A secret file's first line.
    static func read(_ path: String) throws(CommandError) -> [UInt8] {
        guard let secret = SecretFile.read(path) else {
            throw CommandError(.noInput, "the secret file \(path) is missing or empty")
        }
        return Array(secret.exposed.utf8)
    }
}
