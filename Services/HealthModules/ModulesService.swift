import Access
import Foundation
import MessageBus
import Observability
import ServiceKit
package import Settings
import Shares
import TimelineStore
import VigilSchema

/// `vigil-modules`: hosts the health modules.
package enum ModulesService {
    private static let timeLimit = Setting(
        "module-time", .duration(in: .milliseconds(100) ... .seconds(60)), default: .seconds(5),
        help: "How long a module may work for one person before it is stopped.")
    private static let memoryLimit = Setting(
        "module-memory", .integer(in: 64...16_384), default: 512, help: "The most memory of the modules together, in MiB.")
    private static let timelineTimeout = Setting(
        "timeline-within", .duration(in: .seconds(1) ... .seconds(600)), default: .seconds(30),
        help: "How long the timeline may take to answer.")

    private static let database = StateSettings(
        help: """
            The PostgreSQL database of settings and of the lease, such as postgresql://user@host/database. One \
            of several vigil-modules then publishes, and another replaces it after a failure. By default there \
            is only one.
            """)

    /// The command with its subcommand `worker`, in which modules run.
    package static func command(_ registry: ModuleRegistry = .standard) -> Command {
        service(registry).command(subcommands: [WorkerCommand.command(registry)])
    }

    private static func service(_ registry: ModuleRegistry) -> ServiceCommand {
        ServiceCommand(
            name: "vigil-modules", summary: "hosts the health modules, which derive values and messages from readings",
            details: """
                Reads vigil/v1/observations/…/readings, …/derived, vigil/v1/history/… and the timeline's \
                answers. Publishes derived observations with the source vigil-modules/MODULE, and messages to \
                persons, retained, on vigil/v1/messages/PARTICIPANT/MODULE. `vigil modules` reads and sets \
                values and parameters, as does MQTT on vigil/v1/modules/vigil-modules/get and …/set with a \
                participant. Modules: \(registry.modules.map(\.id).joined(separator: ", ")).
                """,
            settings: [timeLimit, memoryLimit, timelineTimeout] + database.all + AccessSettings.all
        ) { context in try await members(context, registry) }
    }

    private static func members(_ context: ServiceContext, _ registry: ModuleRegistry) async throws -> [ServiceGroup.Member] {
        let metrics = ModulesMetrics(context.metrics)
        // What a power cut loses is in the timeline and is read from there.
        let state = ModuleState(try context.state(ModuleState.migrations))
        let file = try context.stateFile("state.sqlite")
        let database = try database.database(context.configuration).map {
            PostgresState(PostgresConfiguration(connection: $0.uri, password: $0.password), SharedSettings.schema)
        }
        if database != nil { try await adoptFile(into: state, context) }
        let evaluator = IsolatedEvaluator(
            launch: .own(service: context.service, stateFile: file, memory: try context[memoryLimit]), limit: try context[timeLimit],
            metrics: context.metrics)
        let host = ModuleHost(
            registry: registry, state: state, runner: evaluator, publisher: context.publisher, metrics: metrics, log: context.logger,
            shares: try context[ShareSettings.shares], standsBy: database != nil,
            settings: database.map { SharedSettings($0, replica: context.instance) },
            now: { Timestamp.now.seconds })
        context.exchange.offer(ModuleExchange(host: host))
        let intake = ReadingIntake(registry: registry, state: state)
        let requester = Requester(
            broker: try context.broker(part: "timeline"),
            responsePrefix:
                "\(Topic.prefix)responses/\(try context[CommonSettings.brokerUser] ?? "vigil")/\(context.service)-\(context.instance)")
        let sync = TimelineSync(
            reader: TimelineReader(TimelineClient(requester, timeout: try context[timelineTimeout])), host: host, intake: intake,
            metrics: metrics, log: context.logger)
        let observations = try context.consumer(
            "observations",
            (Topic.Filter.readings + Topic.Filter.derived + Topic.Filter.history
                + [Topic.Filter.requests(to: "timeline")]).map { Subscription($0, retainHandling: .never) })
        // Orders to the timeline are watched here, and answered there.
        let requests = RequestGuard(service: "timeline", control: try AccessControl(context.configuration) ?? .open, log: context.logger)
        let pipeline = ModulesPipeline(
            batches: GuardedRequests(observations.batches, requests, replies: nil), intake: intake, host: host, metrics: metrics,
            log: context.logger)
        let data = PersonalDataAccess(export: state.personalData, erase: host.erase)
        return try context.personalData("modules", data) + [
            ServiceGroup.Member("modules", host, draining: .request { host.finish() }),
            ServiceGroup.Member("timeline", draining: .request { requester.drain() }) { try await requester.run() },
            ServiceGroup.Member("sync", sync),
            ServiceGroup.Member("pipeline", pipeline, draining: .endsByItself), observations.member,
        ] + (database.map { [lease(of: $0, host, context)] } ?? [])
    }

    /// Makes the host publish while this process holds the lease.
    private static func lease(of database: PostgresState, _ host: ModuleHost, _ context: ServiceContext) -> ServiceGroup.Member {
        context.sharedWork(database.leases, shares: 1) { owned in
            let latch = Latch()
            return [
                ServiceGroup.Member("publishing", draining: .request { latch.open() }) {
                    try await host.work(holding: owned.hold, until: latch)
                }
            ]
        }
    }

    /// Reads the settings of persons from a folder that a single process with the default name used.
    private static func adoptFile(into state: ModuleState, _ context: ServiceContext) async throws {
        let alone = CommonSettings.instance.declaration.defaultText
        let former = try context.stateFile("state.sqlite", of: alone)
        guard alone != context.instance, FileManager.default.fileExists(atPath: former), try await state.participants().isEmpty else {
            return
        }
        let settings = try await ModuleState(ServiceState(path: former, migrations: ModuleState.migrations)).settings()
        try await state.adopt(settings, modules: [], now: Timestamp.now.seconds)
    }
}
