import Observability
package import Settings
package import Shares

extension ServiceContext {
    /// The member that keeps this replica's shares, and runs a group of members for each. The owner of the first answers for the service.
    /// - Parameters:
    ///   - table: the leases.
    ///   - shares: the number of shares.
    ///   - members: makes the members that work on a share, in order of dependency, the consumer last. Each time that the work begins.
    package func sharedWork(
        _ table: any LeaseTable, shares: Int, members: @escaping @Sendable (OwnedShare) async throws -> [ServiceGroup.Member]
    ) -> ServiceGroup.Member {
        let replica = ReplicaName(service: service, name: instance, process: ReplicaName.thisProcess)
        exchange.answerForAll(false)
        let keeper = ShareKeeper(table: table, replica: replica, count: shares, metrics: metrics, log: logger) { owned in
            // It returns first when the share is to be given up, and by that the others are drained, the last first.
            let isFirst = owned.share.number == 0
            if isFirst { exchange.answerForAll(true) }
            defer { if isFirst { exchange.answerForAll(false) } }
            let lease = ServiceGroup.Member("lease") { await owned.drain.wait() }
            try await ServiceGroup([lease] + (await members(owned)), deadline: .seconds(5), stopOn: []).run()
        }
        return ServiceGroup.Member("shares", draining: .request { keeper.drain() }, started: { await keeper.joined.wait() }) {
            try await keeper.run()
        }
    }
}

extension ShareError: ExitCoded {
    /// 78 where a setting is to blame, 69 where the database cannot be reached.
    package var exitCode: ExitCode {
        switch code {
        case .unavailable: .unavailable
        case .misconfigured, .otherCount, .nameTaken: .configuration
        case .unknown, .refused: .failure
        }
    }
}
