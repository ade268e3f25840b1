import Access
import Foundation
import MessageBus
import Observability
package import ServiceKit
import Settings
import VigilSchema

/// `vigil-import serve`: takes files over the bus and imports them, for those who have no command line.
package enum ImportService {
    static let largest = Setting(
        "largest-upload", .integer(in: 1...65_536), default: 256, help: "The largest file that may be sent, in MiB.")
    static let folder = Setting(
        "uploads", .integer(in: 1...1_048_576), default: 1024, help: "The largest size of all waiting files, in MiB.")
    static let sources = Setting.optional(
        "sources", .path, help: "The JSON5 file of the places that are asked for data: addresses, folders, FHIR servers, Nightscout sites.")

    /// The service.
    package static let service = ServiceCommand(
        name: "vigil-import", summary: "imports files that the dashboard or programs send over the bus",
        details: """
            Takes requests on \(Topic.Filter.requests(to: "import")): begin, append, survey, try, start, jobs, \
            rejects, undo, discard. --roles-file says who may send them. Files wait in the state folder, \
            readable by the service only, until they are imported, discarded or a day old. The ledger is that of \
            the command line in the same state folder. With --state, ledger, files and outcomes are in a \
            database; one of several vigil-import serve works, and another replaces it after a failure.
            """,
        settings: [largest, folder, sources] + ImportState.setting.all + AccessSettings.all
    ) { context in
        BackgroundPriority.take()
        let work = try ImportWork(context)
        guard let database = try ImportState.setting.database(context.configuration) else { return try await work.members() }
        return try await SharedImports(work, ImportState.state(database), ledger: ImportState.state(database)).members()
    }

    /// As a subcommand of `vigil-import`.
    static let command = service.command(named: "serve")
}

/// What `vigil-import serve` does, in the pieces that the one at work is made from.
struct ImportWork: Sendable {
    /// The time that the timeline, or the ledger's database, may be away before an import gives up; what was sent is kept no longer either.
    static let patience = Duration.seconds(Int(JobStore.Limits.life))
    private static let sweep = Duration.seconds(600)

    let context: ServiceContext
    private let limits: JobStore.Limits
    private let shares: Int
    private let checks: RequestGuard
    private let trail: BusAuditTrail
    private let sources: [PolledSource]

    init(_ context: ServiceContext) throws {
        try BuiltIn.check()
        self.context = context
        var limits = JobStore.Limits()
        limits.file = try context[ImportService.largest] << 20
        limits.folder = try context[ImportService.folder] << 20
        self.limits = limits
        shares = try context[ShareSettings.shares]
        checks = RequestGuard(service: "import", control: try AccessControl(context.configuration) ?? .open, log: context.logger)
        trail = try context.auditTrail
        sources = try context[ImportService.sources].map(PolledSourceFile.read) ?? []
    }

    /// Everything, for a process that has no replicas.
    func members() async throws -> [ServiceGroup.Member] {
        let readiness = context.readiness
        let requester = try requester(context.broker(part: "requester")) { event in
            switch event {
            case .ready: readiness.set("requester", true)
            case .disconnected: readiness.set("requester", false)
            default: break
            }
        }
        let consumer = try context.consumer("requests", Self.subscriptions) {
            // Who asked an absent service has been told that it is away.
            $0.broker.session = .clean
        }
        let ledger = try await ImportState.ledger(context.configuration)
        return try await members(localJobs(), asked: ledger, working: ledger, requester, consumer)
    }

    static let subscriptions = [Subscription(Topic.Filter.requests(to: "import"), retainHandling: .never)]

    /// The jobs that a process without replicas keeps in its state folder, by its name or another's.
    func localJobs(of other: String? = nil) throws -> LocalJobs {
        try LocalJobs(path: context.stateFile("jobs.sqlite", of: other), folder: uploads(of: other))
    }

    /// The folder of what was uploaded.
    func uploads(of other: String? = nil) throws -> UploadFolder { try UploadFolder(path: context.stateFile("uploads", of: other)) }

    func requester(_ broker: BrokerConfiguration, onEvent: @escaping @Sendable (BusEvent) -> Void = { _ in }) throws -> Requester {
        Requester(
            broker: broker, responsePrefix: "\(Topic.prefix)responses/\(broker.username ?? "import")/\(context.instance)", onEvent: onEvent)
    }

    /// The members that answer requests and do the work.
    /// - Parameters:
    ///   - asked: the ledger for requests, which answers at once.
    ///   - working: the same for work, which waits for a database that is away.
    func members(
        _ keeping: any JobKeeping, asked: any Ledger, working: any Ledger, _ requester: Requester, _ consumer: ServiceConsumer
    ) async throws -> [ServiceGroup.Member] {
        let store = try await JobStore(keeping, limits: limits)
        let polls = try await PollRecords(sources, keeping, now: Timestamp.now.seconds)
        let sink = BusSink(requester, patience: Self.patience, shares: shares)
        let present = PresentJobs()
        let client = TimelineClient(requester, timeout: .seconds(600))
        let runner = { (sink: (any PatientSink)?) in
            JobRunner(
                store: store, ledger: working, present: present, sink: sink,
                undo: { try await client.ask(.undoImport(id: $0), as: UndoReport.self).removed }, log: context.logger)
        }
        let requests = ImportRequests(
            batches: GuardedRequests(consumer.batches, checks, replies: context.replies, trail: trail), store: store, ledger: asked,
            present: present, erasure: JobErasure(store: store, ledger: asked, polls: polls), polls: polls, replies: context.replies,
            trail: trail,
            instance: context.instance, log: context.logger)
        return [
            ServiceGroup.Member("requester", draining: .request { requester.drain() }) { try await requester.run() },
            ServiceGroup.Member("expiry") { try await expire(store) },
            ServiceGroup.Member("looking", runner(nil)),
            ServiceGroup.Member("importing", runner(sink)),
        ] + (sources.isEmpty ? [] : try polling(polls, sink, working)) + [
            ServiceGroup.Member("requests", requests, draining: .endsByItself), consumer.member,
        ]
    }

    /// The members that ask sources.
    private func polling(_ polls: PollRecords, _ sink: BusSink, _ ledger: any Ledger) throws -> [ServiceGroup.Member] {
        let service = PollService(
            records: polls, sink: sink, ledger: ledger, folder: try context.stateFile("sources"), limit: limits.file,
            metrics: context.metrics, log: context.logger)
        let watch = PollWatch(
            records: polls, publisher: context.publisher, service: context.service, log: context.logger)
        return [ServiceGroup.Member("sources", service), ServiceGroup.Member("silent sources", watch)]
    }

    private func expire(_ store: JobStore) async throws {
        while true {
            try await persistently(for: Self.patience) {
                try await store.takeUp()
                try await store.expire(now: Timestamp.now.seconds)
            }
            try await ContinuousClock().sleep(for: Self.sweep)
        }
    }
}
