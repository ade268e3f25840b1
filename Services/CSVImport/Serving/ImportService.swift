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
        "largest-upload", .integer(in: 1...65_536), default: 256, help: "The most megabytes (MiB) of one file that is sent to be imported.")
    static let folder = Setting(
        "uploads", .integer(in: 1...1_048_576), default: 1024, help: "The most megabytes (MiB) of all files that wait to be imported.")
    /// The time that the timeline may be away before an import gives up; what was sent is kept no longer either.
    private static let patience = Duration.seconds(Int(JobStore.Limits.life))
    private static let sweep = Duration.seconds(600)

    /// The service.
    package static let service = ServiceCommand(
        name: "vigil-import", summary: "Takes files over the bus and imports them, for the dashboard and for programs.",
        details: """
            Requests come on \(Topic.Filter.requests(to: "import")): begin, append, survey, try, start, jobs, rejects, undo, discard; who may ask, \
            says --roles-file. Files wait in the state folder, readable by the service alone, and go once they are imported, discarded or a day old. \
            The ledger is that of the command line in the same state folder.
            """,
        settings: [largest, folder] + AccessSettings.all
    ) { context in
        BackgroundPriority.take()
        var limits = JobStore.Limits()
        limits.file = try context[largest] << 20
        limits.folder = try context[folder] << 20
        let store = try await JobStore(
            ServiceState(path: context.stateFile("jobs.sqlite"), migrations: JobStore.migrations),
            folder: UploadFolder(path: context.stateFile("uploads")), limits: limits)
        let ledger = try ImportCommand.ledger(context.configuration)
        let broker = try context.broker(part: "requester")
        let readiness = context.readiness
        let requester = Requester(
            broker: broker, responsePrefix: "\(Topic.prefix)responses/\(broker.username ?? "import")/\(context.instance)",
            onEvent: { event in
                switch event {
                case .ready: readiness.set("requester", true)
                case .disconnected: readiness.set("requester", false)
                default: break
                }
            })
        let shares = try context[ShareSettings.shares]
        let present = PresentJobs()
        let client = TimelineClient(requester, timeout: .seconds(600))
        let runner = { (sink: (any PatientSink)?) in
            JobRunner(
                store: store, ledger: ledger, present: present, sink: sink,
                undo: { try await client.ask(.undoImport(id: $0), as: UndoReport.self).removed }, log: context.logger)
        }
        let consumer = try context.consumer("requests", [Subscription(Topic.Filter.requests(to: "import"), retainHandling: .never)]) {
            // Who asked an absent service has been told that it is away.
            $0.broker.session = .clean
        }
        let trail = try context.auditTrail
        let checks = RequestGuard(service: "import", control: try AccessControl(context.configuration) ?? .open, log: context.logger)
        let requests = ImportRequests(
            batches: GuardedRequests(consumer.batches, checks, replies: context.replies, trail: trail), store: store, ledger: ledger,
            present: present, erasure: JobErasure(store: store, ledger: ledger), replies: context.replies, trail: trail,
            instance: context.instance, log: context.logger)
        return [
            ServiceGroup.Member("requester", draining: .request { requester.drain() }) { try await requester.run() },
            ServiceGroup.Member("expiry") { try await expire(store) },
            ServiceGroup.Member("looking", runner(nil)),
            ServiceGroup.Member("importing", runner(BusSink(requester, patience: patience, shares: shares))),
            ServiceGroup.Member("requests", requests, draining: .endsByItself), consumer.member,
        ]
    }

    /// As a subcommand of `vigil-import`.
    static let command = service.command(named: "serve")

    private static func expire(_ store: JobStore) async throws {
        while true {
            try await store.expire(now: Timestamp.now.seconds)
            try await ContinuousClock().sleep(for: sweep)
        }
    }
}
