import MessageBus
import Observability
import ServiceKit
import Settings
import Synchronization

/// Keeps one program running: restarts it when it ends, after a pause that grows while it keeps failing.
///
/// A program with wrong settings is not restarted: `run()` throws its message.
final class Supervisor: Service {
    /// An event for the operator.
    enum Event: Sendable, Equatable {
        case started(process: Int32)
        /// It ended unexpectedly.
        case died(status: Int32, again: Duration)
        case stopped
    }

    /// The exit codes for wrong settings or input files, which a restart does not cure.
    private static let hopeless = [ExitCode.usage, .data, .noInput, .configuration].map(\.rawValue)

    private struct State {
        var child: SupervisedProcess?
        var isStopping = false
    }

    let name: String
    private let launch: @Sendable () throws -> SupervisedProcess.Launch
    private let backoff: Backoff
    private let onEvent: @Sendable (Event) -> Void
    private let state = Mutex(State())
    private let stopping = Latch()

    /// - Parameter launch: returns how to start it, for each start.
    init(
        _ name: String, backoff: Backoff = Backoff(base: .milliseconds(500), maximum: .seconds(30), resetAfter: .seconds(30)),
        launch: @escaping @Sendable () throws -> SupervisedProcess.Launch, onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.name = name
        self.launch = launch
        self.backoff = backoff
        self.onEvent = onEvent
    }

    /// The child's process id while it runs.
    var process: Int32? { state.withLock { $0.child?.identifier } }

    /// Runs until `stop()`, and then until the child has ended; on cancellation the child is killed.
    func run() async throws {
        var attempt = 0
        while let child = try start() {
            let began = ContinuousClock.now
            onEvent(.started(process: child.identifier))
            guard let status = await child.exit() else { return child.signal(9) }
            state.withLock { $0.child = nil }
            if stopping.isOpen { break }
            if attempt == 0, Self.hopeless.contains(status) {
                throw CommandError(.configuration, "\(name) cannot start: \(child.lastWords)")
            }
            attempt = began.duration(to: .now) > backoff.resetAfter ? 1 : attempt + 1
            let pause = backoff.ceiling(attempt: attempt)
            onEvent(.died(status: status, again: pause))
            await wait(pause)
        }
        onEvent(.stopped)
    }

    /// Asks the child to end, and does not restart it.
    func stop() {
        let child = state.withLock { state in
            state.isStopping = true
            return state.child
        }
        stopping.open()
        child?.signal(15)
    }

    private func start() throws -> SupervisedProcess? {
        try state.withLock { state in
            guard !state.isStopping, !Task.isCancelled else { return nil }
            let child = try SupervisedProcess(launch())
            state.child = child
            return child
        }
    }

    private func wait(_ pause: Duration) async {
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try? await ContinuousClock().sleep(for: pause) }
            tasks.addTask { await self.stopping.wait() }
            await tasks.next()
            tasks.cancelAll()
        }
    }
}
