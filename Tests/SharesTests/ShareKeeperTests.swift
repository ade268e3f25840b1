import Observability
import Synchronization
import TestSupport
import Testing

@testable import Shares

@Suite("The keeper of shares", .timeLimit(.minutes(3)))
struct ShareKeeperTests {
    /// Works on whatever a keeper owns, and notes it.
    private final class Worker: Sendable {
        private let owned = Mutex<[Int: Int64]>([:])
        private let begun = Mutex<[LeaseHold]>([])
        private let ended = Mutex<[LeaseHold]>([])

        var shares: Set<Int> { Set(owned.withLock { $0.keys }) }
        /// Every beginning of work, in order.
        var beginnings: [LeaseHold] { begun.withLock { $0 } }

        /// Every end of work, in order.
        var ends: [LeaseHold] { ended.withLock { $0 } }

        func work(_ share: OwnedShare) async {
            owned.withLock { $0[share.share.number] = share.hold.epoch }
            begun.withLock { $0.append(share.hold) }
            await share.drain.wait()
            owned.withLock { $0[share.share.number] = nil }
            ended.withLock { $0.append(share.hold) }
        }
    }

    private func keeper(
        _ name: String, process: String? = nil, on book: SharedLeaseBook, work: @escaping @Sendable (OwnedShare) async throws -> Void
    ) -> ShareKeeper {
        var timing = LeaseTiming()
        (timing.lease, timing.renewal, timing.haste, timing.retry) = (
            .milliseconds(1500), .milliseconds(100), .milliseconds(10), .milliseconds(20)
        )
        return ShareKeeper(
            table: book, replica: ReplicaName(service: "vigil-test", name: name, process: process ?? name), count: book.rows.count,
            timing: timing,
            metrics: MetricsRegistry(), log: Logger(service: "test", level: .error, sink: { _ in }), work: work)
    }

    @Test("two divide the shares evenly, one that is drained gives its own to the other, and an orderly end gives all back")
    func divides() async throws {
        let book = SharedLeaseBook(shares: 4)
        let (first, second) = (Worker(), Worker())
        let (a, b) = (keeper("a", on: book, work: first.work), keeper("b", on: book, work: second.work))
        try await withRunning({ try await a.run() }, stop: { a.drain() }) {
            try await eventually("all shares") { first.shares.count == 4 }
            try await withRunning({ try await b.run() }, stop: { b.drain() }) {
                try await eventually("even shares") {
                    first.shares.count == 2 && second.shares.count == 2
                        && first.shares.isDisjoint(with: second.shares)
                }
                book.change { $0.drain("a", true) }
                try await eventually("everything moved") { first.shares.isEmpty && second.shares.count == 4 }
                book.change { $0.drain("a", false) }
                try await eventually("even shares again") {
                    first.shares.count == 2 && second.shares.count == 2
                }
            }
            try await eventually("all shares again") { first.shares.count == 4 }
        }
        #expect(book.rows.allSatisfy { $0.owner == nil })
        let epochs = Dictionary(grouping: first.beginnings + second.beginnings, by: \.share).mapValues { $0.map(\.epoch) }
        #expect(epochs.values.allSatisfy { Set($0).count == $0.count }, "each claim has an epoch of its own")
    }

    @Test("work that ends by itself begins again under the same lease")
    func restarts() async throws {
        let book = SharedLeaseBook(shares: 1)
        let worker = Worker()
        let ends = Atomic<Int>(0)
        let keeper = keeper("a", on: book) { share in
            // As with a connection that breaks, twice.
            if ends.add(1, ordering: .relaxed).newValue > 2 { await worker.work(share) }
        }
        try await withRunning({ try await keeper.run() }, stop: { keeper.drain() }) {
            try await eventually("the third beginning") { worker.shares == [0] }
        }
        #expect(worker.beginnings.map(\.epoch) == [1])
        #expect(book.rows[0].epoch == 1)
    }

    @Test("the owner goes on while the table is away, and stops once another has claimed the share")
    func away() async throws {
        let book = SharedLeaseBook(shares: 4)
        let worker = Worker()
        let keeper = keeper("a", on: book, work: worker.work)
        try await withRunning({ try await keeper.run() }, stop: { keeper.drain() }) {
            try await eventually("all shares") { worker.shares.count == 4 }
            book.isAway = true
            let away = ContinuousClock.now
            try await eventually("twice a lease") { ContinuousClock.now - away > .seconds(3) }
            #expect(worker.shares == [0, 1, 2, 3])
            let other = ReplicaName(service: "vigil-test", name: "b", process: "b")
            book.change { book in
                _ = book.beat(other, held: [], lease: .seconds(600))
                _ = book.claim([1], for: other, lease: .seconds(600))
            }
            #expect(worker.shares == [0, 1, 2, 3], "it cannot know")
            book.isAway = false
            try await eventually("the lost share stopped") { worker.ends.contains { $0.share == 1 && $0.epoch == 1 } }
        }
    }
}
