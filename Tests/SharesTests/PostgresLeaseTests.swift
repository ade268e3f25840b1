import Dispatch
import Glibc
import SignalSynthesis
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import Shares
@testable import TimelineStore

@Suite("Leases in PostgreSQL", .timeLimit(.minutes(5)))
struct PostgresLeaseTests {
    private static let lease = Duration.seconds(6)
    /// So long that what the test itself takes decides nothing.
    private static let longLease = Duration.seconds(10_500)
    private static let service = "vigil-test"

    private let database: String
    private let store: PostgresStore
    private var leases: PostgresLeases { store.leases }

    init() throws {
        database = try PostgresServer.shared().makeDatabase()
        store = Self.store(database)
    }

    /// One whose database has so much time for its answers that a slow machine decides nothing.
    private static func store(_ database: String) -> PostgresStore {
        var limits = AnswerLimits()
        limits.leases = .seconds(60)
        return PostgresStore(PostgresConfiguration(connection: database), limits: limits)
    }

    private func sql(_ text: String) throws { try PostgresServer.psql(text, in: database) }

    /// Lets time pass for the leases: nobody has to wait for it.
    private func pass(_ duration: Duration) throws {
        let interval = "interval '\(duration / .seconds(1)) seconds'"
        try sql("UPDATE lease SET expires = expires - \(interval); UPDATE share_member SET expires = expires - \(interval)")
    }

    private func replica(_ name: String, process: String? = nil) -> ReplicaName {
        ReplicaName(service: Self.service, name: name, process: process ?? name)
    }

    @Test("whoever takes a share from a replica that has gone ends what that one has open at the database, and nobody else's")
    func endsTheGone() async throws {
        try await leases.prepare(service: Self.service, shares: 4)
        for name in ["frozen", "alive"] {
            _ = try await leases.beat(replica(name), held: [], lease: Self.longLease)
        }
        _ = try await leases.claim([0, 1], for: replica("frozen"), lease: Self.longLease)
        _ = try await leases.claim([2], for: replica("alive"), lease: Self.longLease)
        // Busy rather than idle in their transactions, like one that sends rows: no time limit of the server's would end them.
        let folder = try TemporaryFolder("vigil-frozen")
        let sessions = try ["frozen", "alive"].map { name in
            try ChildProcess(
                "/usr/bin/psql", [database, "-c", "SELECT pg_sleep(300)"], output: folder.path(name),
                environment: ["PGAPPNAME": "vigil \(name)", "PATH": "/usr/bin:/bin"])
        }
        let busy = {
            try PostgresServer.psql(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(300)' AND state = 'active'", in: database)
        }
        try await eventually("both at work") { try busy() == "2" }
        try sql("UPDATE lease SET expires = now() - interval '1 s' WHERE owner = 'frozen'")
        _ = try await leases.claim([3], for: replica("alive"), lease: Self.longLease)
        #expect(try busy() == "2", "a share that was nobody's is no reason")
        try sql("UPDATE share_member SET expires = now() - interval '1 s' WHERE name = 'frozen'")
        #expect(try await leases.claim([0], for: replica("alive"), lease: Self.longLease).map(\.share) == [0])
        try await sessions[0].waitForExit()
        #expect(!sessions[1].hasEnded)
        sessions[1].signal(SIGKILL)
    }

    @Test(
        "does in every step what the model does, whatever is claimed, freed, killed or moved, and however the clock jumps", arguments: 1...6
    )
    func followsModel(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var book = LeaseBook(shares: 8)
        try await leases.prepare(service: Self.service, shares: 8)
        let names = ["a", "b", "c'; DROP TABLE lease; --"]
        var processes = names.map { replica($0) }
        var held: [String: [LeaseHold]] = [:]
        for step in 0..<120 {
            let one = Int.random(in: 0..<names.count, using: &random)
            let name = processes[one]
            switch Int.random(in: 0..<8, using: &random) {
            case 0...2:
                let mine = held[name.process] ?? []
                let expected = book.beat(name, held: mine, lease: Self.longLease)
                let view = try await beat(name, mine, Self.longLease)
                try #require(view.map(Seen.init) == expected.map(Seen.init), "seed \(seed), step \(step)")
            case 3:
                let wanted = (0..<8).filter { _ in Bool.random(using: &random) }
                let expected = book.claim(wanted, for: name, lease: Self.longLease)
                let holds = try await leases.claim(wanted, for: name, lease: Self.longLease)
                try #require(holds == expected, "seed \(seed), step \(step)")
                held[name.process, default: []] += holds
            case 4:
                guard let hold = held[name.process]?.randomElement(using: &random) else { continue }
                book.free(hold, of: name)
                try await leases.free(hold, of: name)
            case 5: processes[one] = replica(names[one], process: "\(names[one])-\(step)")
            case 6:
                let jump = Duration.seconds(1000 * Int.random(in: -20...20, using: &random))
                book.now += jump
                try pass(jump)
            default:
                let share = Int.random(in: 0..<8, using: &random)
                if book.view.members.contains(where: { $0.name == names[one] && $0.isAlive }) {
                    book.move(share, to: names[one])
                    try await leases.move(share, of: Self.service, to: names[one])
                } else {
                    await #expect(throws: ShareError.self) { try await leases.move(share, of: Self.service, to: names[one]) }
                }
            }
            try #require(try await leases.view(of: Self.service).map(Seen.init) == Seen(book.view), "seed \(seed), step \(step)")
        }
        await store.close()
    }

    /// What of a view does not hang on the microsecond.
    private struct Seen: Equatable {
        let rows: [String]
        let members: [String]

        init(_ view: LeaseView) {
            rows = view.rows.map { "\($0.share) \($0.owner ?? "-") \($0.epoch) \($0.isHeld) \($0.wanted ?? "-")" }
            members = view.members.map { "\($0.name) \($0.isAlive)" }
        }
    }

    /// Nil where the name is another process's.
    private func beat(_ replica: ReplicaName, _ held: [LeaseHold], _ lease: Duration) async throws -> LeaseView? {
        do throws(ShareError) {
            return try await leases.beat(replica, held: held, lease: lease)
        } catch {
            guard error.code == .nameTaken else { throw error }
            return nil
        }
    }

    @Test("many who claim at once get each share once")
    func claimsOnce() async throws {
        try await leases.prepare(service: Self.service, shares: 64)
        let stores = (0..<8).map { _ in Self.store(database) }
        for round in 1...5 {
            let holds = try await withThrowingTaskGroup(of: [LeaseHold].self) { tasks in
                for (number, store) in stores.enumerated() {
                    tasks.addTask { try await store.leases.claim(Array(0..<64), for: replica("r\(number)"), lease: Self.lease) }
                }
                return try await tasks.reduce(into: []) { $0 += $1 }
            }
            #expect(holds.map(\.share).sorted() == Array(0..<64))
            #expect(holds.allSatisfy { $0.epoch == round })
            try pass(.seconds(7))
        }
        for store in stores + [store] { await store.close() }
    }

    @Test("refuses another number of shares, in words that name both")
    func otherCount() async throws {
        try await leases.prepare(service: Self.service, shares: 16)
        try await leases.prepare(service: Self.service, shares: 16)
        let error = await #expect(throws: ShareError.self) { try await leases.prepare(service: Self.service, shares: 8) }
        #expect(error?.code == .otherCount)
        #expect(error?.detail == "vigil-test has 16 shares in this database, not 8: all replicas take the same number")
        await store.close()
    }

    private func batch(_ time: Int64) -> ObservationBatch {
        let moment = Timestamp(microseconds: 1_700_000_000_000_000 + time * 1_000_000)
        let one = Observation(metric: "heart-rate", time: moment, content: .value(60), unit: "/min")
        return ObservationBatch(
            id: ULID.make(at: moment),
            groups: [ObservationGroup(participant: "anna", source: "watch", received: moment, observations: [one])])
    }

    private func stored() throws -> String { try PostgresServer.psql("SELECT count(*) FROM reading", in: database) }

    @Test("what is written under an epoch that is over is refused, new or known, live or imported or an alert, and leaves nothing")
    func fences() async throws {
        try await leases.prepare(service: Self.service, shares: 4)
        let first = try #require(try await leases.claim([2], for: replica("a"), lease: Self.lease).first)
        let old = store.holding(first)
        #expect(try await old.append([batch(0)]).map(\.stored) == [1])
        try pass(.seconds(7))
        let second = try #require(try await leases.claim([2], for: replica("b"), lease: Self.lease).first)
        for attempt in 0..<2 {
            await #expect(throws: StoreError.self, "attempt \(attempt)") { try await old.append([batch(1)]) }
            let error = await #expect(throws: StoreError.self) { try await old.appendHistory([batch(0), batch(1)]) }
            #expect(error?.code == .leaseLost && error?.isRetryable == false)
        }
        var alert = AlertMessage(
            participant: "anna", rule: "tachycardia", sequence: 1, transition: "raised", cause: "reading", time: 1_700_000_000,
            decided: 1_700_000_000, state: "active", severity: "warning", priority: "medium", kind: "medical", group: "heart",
            since: 1_700_000_000, title: ["en": "Fast pulse"])
        (alert.metric, alert.value, alert.threshold) = ("heart-rate", 131.5, 130)
        await #expect(throws: StoreError.self) { try await old.append(alerts: [alert]) }
        #expect(try PostgresServer.psql("SELECT count(*) FROM alert_event", in: database) == "0")
        #expect(try stored() == "1")
        #expect(try await store.holding(second).append([batch(0), batch(1)]).map(\.duplicates) == [1, 0])
        #expect(try await store.append([batch(2)]).map(\.stored) == [1], "who works alone needs no lease")
        #expect(try stored() == "3")
        #expect(try await store.holding(second).append(alerts: [alert]).stored == 1)
        await store.close()
    }

    @Test("a process that is stopped in the middle of a transaction keeps its place from nobody")
    func frozenTransaction() async throws {
        try await leases.prepare(service: Self.service, shares: 1)
        let hold = try #require(try await leases.claim([0], for: replica("a"), lease: Self.lease).first)
        let other = Self.store(database)
        let (service, holder) = (Self.service, HeldTransaction())
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                // It has written the lease's row, as a renewal does, and then nothing is heard of it.
                await #expect(throws: ShareError.self) {
                    try await other.leases.transaction { connection throws(StoreError) in
                        _ = try connection.run("UPDATE lease SET expires = now() WHERE service = $1", [.text(service)])
                        holder.hold()
                    }
                }
            }
            try await eventually("the row is written") { holder.isHeld }
            defer { holder.letGo() }
            #expect(try await leases.claim([0], for: replica("b"), lease: Self.lease).isEmpty)
            try pass(.seconds(7))
            try await eventually("the claim") {
                try await !leases.claim([0], for: replica("b"), lease: Self.lease).isEmpty
            }
            holder.letGo()
            try await tasks.waitForAll()
        }
        await #expect(throws: StoreError.self) { try await store.holding(hold).append([batch(0)]) }
        for store in [store, other] { await store.close() }
    }

    @Test("a claim does not wait for a transaction that holds the lease, and a renewal goes on beside it")
    func claimWaitsForNobody() async throws {
        try await leases.prepare(service: Self.service, shares: 2)
        let hold = try #require(try await leases.claim([0], for: replica("a"), lease: Self.lease).first)
        let other = Self.store(database)
        let (service, lease) = (Self.service, Self.lease)
        try await other.open()
        let holder = HeldTransaction()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                try await other.record { connection throws(StoreError) in
                    _ = try connection.rows("SELECT hold_lease('vigil-test', 0, 1)")
                    holder.hold()
                }
            }
            try await eventually("the transaction holds the lease") { holder.isHeld }
            defer { holder.letGo() }
            _ = try await leases.beat(ReplicaName(service: service, name: "a", process: "a"), held: [hold], lease: lease)
            try pass(.seconds(7))
            #expect(try await leases.claim([0], for: replica("b"), lease: lease).isEmpty)
            holder.letGo()
            try await tasks.waitForAll()
        }
        #expect(try await leases.claim([0], for: replica("b"), lease: lease).map(\.epoch) == [2])
        for store in [store, other] { await store.close() }
    }
}

/// A transaction that a test keeps open on the database's thread, for a minute at most.
private final class HeldTransaction: Sendable {
    private let held = DispatchSemaphore(value: 0)
    private let state = Atomic<Bool>(false)

    var isHeld: Bool { state.load(ordering: .acquiring) }

    func hold() {
        state.store(true, ordering: .releasing)
        _ = held.wait(timeout: .now() + 60)
    }

    func letGo() { held.signal() }
}
