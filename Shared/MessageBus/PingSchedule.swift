/// The schedule by which the broker must hear from us, so that it does not drop the connection: twice in the keep-alive.
///
/// A value without I/O: what asks it at another time than the present says so.
struct PingSchedule {
    typealias Instant = ContinuousClock.Instant

    private let interval: Duration
    private var next: Instant

    init(keepAlive: Duration, at now: Instant = .now) {
        interval = keepAlive / 2
        next = now + interval
    }

    /// Something was written.
    mutating func wrote(at now: Instant = .now) {
        next = now + interval
    }

    var isDue: Bool { isDue(at: .now) }

    func isDue(at now: Instant) -> Bool { now >= next }

    /// Nothing could be written for one and a half times the keep-alive.
    var isOverdue: Bool { isOverdue(at: .now) }

    func isOverdue(at now: Instant) -> Bool { now >= next + interval * 2 }

    /// The time to wait before looking at the library's own keep-alive, which counts in seconds and writes its pings itself. Not to be cut
    /// short by what is due here: between that and the library's ping the thread would turn round without waiting.
    var pause: Duration { min(interval / 2, .seconds(5)) }

    /// The time to wait at most while the owner itself has to ping.
    var untilNext: Duration { untilNext(at: .now) }

    func untilNext(at now: Instant) -> Duration { min(max(next - now, .zero), pause) }
}
