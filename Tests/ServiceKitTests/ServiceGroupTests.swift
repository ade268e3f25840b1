import Synchronization
import Testing

@testable import Observability
@testable import ServiceKit

@Suite("A service group")
struct ServiceGroupTests {
    private struct Failure: Error, Equatable { let name: String }

    /// The events, in order.
    private final class Journal: Sendable {
        private let lines = Mutex<[String]>([])
        func note(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    /// A member that runs until it is drained.
    private func member(_ name: String, _ journal: Journal) -> ServiceGroup.Member {
        let stop = Latch()
        return ServiceGroup.Member(name, draining: .request { stop.open() }, started: { journal.note("\(name) started") }) {
            await stop.wait()
            journal.note("\(name) ended")
        }
    }

    @Test("starts in order, ends with the first member to return, and drains the rest in reverse")
    func order() async throws {
        let journal = Journal()
        let last = ServiceGroup.Member("c") { journal.note("c ended") }
        try await ServiceGroup([member("a", journal), member("b", journal), last], stopOn: []).run()
        #expect(journal.all == ["a started", "b started", "c ended", "b ended", "a ended"])
    }

    @Test("throws the first failure after it drained the others")
    func failure() async {
        let journal = Journal()
        let failing = ServiceGroup.Member("b") { throw Failure(name: "b") }
        await #expect(throws: Failure(name: "b")) {
            try await ServiceGroup([member("a", journal), failing], stopOn: []).run()
        }
        #expect(journal.all.contains("a ended"))
    }

    @Test("does not start what depends on a member that failed to start")
    func dependency() async {
        let journal = Journal()
        let never = Latch()
        let failing = ServiceGroup.Member("a", started: { await never.wait() }) { throw Failure(name: "a") }
        await #expect(throws: Failure(name: "a")) {
            try await ServiceGroup([failing, member("b", journal)], stopOn: []).run()
        }
        #expect(journal.all == [])
    }

    @Test("asks also those to finish that were not started yet, for whom started ones wait")
    func unstarted() async throws {
        let journal = Journal()
        let (stop, source) = (Latch(), Latch())
        let lease = ServiceGroup.Member("lease") { await stop.wait() }
        let reader = ServiceGroup.Member("reader", draining: .endsByItself) {
            await source.wait()
            journal.note("reader ended, cancelled: \(Task.isCancelled)")
        }
        let connecting = ServiceGroup.Member(
            "connecting",
            started: {
                stop.open()
                await Latch().wait()
            }
        ) { await Latch().wait() }
        let consumer = ServiceGroup.Member("consumer", draining: .request { source.open() }) { journal.note("consumer ran") }
        try await ServiceGroup([lease, reader, connecting, consumer], deadline: .seconds(60), stopOn: []) { progress in
            if case .cancelled(let names) = progress { journal.note("late: \(names)") }
        }.run()
        #expect(journal.all == ["reader ended, cancelled: false"])
    }

    @Test("cancels a member that does not finish by the deadline, and says which")
    func deadline() async throws {
        let journal = Journal()
        let stubborn = ServiceGroup.Member("stubborn", draining: .request {}) {
            await Latch().wait()
            journal.note("cancelled: \(Task.isCancelled)")
        }
        let done = ServiceGroup.Member("done") {}
        let group = ServiceGroup([stubborn, done], deadline: .milliseconds(20), stopOn: []) { progress in
            if case .cancelled(let names) = progress { journal.note("late: \(names)") }
        }
        try await group.run()
        #expect(journal.all == ["late: [\"stubborn\"]", "cancelled: true"])
    }

    @Test("takes the end of a cancelled member for no failure")
    func cancelling() async throws {
        let sleeper = ServiceGroup.Member("sleeper") {
            await Latch().wait()
            throw Failure(name: "sleeper")
        }
        try await ServiceGroup([sleeper, ServiceGroup.Member("done") {}], stopOn: []).run()
    }

    @Test("ends when its own task is cancelled")
    func cancelled() async throws {
        let journal = Journal()
        let running = Latch()
        let group = ServiceGroup([member("a", journal)], stopOn: []) { if $0 == .running { running.open() } }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            await running.wait()
            tasks.cancelAll()
            try await tasks.waitForAll()
        }
        #expect(journal.all == ["a started", "a ended"])
    }
}
