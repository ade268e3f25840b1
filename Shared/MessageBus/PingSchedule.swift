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

    /// How long to wait before looking at the library's own keep-alive, which counts in seconds and writes its pings itself. Not to be cut
    /// short by what is due here: between that and the library's ping the thread would turn round without waiting.
    var pause: Duration { min(interval / 2, .seconds(5)) }

    /// How long to wait at most while the owner itself has to ping.
    var untilNext: Duration { min(max(next - .now, .zero), pause) }
}
