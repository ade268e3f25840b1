import Testing

@testable import MessageBus

@Suite("The schedule of pings")
struct PingScheduleTests {
    private let start = ContinuousClock.now

    @Test("has a ping due twice in the keep-alive, and counts from what was written last")
    func due() {
        var pings = PingSchedule(keepAlive: .seconds(12), at: start)
        #expect(!pings.isDue(at: start + .milliseconds(5_999)))
        #expect(pings.isDue(at: start + .seconds(6)))
        pings.wrote(at: start + .seconds(4))
        #expect(!pings.isDue(at: start + .milliseconds(9_999)))
        #expect(pings.isDue(at: start + .seconds(10)))
    }

    @Test("is overdue one and a half keep-alives after what was written last, when the broker may hang up")
    func overdue() {
        var pings = PingSchedule(keepAlive: .seconds(12), at: start)
        #expect(!pings.isOverdue(at: start + .milliseconds(17_999)))
        #expect(pings.isOverdue(at: start + .seconds(18)))
        pings.wrote(at: start + .seconds(1))
        #expect(!pings.isOverdue(at: start + .milliseconds(18_999)))
        #expect(pings.isOverdue(at: start + .seconds(19)))
    }

    @Test(
        "lets the library's keep-alive be looked at four times in it, and every five seconds at least",
        arguments: [(4, 1_000), (12, 3_000), (19, 4_750), (20, 5_000), (21, 5_000), (600, 5_000)])
    func pause(keepAlive: Int, milliseconds: Int) {
        #expect(PingSchedule(keepAlive: .seconds(keepAlive), at: start).pause == .milliseconds(milliseconds))
    }

    @Test(
        "waits until the next ping, for no longer than that look, and never for less than no time",
        arguments: [(0, 3_000), (3_000, 3_000), (3_001, 2_999), (5_500, 500), (6_000, 0), (9_000, 0)])
    func untilNext(after: Int, milliseconds: Int) {
        let pings = PingSchedule(keepAlive: .seconds(12), at: start)
        #expect(pings.untilNext(at: start + .milliseconds(after)) == .milliseconds(milliseconds))
    }

    @Test("is about the present where no other time is given")
    func present() {
        let pings = PingSchedule(keepAlive: .seconds(7_200))
        #expect(!pings.isDue && !pings.isOverdue && pings.untilNext == .seconds(5))
        let past = PingSchedule(keepAlive: .seconds(2), at: .now - .seconds(100))
        #expect(past.isDue && past.isOverdue && past.untilNext == .zero)
    }
}
