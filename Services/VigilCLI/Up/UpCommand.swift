import Foundation
import Observability
import ServiceKit
import Settings
import Synchronization

/// `vigil up`: the whole suite on one machine.
enum UpCommand {
    static let command = Command(
        name: "up", summary: "runs the whole suite on this machine: a broker on loopback, every service, SQLite",
        details: """
            Everything is stored in the state folder. A service that dies is started again. Ctrl-C stops the \
            services in order, after they have stored what they received. Options below that concern neither the \
            broker nor ports are passed to the services.
            """,
        settings: UpSettings.own + UpSettings.passedOn
    ) { invocation in
        guard let place = try invocation[UpSettings.vault] else {
            return try await run(in: URL(filePath: try invocation[CommonSettings.stateFolder]).path, invocation)
        }
        let vault = Vault(folder: place, passwordFile: try invocation[VaultCommand.passwordFile])
        try await vault.open()
        // A crash must not write the memory of what is encrypted to the disk in the clear.
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        do {
            try await run(in: "\(vault.opened)/state", invocation)
        } catch {
            _ = try? await vault.close()
            throw error
        }
        StandardOutput.line(try await vault.close() ? "the vault is closed" : "the vault was closed")
    }

    private static func run(in folder: String, _ invocation: Invocation) async throws {
        // What it and its programs write is nobody else's to read.
        umask(0o077)
        let lock = try StateLock(folder: folder)
        defer { lock.release() }
        try await StaleBroker.stop(stateFolder: folder)
        try await run(UpPlan(invocation.configuration, stateFolder: folder))
    }

    private static func run(_ plan: UpPlan) async throws {
        try plan.prepare()
        let notices = UpNotices(plan: plan)
        let link = try await FirstOperator.link(stateFolder: plan.stateFolder)
        let group = ServiceGroup(try members(plan, notices), deadline: .seconds(60)) { progress in
            switch progress {
            case .running: notices.isUp(link: link)
            case .draining: notices.isStopping()
            default: break
            }
        }
        try await group.run()
    }

    private static func members(_ plan: UpPlan, _ notices: UpNotices) throws -> [ServiceGroup.Member] {
        let broker = Supervisor("broker", launch: { try plan.brokerLaunch() }, onEvent: { notices.note("broker", $0) })
        let readiness = ReadyProbe(deadline: plan.readyWithin)
        var members = [
            member(broker) { try await readiness.wait("the broker") { LoopbackSocket.answers(plan.brokerPort) } }
        ]
        if let accounts = plan.accounts {
            let watch = AccountsWatch(folder: accounts.folder) { if let process = broker.process { kill(process, SIGHUP) } }
            members.append(ServiceGroup.Member("accounts", watch))
        }
        for (index, service) in Suite.services.enumerated() {
            let port = plan.healthPort(index)
            let supervisor = Supervisor(
                service.name, launch: { try plan.launch(service, healthPort: port) }, onEvent: { notices.note(service.name, $0) })
            members.append(member(supervisor) { try await readiness.wait(service.name) { await ReadyProbe.isReady(port) } })
        }
        return members
    }

    private static func member(
        _ supervisor: Supervisor, ready: @escaping @Sendable () async throws -> Void
    ) -> ServiceGroup.Member {
        ServiceGroup.Member(supervisor.name, supervisor, draining: .request { supervisor.stop() }, started: ready)
    }
}

/// The settings of `vigil up`.
enum UpSettings {
    static let port = Setting.optional(
        "broker-port", .integer(in: 1...65535),
        help: "The broker's port on 127.0.0.1; by default 1883, or the next one that is free.")
    static let address = Setting(
        "broker-listen", .text, default: "127.0.0.1",
        help: """
            The IP address for devices, bridges and people, with --private; 0.0.0.0 accepts the whole network. \
            Not encrypted, so only for a network at home; the services' own port stays on 127.0.0.1.
            """
    )
    static let program = Setting("mosquitto", .path, default: "/usr/sbin/mosquitto", help: "The broker's program.")
    static let configuration = Setting.optional(
        "mosquitto-settings", .path,
        help: "The broker's settings; by default deploy/mosquitto/mosquitto.conf of the checkout or /usr/share/vigil/mosquitto.conf.")
    static let healthPort = Setting(
        "health-port", .integer(in: 1...65000), default: 9101,
        help: "The first service's port for /healthz, /readyz and /metrics; the others follow.")
    static let readyWithin = Setting(
        "ready-within", .duration(in: .seconds(1) ... .seconds(600)), default: .seconds(60),
        help: "How long the services may take to be ready.")
    static let isPrivate = Setting(
        "private", .boolean, default: false,
        help:
            "Require an account from everybody, so that other users of this machine can neither read nor publish. Your own vigil commands find theirs."
    )
    static let vault = Setting.optional(
        "vault", .path, help: "The encrypted vault for everything; see vigil vault. Replaces --state-folder.")
    static let own: [any AnySetting] = [
        port, address, program, configuration, healthPort, readyWithin, isPrivate, vault, VaultCommand.passwordFile,
    ]

    /// Settings of the services that `vigil up` decides by itself.
    private static let decided = Set(CommonSettings.database.map(\.declaration.name)).union([
        "broker-host", "broker-port", "client-id", "instance", "http-host", "http-port", "supervised", "broker-tls", "broker-user",
        "broker-password-file",
        "accounts-file", "roles-file",
    ])

    /// The settings of the services that an operator may give to `vigil up`; they reach the services that know them.
    static let passedOn: [any AnySetting] = {
        var seen = decided.union(own.map(\.declaration.name))
        return Suite.services.flatMap(\.settings).filter { seen.insert($0.declaration.name).inserted }
    }()
}

/// The messages of `vigil up` to its operator.
final class UpNotices: Sendable {
    private let plan: UpPlan
    private let isStoppingNow = Mutex(false)

    init(plan: UpPlan) { self.plan = plan }

    /// Says what happened to a program, where the operator should know.
    func note(_ name: String, _ event: Supervisor.Event) {
        switch event {
        case .started: break
        case .died(let status, let again):
            StandardOutput.line("\(name) ended with \(status); starting it again in \(again). See \(plan.stateFolder)/logs/\(name).log")
        case .stopped:
            if isStoppingNow.withLock({ $0 }) { StandardOutput.line("\(name) stopped") }
        }
    }

    /// Says where to look.
    /// - Parameter link: the path with which the first operator chooses a password; nil where there is one.
    func isUp(link: String?) {
        let pages = "http://127.0.0.1:\(plan.dashboardPort)\(link ?? "/")" + (link == nil ? "" : "  (choose a password: good once)")
        let moved = plan.isPortMoved ? "  (port 1883 is taken by another program: add -p \(plan.brokerPort) to mosquitto_pub)" : ""
        var lines = [
            "Vigil is up.", "", "  pages           \(pages)", "  broker          mqtt://\(plan.brokerAddress):\(plan.brokerPort)\(moved)",
            "  timeline        \(plan.timeline)",
            "  logs            \(plan.stateFolder)/logs/",
            plan.accounts.map { "  accounts        \($0.folder)  (nobody comes in without one)" }
                ?? "  accounts        none: every user of this machine may read and publish; --private asks for accounts",
        ]
        lines.append("  notifiers       " + plan.notifiers.joined(separator: "\n                  "))
        lines += Suite.services.enumerated().map { index, service in
            "  \(service.name)\(String(repeating: " ", count: max(1, 16 - service.name.count)))http://127.0.0.1:\(plan.healthPort(index))/metrics"
        }
        let port = plan.brokerPort == 1883 ? "" : " --broker-port \(plan.brokerPort)"
        lines += [
            "", "Try, in another terminal:", "  vigil watch\(port)", "  vigil simulate anna\(port)",
            "  sqlite3 \(plan.timeline) 'SELECT * FROM readings ORDER BY time DESC LIMIT 5'", "", "Ctrl-C stops everything.",
        ]
        StandardOutput.line(lines.joined(separator: "\n"))
    }

    /// Says that the services are finishing what they hold.
    func isStopping() {
        isStoppingNow.withLock { $0 = true }
        StandardOutput.line("stopping: what was taken is stored first")
    }
}
