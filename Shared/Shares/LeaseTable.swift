/// The table of leases, in a database that all replicas of a service reach.
///
/// Each call is one transaction. Times are the database's; a call that failed may have happened. Threading: from anywhere.
package protocol LeaseTable: Sendable {
    /// Makes the rows of a service that has none.
    /// - Throws: `otherCount` where it has another number of shares.
    func prepare(service: String, shares: Int) async throws(ShareError)

    /// Says that a replica lives, renews the leases that it holds and nobody else has claimed, and shows everything.
    /// - Throws: `nameTaken` while another process lives by that name.
    func beat(_ replica: ReplicaName, held: [LeaseHold], lease: Duration) async throws(ShareError) -> LeaseView

    /// Claims shares that nobody owns, or whose lease has ended; those that somebody else claims at the moment are left out.
    /// - Returns: what was claimed, each with an epoch that nobody had before.
    func claim(_ shares: [Int], for replica: ReplicaName, lease: Duration) async throws(ShareError) -> [LeaseHold]

    /// Gives a share back, where it is still the replica's by this epoch.
    func free(_ hold: LeaseHold, of replica: ReplicaName) async throws(ShareError)

    /// Forgets a replica, which holds nothing any more.
    func leave(_ replica: ReplicaName) async throws(ShareError)
}

/// The identity of a replica: its name, which stays over restarts, and its process.
package struct ReplicaName: Hashable, Sendable {
    /// For example `vigil-timeline`.
    package let service: String
    /// The instance, by which people know it.
    package let name: String
    /// Tells apart two processes of one name.
    package let process: String

    /// Names this process at the database too, so that whoever takes its place can end what it has open there.
    package static let thisProcess = (0..<2).map { _ in String(UInt64.random(in: 1 << 60...UInt64.max), radix: 16) }.joined()

    package init(service: String, name: String, process: String) { (self.service, self.name, self.process) = (service, name, process) }
}

/// The reason why leases could not be read or changed.
package struct ShareError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Sendable {
        /// The database is out of reach, or does not answer; later it may.
        case unavailable
        /// The settings or the rights do not allow it.
        case misconfigured
        /// The deployment has another number of shares.
        case otherCount
        /// Another process lives by the replica's name.
        case nameTaken
        /// There is no such share, replica or service.
        case unknown
        /// What was asked for would leave nobody to do the work.
        case refused
    }

    package let code: Code
    /// The event, in words.
    package let detail: String

    package init(_ code: Code, _ detail: String) { (self.code, self.detail) = (code, detail) }

    package var description: String { detail }
}
