import CMosquitto
import Glibc

/// Runs blocking work on a thread made for it, so that it takes none from Swift's pool.
func onDedicatedThread<Value: Sendable>(named name: String, _ work: @escaping @Sendable () -> Value) async -> Value? {
    await withCheckedContinuation { continuation in
        let job = ThreadJob(name: name) { continuation.resume(returning: work()) }
        if !job.start() { continuation.resume(returning: nil) }
    }
}

/// The work of one thread, kept alive by it until it is done.
private final class ThreadJob: Sendable {
    private let name: String
    private let body: @Sendable () -> Void

    init(name: String, _ body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }

    /// False when the system has no thread to give; then nothing was run.
    func start() -> Bool {
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(self)
        let code = unsafe pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer = unsafe pointer else { return nil }
                unsafe Unmanaged<ThreadJob>.fromOpaque(pointer).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            unsafe context.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private func run() {
        unsafe vigil_name_thread(name)
        body()
    }
}
