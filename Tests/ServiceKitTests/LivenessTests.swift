import Observability
import ServiceKit
import Synchronization
import Testing

@Suite("Liveness")
struct LivenessTests {
    private final class Time: Sendable {
        let now = Mutex(ContinuousClock.now)
        func pass(_ seconds: Int) { now.withLock { $0 = $0.advanced(by: .seconds(seconds)) } }
    }

    @Test("is lost by a part that takes work up again and again and finishes nothing of it")
    func circles() {
        let time = Time()
        let liveness = Liveness(limit: .seconds(60), now: { time.now.withLock { $0 } })
        for _ in 0..<7 {
            liveness.began("devices")
            time.pass(10)
        }
        #expect(liveness.stalled == ["devices"])
        #expect(liveness.secondsAtWork("devices") == 70)
        #expect(liveness.report == ["devices: at work for 70 s, nothing finished yet"])
        liveness.finished("devices")
        #expect(liveness.stalled.isEmpty)
    }

    @Test("is kept by a part that has nothing to do")
    func idle() {
        let time = Time()
        let liveness = Liveness(limit: .seconds(60), now: { time.now.withLock { $0 } })
        liveness.began("devices")
        time.pass(1)
        liveness.finished("devices")
        time.pass(9999)
        #expect(liveness.stalled.isEmpty && liveness.secondsAtWork("devices") == 0)
        #expect(liveness.report == ["devices: last finished 9999 s ago"])
    }
}
