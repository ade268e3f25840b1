import MessageBus
import Observability
import ServiceKit
import Synchronization

/// Batches in, alerts out. A batch is acknowledged once its state is committed and its output has reached the broker.
/// After a failure it is returned, and processed again when the disk allows.
struct AlertPipeline<Batches: AsyncSequence & Sendable>: Service where Batches.Element == MessageBatch {
    /// The pauses after a failure, and after many in a row.
    private static var pauses: (first: Duration, longest: Duration) { (.milliseconds(200), .seconds(10)) }
    private let batches: Batches
    private let coordinator: AlertCoordinator
    private let log: Logger
    private let clock: any Clock<Duration>

    init(batches: Batches, coordinator: AlertCoordinator, log: Logger, clock: any Clock<Duration> = ContinuousClock()) {
        self.batches = batches
        self.coordinator = coordinator
        self.log = log
        self.clock = clock
    }

    func run() async throws {
        try await coordinator.publishLeftOver()
        var pause = Self.pauses.first
        for try await batch in batches {
            do {
                try await coordinator.take(batch.messages)
                batch.settle(.committed)
                pause = Self.pauses.first
            } catch {
                batch.settle(.rejected)
                if Task.isCancelled { return }
                log.error("batch given back", ["messages": "\(batch.messages.count)", "error": "\(error)"])
                try await clock.sleep(for: pause)
                pause = min(pause * 2, Self.pauses.longest)
            }
        }
        try await coordinator.finish()
    }
}

/// Runs the engine's timers between readings.
struct AlertTicker: Service {
    private let coordinator: AlertCoordinator
    private let interval: Duration
    private let log: Logger
    private let clock: any Clock<Duration>

    init(
        coordinator: AlertCoordinator, interval: Duration = .milliseconds(200), log: Logger, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.coordinator = coordinator
        self.interval = interval
        self.log = log
        self.clock = clock
    }

    func run() async throws {
        var failures = 0
        while !Task.isCancelled {
            do {
                try await coordinator.tick()
                failures = 0
            } catch {
                if Task.isCancelled { return }
                // Logged once, then once a minute.
                if failures % 60 == 0 { log.error("timers cannot run; trying again", ["error": "\(error)"]) }
                failures += 1
            }
            try await clock.sleep(for: failures == 0 ? interval : .seconds(1))
        }
    }
}

/// Reads the rules again on SIGHUP and on the command `reload`, one time after the other.
struct RuleReloader: Service {
    let coordinator: AlertCoordinator

    func run() async throws {
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { for await _ in ReloadSignals.stream() { coordinator.requestReload() } }
            tasks.addTask { try await coordinator.runReloads() }
            try await tasks.next()
            tasks.cancelAll()
        }
    }
}
