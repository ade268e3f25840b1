import Dispatch

/// Runs an actor's jobs one after another outside Swift's cooperative threads, so that they may block.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            unsafe job.runSynchronously(on: self.asUnownedSerialExecutor())
        }
    }
}
