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
}
