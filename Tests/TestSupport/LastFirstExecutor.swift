import Dispatch
import Synchronization

/// Runs one job at a time, and of those that wait the one that came last: the unlucky order, every time.
///
/// For code that does two things side by side, of which one is mostly first: `withTaskExecutorPreference(LastFirstExecutor()) { … }`.
package final class LastFirstExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isRunning = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "last-first")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let starts = state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { queue.async { self.drain() } }
    }

    private func drain() {
        while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func next() -> UnownedJob? {
        state.withLock { state in
            let job = state.jobs.popLast()
            state.isRunning = job != nil
            return job
        }
    }
}
