package import VigilSchema

/// The right of a replica to work on a share, until somebody else has taken it: then the lease has another epoch.
package struct LeaseHold: Hashable, Sendable {
    /// For example `vigil-timeline`.
    package let service: String
    /// The share's number.
    package let share: Int
    /// Counts the claims of the share; it only rises.
    package let epoch: Int64

    package init(service: String, share: Int, epoch: Int64) { (self.service, self.share, self.epoch) = (service, share, epoch) }
}

/// The times of leases. The database's clock counts; a replica's own only paces it.
package struct LeaseTiming: Hashable, Sendable {
    /// The time that a lease lasts after it was renewed.
    package var lease = Duration.seconds(6)
    /// The pause between two renewals, while nothing is to be changed.
    package var renewal = Duration.seconds(1)
    /// The pause while shares are handed over.
    package var haste = Duration.milliseconds(250)
    /// The pause after a question that was not answered.
    package var retry = Duration.milliseconds(500)

    package init() {}

    /// The longest pause between two answers after which the database still counts as not having been away.
    var unbroken: Duration { lease * 2 / 3 }
}

/// The state of all leases of a service, as the database had it at one moment.
package struct LeaseView: Hashable, Sendable {
    /// A share and who owns it.
    package struct Row: Hashable, Sendable {
        package var share: Int
        /// The replica that has claimed it last; nil where it was given back.
        package var owner: String?
        package var epoch: Int64
        /// The time until the lease ends; zero or less where it has.
        package var remaining: Duration
        /// The moment of the claim.
        package var since: Timestamp?
        /// The replica that an operator has moved it to.
        package var wanted: String?

        package init(
            share: Int, owner: String? = nil, epoch: Int64 = 0, remaining: Duration = .zero, since: Timestamp? = nil, wanted: String? = nil
        ) {
            (self.share, self.owner, self.epoch, self.remaining) = (share, owner, epoch, remaining)
            (self.since, self.wanted) = (since, wanted)
        }

        /// A Boolean value that indicates whether somebody owns it and has renewed the lease in time.
        package var isHeld: Bool { owner != nil && remaining > .zero }
    }

    /// A replica.
    package struct Member: Hashable, Sendable {
        package var name: String
        /// The time until it counts as gone; zero or less where it does.
        package var remaining: Duration
        /// The moment at which the process joined.
        package var since: Timestamp?
        /// An operator has asked it to give its shares to the others.
        package var drains: Bool

        package init(name: String, remaining: Duration, since: Timestamp? = nil, drains: Bool = false) {
            (self.name, self.remaining, self.since, self.drains) = (name, remaining, since, drains)
        }

        package var isAlive: Bool { remaining > .zero }
    }

    /// By number.
    package var rows: [Row]
    /// By name; those that have gone lately, too.
    package var members: [Member]

    package init(rows: [Row], members: [Member]) { (self.rows, self.members) = (rows, members) }

    /// The replicas among which the shares are divided: those alive, without those that are drained as long as there is another.
    package var working: [Member] {
        let alive = members.filter(\.isAlive)
        let willing = alive.filter { !$0.drains }
        return willing.isEmpty ? alive : willing
    }

    /// Returns whether the lease with this epoch is a replica's still. One that has ended is, until somebody claims it.
    package func holds(_ hold: LeaseHold, _ name: String) -> Bool {
        rows.contains { $0.share == hold.share && $0.owner == name && $0.epoch == hold.epoch }
    }
}
