import Shares
import TestSupport
import Testing

@testable import StressAnalysis

@Suite("Engines that are kept while a connection is away")
struct KeptEnginesTests {
    private let clock = StandingClock()

    private func hold(_ epoch: Int64, share: Int = 3) -> LeaseHold { LeaseHold(service: "vigil-stress", share: share, epoch: epoch) }

    private func kept() -> KeptEngines {
        let kept = KeptEngines { [clock] in clock.now }
        kept.keep(StressEngine(), hold(7))
        return kept
    }

    @Test("one goes on under the same right and under the next, as nobody had the share in between", arguments: [7, 8])
    func taken(epoch: Int64) {
        let kept = kept()
        #expect(kept.take(hold(epoch)) != nil)
        #expect(kept.take(hold(epoch)) == nil)
    }

    @Test("one does not go on where another had the share in between, and is not asked for again")
    func foreign() {
        let kept = kept()
        #expect(kept.take(hold(9)) == nil)
        #expect(kept.take(hold(7)) == nil)
    }

    @Test("each share has its own, and the latest counts")
    func shares() {
        let kept = kept()
        #expect(kept.take(hold(7, share: 4)) == nil)
        kept.keep(StressEngine(), hold(9))
        #expect(kept.take(hold(10)) != nil)
    }

    @Test("one is kept for two minutes, and no longer", arguments: [(119, true), (120, false)])
    func time(seconds: Int, isKept: Bool) {
        let kept = kept()
        clock.pass(.seconds(seconds))
        #expect((kept.take(hold(7)) != nil) == isKept)
    }
}
