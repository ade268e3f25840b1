import Access
import MessageBus
package import ServiceKit
package import Settings
import Shares
package import Signals
import TimelineStore
import VigilSchema

/// `vigil-stress`: derives heart rate, breathing, skin conductance and stress from raw signals.
package enum StressService {
    package static let mode = Setting(
        "stress-mode", .choice, default: StressMode.enhanced,
        help: "The method of the stress level for participants without a mode of their own.")
    package static let calibration = Setting(
        "calibration-seconds", .integer(in: 60...1800), default: 360, help: "The length of a guided calibration, in seconds.")

    static let state = StateSettings(
        help: "The PostgreSQL database of the baselines, such as postgresql://user@host/database; by default a file in --state-folder.")

    /// The service.
    package static let service = ServiceCommand(
        name: "vigil-stress", summary: "derives vital signs and stress from raw signals",
        details: """
            Subscribes to vigil/v1/observations/…/readings and …/waveforms. Every five seconds it publishes \
            derived observations of each participant on vigil/v1/observations/<partition>/derived, with the \
            source \(StressEngine.source). Commands for one participant (calibrate, cancel, forget, mode, \
            bounds, export, erase) come on \(Topic.Filter.requests(to: "stress")). Baselines are in the state \
            folder or, with --state, in a database; then several replicas divide the participants by --shares, \
            and replace each other after a failure. vigil-stress evaluate FOLDER measures the detectors on \
            annotated recordings.
            """,
        settings: [mode, calibration] + state.all + AccessSettings.all
    ) { context in
        let work = try await StressWork(context)
        guard let database = try state.database(context.configuration) else { return try work.members() }
        let shared = SharedStress(
            work, PostgresState(PostgresConfiguration(connection: database.uri, password: database.password), PostgresStressState.schema))
        return try await shared.members(shares: try context[ShareSettings.shares])
    }
}

/// What a process of `vigil-stress` does, in the pieces that its replicas divide among them.
struct StressWork: Sendable {
    let context: ServiceContext
    private let mode: LiveValue<StressMode>
    private let calibration: LiveValue<Int>
    private let metrics: StressMetrics
    private let requests: RequestGuard
    private let trail: BusAuditTrail

    init(_ context: ServiceContext) async throws {
        self.context = context
        mode = try await context.exchange.live(StressService.mode, context.configuration)
        calibration = try await context.exchange.live(StressService.calibration, context.configuration)
        metrics = StressMetrics(context.metrics)
        requests = RequestGuard(service: "stress", control: try AccessControl(context.configuration) ?? .open, log: context.logger)
        trail = try context.auditTrail
    }

    /// Everything, for a process that has no replicas.
    func members() throws -> [ServiceGroup.Member] {
        let asked = [Topic.Filter.requests(to: "stress")]
        // Retained readings are old ones, and so are retained commands.
        let filters = (Topic.Filter.readings + Topic.Filter.waveforms + asked).map { Subscription($0, retainHandling: .never) }
        let observations = try context.consumer("observations", filters)
        let profiles = SQLiteProfileStore(try context.state(SQLiteProfileStore.migrations))
        return [pipeline(observations.batches, LocalEngine(profiles: profiles)), observations.member]
    }

    func pipeline<Batches: AsyncSequence & Sendable>(_ batches: Batches, _ engines: any EngineSource) -> ServiceGroup.Member
    where Batches.Element == MessageBatch {
        let pipeline = StressPipeline(
            batches: GuardedRequests(batches, requests, replies: context.replies, trail: trail), publisher: context.publisher,
            replies: context.replies, instance: context.instance, engines: engines, mode: mode, calibration: calibration, metrics: metrics,
            log: context.logger, now: { .now })
        return ServiceGroup.Member("pipeline", pipeline, draining: .endsByItself)
    }
}
