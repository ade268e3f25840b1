import Shares
import Synchronization
import VigilSchema

/// A model of the table of leases, written from its rules and not from its SQL, with a clock that a test moves. A value; `SharedLeaseBook` is it as a table.
struct LeaseBook {
    struct Row: Equatable {
        var owner: String?
        var epoch: Int64 = 0
        var expires: Duration = .zero
        var wanted: String?
    }

    struct Member: Equatable {
        var process: String
        var expires: Duration
        var drains = false
    }

    /// The database's clock.
    var now = Duration.seconds(1_000_000)
    private(set) var rows: [Row]
    private(set) var members: [String: Member] = [:]

    init(shares: Int) { rows = Array(repeating: Row(), count: shares) }

    /// Nil while another process lives by that name.
    mutating func beat(_ replica: ReplicaName, held: [LeaseHold], lease: Duration) -> LeaseView? {
        for share in rows.indices { rows[share].expires = min(rows[share].expires, now + lease) }
        members = members.mapValues { Member(process: $0.process, expires: min($0.expires, now + lease), drains: $0.drains) }
        members = members.filter { $0.value.expires >= now - .seconds(3600) }
        if let known = members[replica.name], known.process != replica.process, known.expires > now { return nil }
        let drains = members[replica.name].map { $0.process == replica.process && $0.drains } ?? false
        members[replica.name] = Member(process: replica.process, expires: now + lease, drains: drains)
        for hold in held where rows[hold.share].owner == replica.name && rows[hold.share].epoch == hold.epoch {
            rows[hold.share].expires = now + lease
        }
        return view
    }

    mutating func claim(_ shares: [Int], for replica: ReplicaName, lease: Duration) -> [LeaseHold] {
        shares.sorted().compactMap { share in
            let row = rows[share]
            guard row.owner == nil || row.owner == replica.name || row.expires <= now else { return nil }
            rows[share].owner = replica.name
            rows[share].epoch += 1
            rows[share].expires = now + lease
            if row.wanted != replica.name { rows[share].wanted = nil }
            return LeaseHold(service: replica.service, share: share, epoch: rows[share].epoch)
        }
    }

    mutating func free(_ hold: LeaseHold, of replica: ReplicaName) {
        guard rows[hold.share].owner == replica.name, rows[hold.share].epoch == hold.epoch else { return }
        (rows[hold.share].owner, rows[hold.share].expires) = (nil, now)
    }

    mutating func leave(_ replica: ReplicaName) {
        if members[replica.name]?.process == replica.process { members[replica.name] = nil }
    }

    mutating func move(_ share: Int, to name: String?) { rows[share].wanted = name }

    mutating func drain(_ name: String, _ drains: Bool) { members[name]?.drains = drains }

    /// Whether a transaction that holds the lease may commit.
    func allows(_ hold: LeaseHold) -> Bool { rows[hold.share].epoch == hold.epoch }

    var view: LeaseView {
        LeaseView(
            rows: rows.enumerated().map { share, row in
                LeaseView.Row(
                    share: share, owner: row.owner, epoch: row.epoch, remaining: row.expires - now, wanted: row.wanted)
            },
            members: members.sorted { $0.key < $1.key }.map { name, member in
                LeaseView.Member(name: name, remaining: member.expires - now, drains: member.drains)
            })
    }
}

/// The model as a table that several keepers use, its clock the machine's.
final class SharedLeaseBook: LeaseTable {
    private let book: Mutex<LeaseBook>
    private let away = Mutex(false)
    private let began = ContinuousClock.now

    init(shares: Int) { book = Mutex(LeaseBook(shares: shares)) }

    /// A Boolean value that indicates whether nothing is answered.
    var isAway: Bool {
        get { away.withLock { $0 } }
        set { away.withLock { $0 = newValue } }
    }

    var rows: [LeaseBook.Row] { book.withLock { $0.rows } }

    /// Changes it as an operator does, or a fault.
    func change<Result: Sendable>(_ body: @Sendable (inout LeaseBook) -> Result) -> Result {
        book.withLock { book in
            book.now = .seconds(1_000_000) + began.duration(to: .now)
            return body(&book)
        }
    }

    private func answer<Result: Sendable>(_ body: @Sendable (inout LeaseBook) -> Result) throws(ShareError) -> Result {
        if isAway { throw ShareError(.unavailable, "the database is away") }
        return change(body)
    }

    func prepare(service: String, shares: Int) throws(ShareError) {
        let count = rows.count
        if count != shares { throw ShareError(.otherCount, "there are \(count) shares") }
    }

    func beat(_ replica: ReplicaName, held: [LeaseHold], lease: Duration) throws(ShareError) -> LeaseView {
        guard let view = try answer({ $0.beat(replica, held: held, lease: lease) }) else { throw ShareError(.nameTaken, "taken") }
        return view
    }

    func claim(_ shares: [Int], for replica: ReplicaName, lease: Duration) throws(ShareError) -> [LeaseHold] {
        try answer { $0.claim(shares, for: replica, lease: lease) }
    }

    func free(_ hold: LeaseHold, of replica: ReplicaName) throws(ShareError) { try answer { $0.free(hold, of: replica) } }

    func leave(_ replica: ReplicaName) throws(ShareError) { try answer { $0.leave(replica) } }
}
