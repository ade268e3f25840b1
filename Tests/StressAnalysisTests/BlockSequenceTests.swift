import StressAnalysis
import Testing

@Suite("Order of blocks")
struct BlockSequenceTests {
    /// A ramp, so that every sample says where it belongs: 10 blocks of 25 samples at 25 Hz.
    private static let blocks = (0..<10).map { block in
        SampleBlock(start: 1000 + Double(block), period: 0.04, samples: (0..<25).map { Float(25 * block + $0) })
    }

    private static func play(_ blocks: [SampleBlock]) -> (samples: [Float], lost: Int, restarts: Int, sequence: BlockSequence) {
        var sequence = BlockSequence()
        var steps: [BlockSequence.Step] = []
        for block in blocks { sequence.add(block, into: &steps) }
        var samples: [Float] = []
        var (lost, restarts) = (0, 0)
        for step in steps {
            switch step {
            case .restart: restarts += 1
            case .skip(let count): lost += count
            case .samples(let part): samples += part
            }
        }
        return (samples, lost, restarts, sequence)
    }

    private static let ramp = (0..<250).map { Float($0) }

    @Test("passes blocks on as they come")
    func inOrder() {
        let result = Self.play(Self.blocks)
        #expect(result.samples == Self.ramp)
        #expect(result.lost == 0)
        #expect(result.restarts == 1)
        #expect(abs((result.sequence.end ?? 0) - 1010) < 1e-6)
        #expect(abs(result.sequence.time(of: 100) - 1004) < 1e-6)
    }

    @Test("puts blocks in order that come out of order")
    func outOfOrder() {
        let order = [0, 2, 1, 4, 5, 3, 6, 8, 7, 9].map { Self.blocks[$0] }
        let result = Self.play(order)
        #expect(result.samples == Self.ramp)
        #expect(result.lost == 0)
    }

    @Test("drops blocks that come twice")
    func duplicates() {
        let result = Self.play(Self.blocks.flatMap { [$0, $0] })
        #expect(result.samples == Self.ramp)
        #expect(result.sequence.dropped == 10)
    }

    @Test("cuts what overlaps")
    func overlaps() {
        let overlapping = (0..<10).map { block in
            let first = max(0, 25 * block - 10)
            return SampleBlock(start: 1000 + Double(first) * 0.04, period: 0.04, samples: Array(Self.ramp[first..<25 * (block + 1)]))
        }
        #expect(Self.play(overlapping).samples == Self.ramp)
    }

    @Test("waits for a missing block, then counts what is lost; the block comes too late")
    func missing() {
        let result = Self.play(Self.blocks.filter { $0.start != 1003 } + [Self.blocks[3]])
        #expect(result.samples == Self.ramp.filter { !(75..<100).contains($0) })
        #expect(result.lost == 25)
        #expect(result.sequence.dropped == 1)
        #expect(abs(result.sequence.time(of: 100) - 1004) < 1e-6)
    }

    @Test("starts anew after a long silence and when the rate changes")
    func restarts() {
        let later = SampleBlock(start: 2000, period: 0.04, samples: [1, 2, 3])
        #expect(Self.play(Self.blocks + [later]).restarts == 2)
        let slower = SampleBlock(start: 1010, period: 0.1, samples: [1, 2, 3])
        #expect(Self.play(Self.blocks + [slower]).restarts == 2)
    }

    @Test("follows a device whose clock runs a little differently from its rate")
    func drift() {
        let drifting = (0..<100).map {
            SampleBlock(start: 1000 + 1.0004 * Double($0), period: 0.04, samples: [Float](repeating: 0, count: 25))
        }
        let result = Self.play(drifting)
        #expect(result.samples.count == 2500)
        #expect(result.lost == 0)
        #expect(abs((result.sequence.end ?? 0) - 1100.04) < 0.01)
    }

    @Test("keeps a bounded number waiting", arguments: [0.0, -1, .nan, .infinity])
    func malformed(period: Double) {
        let result = Self.play([SampleBlock(start: 1000, period: period, samples: [1])] + Self.blocks)
        #expect(result.samples == Self.ramp)
    }

    // MARK: Bounds

    /// A block of 25 samples at 25 Hz.
    private static func block(_ start: Double, period: Double = 0.04, count: Int = 25) -> SampleBlock {
        SampleBlock(start: start, period: period, samples: [Float](repeating: 1, count: count))
    }

    /// What follows a second of signal that ends at 1001 s.
    private static func after(_ blocks: SampleBlock...) -> (lost: Int, samples: Int, restarts: Int, sequence: BlockSequence) {
        let result = play([block(1000)] + blocks)
        return (result.lost, result.samples.count, result.restarts, result.sequence)
    }

    /// Three quarters of a sample are 30 ms; of what comes too early more than half a sample is cut.
    @Test(
        "a block that is less than three quarters of a sample off is next",
        arguments: [(0.029, 0, 50), (0.031, 0, 25), (-0.019, 0, 50), (-0.029, 0, 49)])
    func next(off: Double, lost: Int, samples: Int) {
        let found = Self.after(Self.block(1001 + off))
        #expect(found.lost == lost && found.samples == samples)
    }

    @Test("a hole is told of once four seconds of signal stand behind it", arguments: [(4.0, 0), (4.01, 50)])
    func patience(end: Double, lost: Int) {
        // From 1003 on: two seconds are missing. The newest block ends as much behind what is known as it begins behind 1000.
        let found = Self.after(Self.block(1003), Self.block(1000 + end))
        #expect(found.lost == lost)
        #expect(BlockSequence.patience == 4)
    }

    @Test("sixty-four blocks wait at most", arguments: [(63, 0), (64, 1)])
    func waiting(count: Int, lost: Int) {
        // Behind a hole of one sample, each a hundredth of a second long.
        let blocks = (0..<count).map { Self.block(1001.04 + Double($0) * 0.05, period: 0.04, count: 1) }
        let result = Self.play([Self.block(1000)] + blocks.shuffledByHalves)
        #expect(result.lost == lost)
    }

    @Test("after a hole of more than a minute all begins anew", arguments: [(60.0, 1, 1500), (61, 2, 0)])
    func longest(gap: Double, restarts: Int, lost: Int) {
        let found = Self.after(Self.block(1001 + gap))
        #expect(found.restarts == restarts && found.lost == lost)
        #expect(
            abs((found.sequence.end ?? 0) - (1002 + gap)) < 1e-6
                && abs(found.sequence.time(of: 0) - (restarts == 2 ? 1001 + gap : 1000)) < 1e-6)
    }

    @Test("a period that is more than a hundredth off is another signal", arguments: [(0.0403, 1), (0.0405, 2), (0.0397, 1), (0.0395, 2)])
    func period(period: Double, restarts: Int) { #expect(Self.after(Self.block(1001, period: period)).restarts == restarts) }

    @Test(
        "what overlaps is cut, and what lies wholly before the end is dropped",
        arguments: [(0.0, 0, 1), (0.04, 1, 0), (0.4, 10, 0), (1, 25, 0)])
    func cut(from start: Double, samples: Int, dropped: Int) {
        let found = Self.after(Self.block(1000 + start))
        #expect(found.samples == 25 + samples && found.sequence.dropped == dropped && found.lost == 0)
        #expect(abs((found.sequence.end ?? 0) - (samples == 0 ? 1001 : 1001 + start)) < 1e-6)
    }

    @Test("a block's rate is told, and forgotten with all else")
    func rate() {
        var sequence = BlockSequence(), steps: [BlockSequence.Step] = []
        #expect(sequence.end == nil)
        sequence.add(Self.block(1000), into: &steps)
        guard case .restart(let rate)? = steps.first else { Issue.record("no start"); return }
        #expect(rate == 25 && steps.count == 2 && sequence.end == 1001)
        sequence.reset()
        #expect(sequence.end == nil && sequence.dropped == 0)
    }

    @Test("blocks without samples, without a time or with an impossible period are passed over", arguments: [9e-7, 10.1, 1e-6, 10])
    func impossible(period: Double) {
        let isPossible = period >= 1e-6 && period <= 10
        #expect(Self.play([Self.block(1000, period: period)]).restarts == (isPossible ? 1 : 0))
        #expect(Self.play([Self.block(1000, count: 0), Self.block(.nan), Self.block(.infinity)]).restarts == 0)
    }
}

extension Array {
    /// The second half before the first, so that nothing stands in order.
    fileprivate var shuffledByHalves: [Element] { Array(self[(count / 2)...]) + Array(self[..<(count / 2)]) }
}
