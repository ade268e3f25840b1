/// When the broker must hear from us next, so that it does not drop the connection: twice in the keep-alive.
struct PingSchedule {
    private let interval: Duration
    private var next: ContinuousClock.Instant

    init(keepAlive: Duration) {
        interval = keepAlive / 2
        next = .now + interval
    }

    /// Something was written.
    mutating func wrote() {
        next = .now + interval
    }

    var isDue: Bool { ContinuousClock.now >= next }

    /// Nothing could be written for one and a half times the keep-alive.
    var isOverdue: Bool { ContinuousClock.now >= next + interval * 2 }

    /// At most a few seconds, for the library's own keep-alive counts in seconds.
    var untilNext: Duration { min(max(next - .now, .zero), min(interval / 2, .seconds(5))) }
}
