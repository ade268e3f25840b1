import ServiceKit

/// Lets the engine's timers run between readings.
struct AlertTicker: Service {
    private let turn: AlertCoordinator
    private let interval: Duration
    private let clock: any Clock<Duration>

    init(turn: AlertCoordinator, interval: Duration = .milliseconds(200), clock: any Clock<Duration> = ContinuousClock()) {
        self.turn = turn
        self.interval = interval
        self.clock = clock
    }

    func run() async throws {
        while !Task.isCancelled {
            try await turn.tick()
            try await clock.sleep(for: interval)
        }
    }
}
