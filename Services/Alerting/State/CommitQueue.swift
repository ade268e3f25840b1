import Observability
import Synchronization
import TimelineStore

/// The commits of one core that its database has not confirmed yet, in order. The core adds commits, and `run` executes
/// them.
///
/// A temporary failure is retried for ever. Any other ends the queue and with it the core; the queued commits then
/// never happened, because none of their output has left. A commit with a lost answer is not repeated, because the
/// database numbers commits. Threading: callable from any task; one task runs it.
final class CommitQueue: Sendable {
    /// A transaction of the core.
    struct Commit: Sendable {
        var statements: [SQLStatement]
        /// The number of the newest entry of the event log after it.
        var entry: Int64
        /// An erasure in addition to its statements.
        var erasure: (participant: String, Erasure)?
        /// The number of the commit in the share.
        fileprivate(set) var number: Int64 = 0

        init(_ statements: [SQLStatement], entry: Int64, erasure: (participant: String, Erasure)? = nil) {
            (self.statements, self.entry, self.erasure) = (statements, entry, erasure)
        }
    }

    private struct State {
        var queue: [Commit] = []
        var last: Int64
        var confirmed: Int64
        var confirmedEntry: Int64
        /// The time since which the first in the queue has waited.
        var since: ContinuousClock.Instant?
        var failure: (any Error)?
        var isDraining = false
    }

    /// The most statements of one transaction, unless a single commit has more.
    private static let width = 1000
    private static let (firstPause, longestPause) = (Duration.milliseconds(50), Duration.milliseconds(500))
    private let state: Mutex<State>
    private let news = Signal()
    private let log: Logger
    private let clock: any Clock<Duration>
    private let perform: @Sendable ([Commit]) async throws(StoreError) -> Int64

    /// Signalled after each confirmation and at the end.
    let progress = Signal()

    /// - Parameters:
    ///   - position: the number of the share's last commit.
    ///   - entry: the number of the newest entry of its event log.
    ///   - perform: executes commits in one transaction, and returns the number of the last durable one.
    init(
        position: Int64, entry: Int64, log: Logger, clock: any Clock<Duration> = ContinuousClock(),
        perform: @escaping @Sendable ([Commit]) async throws(StoreError) -> Int64
    ) {
        state = Mutex(State(last: position, confirmed: position, confirmedEntry: entry))
        (self.log, self.clock, self.perform) = (log, clock, perform)
    }

    /// The number of the newest commit.
    var last: Int64 { state.withLock { $0.last } }
    /// The number of the last durable commit.
    var confirmed: Int64 { state.withLock { $0.confirmed } }
    /// The newest durable entry of the event log.
    var confirmedEntry: Int64 { state.withLock { $0.confirmedEntry } }
    /// The number of commits that are not durable.
    var count: Int { state.withLock { $0.queue.count } }
    /// The reason for the end.
    var failure: (any Error)? { state.withLock { $0.failure } }
    /// The waiting time of the oldest commit; zero: none.
    var age: Duration { state.withLock { $0.since.map { .now - $0 } ?? .zero } }

    /// Adds a commit.
    /// - Throws: if the queue has ended.
    func add(_ commit: Commit) throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.last += 1
            if state.since == nil { state.since = .now }
            var commit = commit
            commit.number = state.last
            state.queue.append(commit)
        }
        news.signal()
    }

    /// Makes `run` return once everything is durable.
    func drain() {
        state.withLock { $0.isDraining = true }
        news.signal()
    }

    /// Executes commits until it is drained or cannot continue.
    func run() async throws {
        defer { end(CancellationError()) }
        // Time in which nobody asked the database does not count as its silence.
        state.withLock { if $0.since != nil { $0.since = .now } }
        // Zero while the database answers.
        var pause: Duration?
        while let work = await next() {
            do throws(StoreError) {
                confirm(upTo: try await perform(work))
                if pause != nil { log.notice("the state's database answers again") }
                pause = nil
            } catch {
                if Task.isCancelled { throw CancellationError() }
                guard error.isRetryable else {
                    end(error)
                    throw error
                }
                if pause == nil { log.error("the state's database does not answer; judging on", ["error": error.description]) }
                let next = pause.map { min($0 * 2, Self.longestPause) } ?? Self.firstPause
                pause = next
                try await clock.sleep(for: next)
            }
        }
    }

    /// Executes the queue, for callers without a task.
    func flush() async throws {
        while case let work = state.withLock({ Self.head($0.queue) }), !work.isEmpty {
            do throws(StoreError) {
                confirm(upTo: try await perform(work))
            } catch {
                end(error)
                throw error
            }
        }
    }

    /// The commits that are executed together; nil: nothing is left after draining.
    private func next() async -> [Commit]? {
        while !Task.isCancelled {
            let (work, isOver) = state.withLock { (Self.head($0.queue), $0.isDraining) }
            if !work.isEmpty { return work }
            if isOver { return nil }
            await news.wait()
        }
        return nil
    }

    /// An erasure is executed alone.
    private static func head(_ queue: [Commit]) -> [Commit] {
        guard let first = queue.first, first.erasure == nil else { return Array(queue.prefix(1)) }
        var (work, count) = ([first], first.statements.count)
        for commit in queue.dropFirst() {
            count += commit.statements.count
            guard commit.erasure == nil, count <= width else { break }
            work.append(commit)
        }
        return work
    }

    private func confirm(upTo number: Int64) {
        state.withLock { state in
            for commit in state.queue where commit.number <= number { state.confirmedEntry = max(state.confirmedEntry, commit.entry) }
            state.queue.removeAll { $0.number <= number }
            state.confirmed = max(state.confirmed, number)
            state.since = state.queue.isEmpty ? nil : .now
        }
        progress.signal()
    }

    private func end(_ error: any Error) {
        state.withLock { state in
            state.failure = state.failure ?? error
            state.queue = []
        }
        progress.signal()
    }
}
