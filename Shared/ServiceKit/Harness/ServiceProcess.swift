import Dispatch
import Foundation
import MessageBus
import Observability
package import Settings
import VigilSchema

/// A service as a process: settings, logs, metrics, health, module status and exchange, draining; the service adds its parts.
///
/// A service's whole executable:
/// ```swift
/// import ServiceKit
/// import Timeline
/// await TimelineService.command.main()
/// ```
package struct ServiceCommand: Sendable {
    /// For example `vigil-timeline`.
    package let name: String
    package let summary: String
    /// Every setting, the common ones included.
    package let settings: [any AnySetting]
    let details: String
    let build: @Sendable (ServiceContext) async throws -> [ServiceGroup.Member]

    /// Declares a service.
    /// - Parameters:
    ///   - settings: its own settings. Those for logging, the broker, the instance, HTTP and the state folder are added.
    ///   - build: opens what the service needs and returns its members in order of dependency, the consumer last.
    ///     What it throws ends the process with one line.
    package init(
        name: String, summary: String, details: String = "", settings: [any AnySetting] = [],
        build: @escaping @Sendable (ServiceContext) async throws -> [ServiceGroup.Member]
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.settings =
            settings + CommonSettings.broker + CommonSettings.service + [ShareSettings.shares] + CommonSettings.state
            + CommonSettings.logging
        self.build = build
    }

    /// As a command, to be run or to be a subcommand of another.
    package var command: Command { command(subcommands: []) }

    /// As a command that also has subcommands; without one it runs the service.
    /// - Parameter name: as it is called where it is itself a subcommand.
    package func command(named name: String? = nil, subcommands: [Command] = []) -> Command {
        Command(name: name ?? self.name, summary: summary, details: details, settings: settings, subcommands: subcommands) { invocation in
            try await ServiceProcess(service: self, configuration: invocation.configuration).run()
        }
    }

    /// Runs the process.
    package func main() async -> Never { await command.main() }
}

/// One run of a service's process: the parts that every service has, around the service's own.
struct ServiceProcess {
    private let service: ServiceCommand
    private let context: ServiceContext
    private let bus: ServicePublisher
    private let status: ModuleStatus

    init(service: ServiceCommand, configuration: Configuration) throws {
        self.service = service
        let instance = try configuration[CommonSettings.instance]
        let logger = Logger(
            service: service.name, level: try configuration[CommonSettings.logLevel], format: try configuration[CommonSettings.logFormat])
        let metrics = MetricsRegistry()
        let readiness = Readiness()
        bus = try ServicePublisher(service: service.name, instance: instance, configuration, logger, metrics, readiness)
        let shares = try configuration[ShareSettings.shares]
        status = ModuleStatus(service: service.name, instance: instance, shares: shares, publisher: bus.publisher, logger: logger)
        let folder = try configuration[CommonSettings.stateFolder]
        context = ServiceContext(
            service: service.name, instance: instance, configuration: configuration, logger: logger, metrics: metrics,
            readiness: readiness, publisher: shares == 1 ? bus.publisher : SharedTopics(bus.publisher),
            liveness: Liveness(), replies: bus.replies,
            exchange: Exchange(store: ParameterStore(path: "\(folder)/\(service.name)-\(instance).parameters.sqlite")))
    }

    func run() async throws {
        context.metrics.gauge(
            "vigil_build_info", help: "1, labelled with the version.",
            labels: ["service": service.name, "version": BuildInfo.current.version]
        ).set(1)
        context.readiness.set("started", false)
        try watchDisk()
        let members = try await members()
        let deadline = try context[CommonSettings.drainDeadline]
        try await ServiceGroup(members, deadline: deadline, onProgress: follow).run()
    }

    /// Shows the room on the disk of the state folder.
    private func watchDisk() throws {
        let folder = try context[CommonSettings.stateFolder]
        context.metrics.gauge("vigil_state_disk_free_bytes", help: "Free bytes on the disk of the state folder.") {
            DiskSpace(folder: folder)?.free ?? .nan
        }
        context.metrics.gauge("vigil_state_disk_size_bytes", help: "Bytes of the disk of the state folder.") {
            DiskSpace(folder: folder)?.size ?? .nan
        }
        context.readiness.remark("disk") { DiskSpace(folder: folder)?.remark ?? "" }
        context.exchange.add(
            Parameter(name: "disk", kind: .text, description: "The room on the disk of the state folder: its level, then in words.") {
                guard let space = DiskSpace(folder: folder) else { return .text("unknown: the system does not say") }
                return .text("\(space.level.rawValue): \(space.description)")
            })
    }

    private func members() async throws -> [ServiceGroup.Member] {
        let own = try await service.build(context)
        let exchange = try exchangeMembers()
        let report = ServiceGroup.Member("status", status, draining: .request { status.finish() })
        return try supervisionMembers() + httpMembers() + [bus.member { status.repeatReport() }, report] + exchange + own
    }

    private func supervisionMembers() throws -> [ServiceGroup.Member] {
        try context[CommonSettings.supervised] ? [ServiceGroup.Member("supervisor", ParentWatcher())] : []
    }

    private func httpMembers() throws -> [ServiceGroup.Member] {
        let port = try context[CommonSettings.httpPort]
        guard port != 0 else { return [] }
        let server = HTTPServer(
            host: try context[CommonSettings.httpHost], port: port,
            routes: HealthRoutes.routes(metrics: context.metrics, readiness: context.readiness, liveness: context.liveness))
        return [ServiceGroup.Member("http", server, started: { await server.started() })]
    }

    private func exchangeMembers() throws -> [ServiceGroup.Member] {
        let topics = [Topic.moduleGet(service: service.name), Topic.moduleSet(service: service.name)]
        // What is asked of an absent service is not worth keeping: its asker has given up by then.
        let consumer = try context.consumer("exchange", topics.map { Subscription($0.path) }) { $0.broker.session = .clean }
        let server = ExchangeServer(
            service: context.service, instance: context.instance, exchange: context.exchange, publisher: context.publisher,
            batches: consumer.batches, logger: context.logger)
        return [ServiceGroup.Member("exchange", server, draining: .endsByItself), consumer.member]
    }

    @Sendable private func follow(_ progress: ServiceGroup.Progress) {
        switch progress {
        case .starting(let name): context.logger.debug("starting", ["member": name])
        case .running:
            context.readiness.set("started", true)
            status.set(.online)
            context.logger.info("running", ["version": BuildInfo.current.description])
        case .draining(let reason):
            context.readiness.set("started", false)
            status.set(.draining)
            context.logger.info("draining", ["reason": "\(reason)"])
        case .ended(let name): context.logger.debug("ended", ["member": name])
        case .cancelled(let names):
            context.logger.warning("deadline passed; cancelled", ["members": names.joined(separator: ",")])
            endSoon()
        }
    }

    /// A member that does not even heed cancellation must not keep the process: an orchestrator's SIGKILL would be next.
    private func endSoon() {
        let logger = context.logger
        DispatchQueue.global().asyncAfter(deadline: .now() + 5) {
            logger.error("still running five seconds after it was cancelled; ending the process")
            exit(ExitCode.failure.rawValue)
        }
    }
}

extension HTTPServer: Service {}
