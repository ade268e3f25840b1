import SensorIngest
import Testing
import VigilSchema

@Suite("What devices are watched for")
struct DeviceWatchTests {
    private let start = Timestamp(seconds: 1_700_000_000)

    /// Feeds readings that lag by so many seconds, one every five seconds, and returns the offsets told, in seconds.
    private func verdicts(_ lags: [Double]) -> [Int64?] {
        var watch = ClockSkewEstimator()
        var told: [Int64?] = []
        for (index, lag) in lags.enumerated() {
            let received = start.advanced(bySeconds: Double(index) * 5)
            if watch.observe(newest: received.advanced(bySeconds: -lag), received: received) {
                told.append(watch.offset.map { $0 / 1_000_000 })
            }
        }
        return told
    }

    @Test("tells once of a clock that is behind, and once of one that is ahead")
    func clockOff() {
        #expect(verdicts(Array(repeating: 7200, count: 60)) == [7200])
        #expect(verdicts(Array(repeating: -300, count: 60)) == [-300])
    }

    @Test("tells nothing of a right clock whose readings come late now and then")
    func clockRight() {
        #expect(verdicts((0..<60).map { $0 % 3 == 0 ? 2 : 500 }).isEmpty)
    }

    @Test("tells when a clock is right again, and when it moved")
    func clockMoves() {
        #expect(verdicts(Array(repeating: 7200, count: 30) + Array(repeating: 1, count: 30)) == [7200, nil])
        #expect(verdicts(Array(repeating: 7200, count: 30) + Array(repeating: 7250, count: 30)) == [7200])
        #expect(verdicts(Array(repeating: 7200, count: 30) + Array(repeating: 9000, count: 30)) == [7200, 9000])
    }

    @Test("holds back only readings that were repeated often and bring their time")
    func flood() {
        var watch = DuplicateFilter()
        let payload = Array("same".utf8)
        let held = (0..<20).map { _ in
            let isHeld = watch.isFlood(payload, first: start, at: start)
            if !isHeld { watch.note(payload, first: start, at: start) }
            return isHeld
        }
        #expect(held == (0..<20).map { $0 >= DuplicateFilter.tolerated })
        let other = watch.isFlood(Array("other".utf8), first: start, at: start)
        #expect(!other)
        let stamped = (0..<20).map { _ in watch.isFlood(payload, first: nil, at: start) }
        #expect(stamped == Array(repeating: false, count: 20))
    }

    @Test("lets a burst pass, refuses what exceeds the rate, and tells each minute while it lasts")
    func rate() {
        var watch = RateGuard()
        let burst = (0..<110).map { _ in watch.take(rate: 10, at: start).isAllowed }
        #expect(burst == Array(repeating: true, count: 100) + Array(repeating: false, count: 10))
        var told = 0, allowed = 0
        for tenth in 1...2000 {
            let result = watch.take(rate: 10, at: start.advanced(bySeconds: Double(tenth) / 20))
            if result.isSustained { told += 1 }
            if result.isAllowed { allowed += 1 }
        }
        #expect(told == 1 && (990...1010).contains(allowed))
        #expect(watch.take(rate: 10, at: start.advanced(bySeconds: 10_000)).isAllowed)
    }
}
