import Access
import Foundation
import MessageBus
import Observability
package import ServiceKit
package import Settings
import TimelineStore
import VigilSchema

/// `vigil-dashboard`: what people see.
package enum DashboardService {
    static let host = Setting("dashboard-host", .text, default: "127.0.0.1", help: "The address of the pages.")
    package static let port = Setting("dashboard-port", .port, default: 8080, help: "The port of the pages.")
    static let names = Setting(
        "dashboard-names", .list(of: .text), default: [],
        help: "The names under which browsers reach it, besides localhost and its address; without TLS others are refused.")
    static let certificate = Setting.optional(
        "certificate-file", .path, help: "PEM file of the certificate chain; with --key-file it serves TLS.")
    static let key = Setting.optional("key-file", .path, help: "PEM file of the certificate's key.")
    static let answerKey = Setting.secret(
        "answer-key", help: "The key with which vigil-alert signs the links in messages; none: alarms are not answered with links.")
    static let webFolder = Setting(
        "web-folder", .path, default: "Services/Dashboard/Web", help: "The folder of the pages.")
    static let dygraphs = Setting(
        "dygraphs-folder", .path, default: "/usr/share/javascript/dygraphs/dist", help: "The folder of Debian's libjs-dygraphs.")

    /// What no file is sent in is short: an entry of 4000 characters, settings of 16 KB. Pieces of files have their route's own limit.
    static let limits = HTTPServer.Limits(connections: 1024, streams: 512, body: 64 << 10, idleSeconds: 60)

    /// The place of the accounts; also that of `vigil people`.
    package static let state = StateSettings(
        help: """
            The PostgreSQL database of accounts, sessions and audit, such as postgresql://user@host/database, \
            with which several vigil-dashboard serve side by side; by default a file in --state-folder.
            """)

    package static let command = ServiceCommand(
        name: "vigil-dashboard", summary: "serves the web pages and their REST interface",
        details: """
            Everybody signs in; `vigil people add` makes the accounts. Without a certificate it serves on \
            loopback only, because health data would travel unencrypted. With --state several serve side by \
            side, each with its own --instance, and a browser may use any of them.
            """,
        settings: [host, port, names, certificate, key, answerKey, webFolder, dygraphs] + state.all + AccessSettings.all
    ) { context in
        let host = try context[host]
        let tls = try context.tls(on: Self.host, certificate: certificate, key: key)
        let dygraphs = try context[dygraphs]
        let files = try WebFiles(
            folder: context[webFolder],
            others: [
                "/vendor/dygraph.min.js": "\(dygraphs)/dygraph.min.js", "/vendor/dygraph.min.css": "\(dygraphs)/dygraph.min.css",
            ])
        let database = try PostgresAccounts(state, context.configuration)
        let patient = try PostgresAccounts(state, context.configuration, isPatient: true).map(AccountStore.init)
        let accounts = try await accounts(in: database, patient, context)
        let hub = LiveHub()
        let broker = try context.broker(part: "requester")
        let (log, readiness) = (context.logger.with(["connection": "requester"]), context.readiness)
        let requester = Requester(
            broker: broker, responsePrefix: "\(Topic.prefix)responses/\(broker.username ?? "dashboard")/\(context.instance)",
            onEvent: { event in
                switch event {
                case .ready: readiness.set("requester", true)
                case .disconnected(let error):
                    readiness.set("requester", false)
                    log.warning("disconnected from the broker", ["error": error.description])
                default: break
                }
            })
        let now: @Sendable () -> Double = { Timestamp.now.seconds }
        let bus = SuiteClient(requester)
        let parts = RouteContext(
            accounts: accounts, recent: RecentSessions(), unwritten: UnwrittenAudit(accounts: accounts, log: context.logger),
            signIn: try SignIn(store: accounts, now: now), passkeys: PasskeyChallenges(store: accounts), hub: hub, bus: bus,
            shares: AccountShares(metrics: context.metrics),
            directory: ParticipantDirectory(bus: bus, hub: hub, now: now),
            pseudonyms: Pseudonyms(secret: try await accounts.secret("pseudonyms")),
            cookie: SessionCookie(isSecure: tls != nil, port: try context[port]), answerKey: try key(of: context), words: files.words,
            questionnaires: files.questionnaires,
            log: context.logger, now: now)
        let names = Set(try context[names].map { $0.lowercased() } + ["localhost", host, "[::1]"])
        let server = HTTPServer(
            host: host, port: try context[port],
            routes: DashboardRoutes.routes(
                parts, files: files, protection: BrowserProtection(hosts: tls == nil || names.count > 3 ? names : [], isSecure: tls != nil)),
            limits: limits, tls: tls)
        let feed = try context.consumer("live", BusFeed<MessageBatches>.subscriptions) { $0.broker.session = .clean }
        context.metrics.gauge("vigil_dashboard_viewers", help: "Open streams of live events.") { Double(hub.viewerCount) }
        let told = AuditForwarder(accounts: accounts, trail: try context.auditTrail, log: context.logger)
        let watch = database.map {
            ServiceGroup.Member(
                "accounts", AccountsWatch(accounts: $0, readiness: context.readiness, log: context.logger), draining: .cancel)
        }
        return try personalData(context, patient ?? accounts, parts) + [
            ServiceGroup.Member("audit", told),
            ServiceGroup.Member("unwritten audit", parts.unwritten, draining: .cancel),
            ServiceGroup.Member("requester", draining: .request { requester.drain() }) { try await requester.run() },
            ServiceGroup.Member("pages", server, draining: .cancel, started: { await server.started() }),
            ServiceGroup.Member("feed", BusFeed(batches: feed.batches, hub: hub, metrics: context.metrics), draining: .endsByItself),
            feed.member,
        ] + (watch.map { [$0] } ?? [])
    }

    /// - Throws: `ConfigurationError` for a key that could be guessed.
    private static func key(of context: ServiceContext) throws -> AnswerKey? {
        guard let secret = try context[answerKey] else { return nil }
        guard let key = AnswerKey(secret.exposed.utf8) else {
            throw ConfigurationError(
                name: "--answer-key-file", problem: .malformed(value: "a short key", accepts: "at least 16 characters"))
        }
        return key
    }

    /// The accounts in the database, with what was in this folder's file before there was one; else those of the file.
    private static func accounts(in database: PostgresAccounts?, _ patient: AccountStore?, _ context: ServiceContext) async throws
        -> AccountStore
    {
        let folder = try context[CommonSettings.stateFolder]
        guard let database else { return try AccountStore(path: AccountStore.path(stateFolder: folder, instance: context.instance)) }
        let accounts = AccountStore(database)
        // One dashboard that was alone had no name of its own, as a rule.
        for name in Set([context.instance, CommonSettings.instance.declaration.defaultText ?? context.instance]).sorted() {
            try await adopt(AccountStore.path(stateFolder: folder, instance: name), into: patient ?? accounts, context.logger)
        }
        return accounts
    }

    /// Takes a file over, and removes it where nothing stays behind: whoever is erased later would go on standing in it.
    private static func adopt(_ path: String, into accounts: AccountStore, _ log: Logger) async throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let outcome = try await Adoption(former: AccountStore(path: path), accounts: accounts).run()
        guard outcome.left == 0 else {
            return log.warning(
                "accounts of the file stay behind, as the database has others of their names",
                ["accounts": "\(outcome.left)", "file": path])
        }
        for end in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + end) {
            try FileManager.default.removeItem(atPath: path + end)
        }
        log.notice("the accounts of the file are in the database now", ["accounts": "\(outcome.taken)", "audit lines": "\(outcome.lines)"])
    }

    private static func personalData(
        _ context: ServiceContext, _ accounts: AccountStore, _ parts: RouteContext
    ) throws -> [ServiceGroup.Member] {
        let (hub, directory) = (parts.hub, parts.directory)
        let data = PersonalDataAccess { participant in
            var data = try await accounts.personalData(of: participant)
            let picture = hub.picture(of: participant, pseudonyms: parts.pseudonyms, now: parts.now())
            try data.add("live pictures", picture.map { [["picture": try JSONSerialization.jsonObject(with: Data($0.utf8))]] } ?? [])
            return data
        } erase: { participant in
            var removed = try await accounts.erase(participant)
            removed["live pictures"] = hub.forget(participant) ? 1 : 0
            await directory.forget(participant)
            return removed
        }
        return try context.personalData("dashboard", data)
    }
}
