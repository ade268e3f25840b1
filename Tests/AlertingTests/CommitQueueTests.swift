import Observability
import Synchronization
import TestSupport
import Testing
import TimelineStore

@testable import Alerting

@Suite("The commits that a database has not confirmed", .timeLimit(.minutes(2)))
struct CommitQueueTests {
    /// A database that notes what it is asked for, and fails as often as it is told to.
    private final class Database: Sendable {
        struct State {
            var asked: [[Int64]] = []
            var times: [ImmediateClock.Instant] = []
            var failures: [StoreError] = []
            /// The most commits that it makes durable at once.
            var width = Int.max
        }

        let state = Mutex(State())
        let clock = ImmediateClock()

        func perform(_ work: [CommitQueue.Commit]) throws(StoreError) -> Int64 {
            let (failure, last) = state.withLock { state -> (StoreError?, Int64) in
                state.asked.append(work.map(\.number))
                state.times.append(clock.now)
                return (state.failures.isEmpty ? nil : state.failures.removeFirst(), work.prefix(state.width).last?.number ?? 0)
            }
            if let failure { throw failure }
            return last
        }

        var asked: [[Int64]] { state.withLock { $0.asked } }
    }

    private static func queue(
        _ database: Database, position: Int64 = 0, entry: Int64 = 0, log: Logger = Logger(service: "test", level: .error)
    ) -> CommitQueue {
        CommitQueue(
            position: position, entry: entry, log: log, clock: database.clock
        ) { work throws(StoreError) in try database.perform(work) }
    }

    private static func commit(_ statements: Int = 1, entry: Int64 = 0, isErasure: Bool = false) -> CommitQueue.Commit {
        CommitQueue.Commit(
            (0..<statements).map { _ in SQLStatement("SELECT 1", []) }, entry: entry,
            erasure: isErasure ? ("12", Erasure(Erasure.Removed())) : nil)
    }

    @Test("are numbered on from the share's last, and confirmed together with the entries they bring")
    func numbers() async throws {
        let database = Database()
        let queue = Self.queue(database, position: 7, entry: 30)
        #expect(queue.last == 7 && queue.confirmed == 7 && queue.confirmedEntry == 30 && queue.count == 0 && queue.age == .zero)
        try queue.add(Self.commit(entry: 33))
        try queue.add(Self.commit(entry: 31))
        #expect(queue.last == 9 && queue.confirmed == 7 && queue.confirmedEntry == 30 && queue.count == 2 && queue.age > .zero)
        try await queue.flush()
        #expect(database.asked == [[8, 9]])
        #expect(queue.confirmed == 9 && queue.confirmedEntry == 33 && queue.count == 0 && queue.age == .zero && queue.failure == nil)
        try await queue.flush()
        #expect(database.asked.count == 1, "nothing is left")
    }

    @Test(
        "go together up to a thousand statements, an erasure by itself",
        arguments: [
            ([600, 400, 1], [], [[1, 2], [3]]), ([600, 401, 1], [], [[1], [2, 3]]), ([1001, 1], [], [[1], [2]]),
            ([1000, 0, 1], [], [[1, 2], [3]]), ([1, 1, 1, 1], [1], [[1], [2], [3, 4]]), ([1, 1], [0], [[1], [2]]),
            ([1, 1, 1], [2], [[1, 2], [3]]),
        ] as [([Int], [Int], [[Int64]])])
    func widths(sizes: [Int], erasures: [Int], wanted: [[Int64]]) async throws {
        let database = Database()
        let queue = Self.queue(database)
        for (index, size) in sizes.enumerated() { try queue.add(Self.commit(size, isErasure: erasures.contains(index))) }
        try await queue.flush()
        #expect(database.asked == wanted)
    }

    @Test("that the database did not reach are asked for again, and only what it reached counts")
    func partly() async throws {
        let database = Database()
        let queue = Self.queue(database)
        database.state.withLock { $0.width = 1 }
        for entry in [5, 6, 4] as [Int64] { try queue.add(Self.commit(entry: entry)) }
        try await queue.flush()
        #expect(database.asked == [[1, 2, 3], [2, 3], [3]])
        #expect(queue.confirmed == 3 && queue.confirmedEntry == 6)
    }

    @Test("end with the first failure that no retry mends: what waits never happened, and nothing more is taken")
    func end() async throws {
        let database = Database()
        let queue = Self.queue(database)
        let failure = StoreError(.leaseLost, operation: "commit", detail: "another has it")
        database.state.withLock { $0.failures = [failure] }
        try queue.add(Self.commit(entry: 5))
        await #expect(throws: failure) { try await queue.flush() }
        #expect(queue.count == 0 && queue.confirmed == 0 && queue.confirmedEntry == 0 && queue.failure as? StoreError == failure)
        #expect(throws: failure) { try queue.add(Self.commit()) }
        #expect(queue.last == 1)
        // What comes later does not hide why it ended.
        queue.drain()
        try await queue.run()
        #expect(queue.failure as? StoreError == failure)
    }

    @Test("are tried for ever while the database does not answer, after pauses that grow up to half a second, anew each time")
    func retries() async throws {
        let database = Database()
        let queue = Self.queue(database)
        let away = StoreError(.unavailable, operation: "commit", detail: "away")
        database.state.withLock { state in
            state.failures = Array(repeating: away, count: 12)
            state.width = 1
        }
        try queue.add(Self.commit())
        try queue.add(Self.commit())
        queue.drain()
        try await queue.run()
        #expect(queue.confirmed == 2 && database.asked.count == 14)
        #expect(queue.failure is CancellationError, "it has ended")
        let times = database.state.withLock { $0.times }
        let pauses = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(Array(pauses[..<6]) == [50, 100, 200, 400, 500, 500].map { Duration.milliseconds($0) })
        #expect(pauses[6..<12].allSatisfy { $0 == .milliseconds(500) } && pauses[12] == .zero)
    }

    @Test("wait anew where the database went away again, which is told once each time, as is its return")
    func again() async throws {
        let (database, log) = (Database(), LogLines())
        let queue = Self.queue(database, log: log.logger)
        let failure = StoreError(.conflict, operation: "commit", detail: "in the way")
        database.state.withLock { $0.failures = [failure, failure, failure] }
        try await withRunning({ try await queue.run() }, stop: { queue.drain() }) {
            try queue.add(Self.commit())
            try await eventually("the first") { queue.confirmed == 1 }
            let count = database.asked.count
            database.state.withLock { $0.failures = [failure] }
            try queue.add(Self.commit())
            try await eventually("the second") { queue.confirmed == 2 }
            let times = database.state.withLock { $0.times }
            #expect(count == 4 && times[5] - times[4] == .milliseconds(50) && times[1] - times[0] == .milliseconds(50))
        }
        let (away, back) = ("error: the state's database does not answer; judging on", "notice: the state's database answers again")
        #expect(log.lines == [away, back, away, back])
    }

    @Test("count the database's silence from when it is asked, not from when there was something to ask")
    func silence() async throws {
        let asked = Mutex<[Duration]>([])
        let own = Mutex<CommitQueue?>(nil)
        let queue = CommitQueue(position: 0, entry: 0, log: Logger(service: "test", level: .error)) { work throws(StoreError) in
            if let age = own.withLock({ $0?.age }) { asked.withLock { $0.append(age) } }
            return work.last?.number ?? 0
        }
        own.withLock { $0 = queue }
        try queue.add(Self.commit())
        try await eventually("some time") { queue.age > .seconds(1) }
        queue.drain()
        try await queue.run()
        own.withLock { $0 = nil }
        #expect(asked.withLock { $0.count == 1 && $0[0] < .seconds(1) })
    }

    @Test("end at once where a failure cannot be mended while they run")
    func failing() async throws {
        let database = Database()
        let queue = Self.queue(database)
        let failure = StoreError(.refused, operation: "commit", detail: "no")
        database.state.withLock { $0.failures = [failure] }
        try queue.add(Self.commit())
        await #expect(throws: failure) { try await queue.run() }
        #expect(database.asked.count == 1 && queue.count == 0 && queue.failure as? StoreError == failure)
    }
}
