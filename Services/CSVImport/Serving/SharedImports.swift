import Foundation
import MessageBus
import Observability
import ServiceKit
import Settings
import Shares
import TimelineStore
import VigilSchema

/// A replica of `vigil-import serve`: one, by a lease, answers and works; the others stand by, and keep nothing of anybody.
struct SharedImports: Sendable {
    /// The time that work has to end in good order: less than that of the share's own members.
    private static let deadline = Duration.seconds(4)

    private let work: ImportWork
    private let state: PostgresState
    /// The same database for the ledger, so that neither waits while the other moves a file.
    private let ledger: PostgresState
    private let folder: UploadFolder
    private let connections: ShareConnections

    init(_ work: ImportWork, _ state: PostgresState, ledger: PostgresState) throws {
        (self.work, self.state, self.ledger) = (work, state, ledger)
        folder = try work.uploads()
        connections = ShareConnections("requests", work.context)
    }

    func members() async throws -> [ServiceGroup.Member] {
        try await adopt()
        folder.sweep(keeping: [])
        return [work.context.sharedWork(state.leases, shares: 1) { try await members(of: $0) }]
    }

    private func members(of owned: OwnedShare) async throws -> [ServiceGroup.Member] {
        // A copy that was left here may be older than what another has done since.
        folder.sweep(keeping: [])
        let jobs = SharedJobs(state, folder: folder, holding: owned.hold)
        // The connection of whoever had the share before is ended by the one that is made by the same name, and so is that for requests, with which its
        // work ends. Where both are lost the work is cancelled and begun again; what it had asked for has not failed.
        var broker = try work.context.broker(part: "requester")
        broker.clientID = "\(work.context.service)-\(owned.share)-requester"
        let consumer = try connections.consumer(owned.share, ImportWork.subscriptions) { $0.broker.session = .clean }
        let group = ServiceGroup(
            [ServiceGroup.Member("lease") { await owned.drain.wait() }]
                + (try await work.members(
                    jobs, asked: PostgresLedger(ledger, holding: owned.hold, patience: .zero),
                    working: PostgresLedger(ledger, holding: owned.hold, patience: ImportWork.patience), work.requester(broker), consumer)),
            deadline: Self.deadline, stopOn: [])
        return [
            ServiceGroup.Member("imports", draining: .endsByItself) {
                defer { folder.sweep(keeping: []) }
                try await group.run()
            }
        ]
    }

    /// What one process without replicas has kept here goes to the database, once.
    private func adopt() async throws {
        let former = ImportCommand.ledgerPath(stateFolder: try work.context[CommonSettings.stateFolder])
        if FileManager.default.fileExists(atPath: former) {
            let count = try await ImportState.adopt(SQLiteLedger(path: former), into: PostgresLedger(ledger, patience: .zero))
            if count > 0 { work.context.logger.notice("the ledger of the state folder is in the database now", ["imports": "\(count)"]) }
        }
        let alone = CommonSettings.instance.declaration.defaultText
        for name in Set([alone, work.context.instance]) {
            guard FileManager.default.fileExists(atPath: try work.context.stateFile("jobs.sqlite", of: name)) else { continue }
            let count = try await SharedJobs(state, folder: folder, holding: nil).adopt(work.localJobs(of: name))
            if count > 0 { work.context.logger.notice("the files that waited here are in the database now", ["jobs": "\(count)"]) }
        }
    }
}
