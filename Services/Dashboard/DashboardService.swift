import Access
import Foundation
import MessageBus
import Observability
package import ServiceKit
package import Settings
import VigilSchema

/// `vigil-dashboard`: what people see.
package enum DashboardService {
    static let host = Setting("dashboard-host", .text, default: "127.0.0.1", help: "The address that the pages are served on.")
    package static let port = Setting("dashboard-port", .port, default: 8080, help: "The port that the pages are served on.")
    static let names = Setting(
        "dashboard-names", .list(of: .text), default: [],
        help: "Names by which browsers reach it, besides localhost and its address; without TLS others are refused.")
    static let certificate = Setting.optional(
        "certificate-file", .path, help: "PEM file of the certificate chain; with --key-file it serves TLS.")
    static let key = Setting.optional("key-file", .path, help: "PEM file of the certificate's key.")
    static let webFolder = Setting(
        "web-folder", .path, default: "Services/Dashboard/Web", help: "The folder of the pages.")
    static let dygraphs = Setting(
        "dygraphs-folder", .path, default: "/usr/share/javascript/dygraphs/dist", help: "The folder of Debian's libjs-dygraphs.")

    package static let command = ServiceCommand(
        name: "vigil-dashboard", summary: "Serves the pages that people see, and the REST interface behind them.",
        details: """
            Everybody signs in; accounts are made by `vigil people add`. Without a certificate it serves on loopback only: on any other \
            address health data would travel in the clear.
            """,
        settings: [host, port, names, certificate, key, webFolder, dygraphs] + AccessSettings.all
    ) { context in
        let host = try context[host]
        let tls = try context.tls(on: Self.host, certificate: certificate, key: key)
        let dygraphs = try context[dygraphs]
        let files = try WebFiles(
            folder: context[webFolder],
            others: [
                "/vendor/dygraph.min.js": "\(dygraphs)/dygraph.min.js", "/vendor/dygraph.min.css": "\(dygraphs)/dygraph.min.css",
            ])
        let accounts = try AccountStore(
            path: AccountStore.path(stateFolder: context[CommonSettings.stateFolder], instance: context.instance))
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
        let bus = SuiteClient(requester, account: broker.username ?? "dashboard")
        let parts = RouteContext(
            accounts: accounts, signIn: try SignIn(store: accounts, now: now), passkeys: PasskeyChallenges(), hub: hub, bus: bus,
            directory: ParticipantDirectory(bus: bus, hub: hub, now: now),
            pseudonyms: Pseudonyms(secret: try await accounts.secret("pseudonyms")),
            cookie: SessionCookie(isSecure: tls != nil, port: try context[port]), log: context.logger, now: now)
        let names = Set(try context[names].map { $0.lowercased() } + ["localhost", host, "[::1]"])
        let server = HTTPServer(
            host: host, port: try context[port],
            routes: DashboardRoutes.routes(
                parts, files: files, protection: BrowserProtection(hosts: tls == nil || names.count > 3 ? names : [], isSecure: tls != nil)),
            limits: .init(connections: 1024, streams: 512, body: 1 << 20, idleSeconds: 60), tls: tls)
        let feed = try context.consumer("live", BusFeed<MessageBatches>.subscriptions) { $0.broker.session = .clean }
        context.metrics.gauge("vigil_dashboard_viewers", help: "Open streams of live events.") { Double(hub.viewerCount) }
        let told = AuditForwarder(accounts: accounts, trail: try context.auditTrail, log: context.logger)
        return try personalData(context, parts) + [
            ServiceGroup.Member("audit", told),
            ServiceGroup.Member("requester", draining: .request { requester.drain() }) { try await requester.run() },
            ServiceGroup.Member("pages", server, draining: .cancel, started: { await server.started() }),
            ServiceGroup.Member("feed", BusFeed(batches: feed.batches, hub: hub, metrics: context.metrics), draining: .endsByItself),
            feed.member,
        ]
    }

    private static func personalData(
        _ context: ServiceContext, _ parts: RouteContext
    ) throws -> [ServiceGroup.Member] {
        let (accounts, hub, directory) = (parts.accounts, parts.hub, parts.directory)
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
