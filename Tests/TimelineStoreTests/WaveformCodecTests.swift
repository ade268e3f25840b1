import Testing
import VigilSchema

@testable import TimelineStore

@Suite("Waveform codec")
struct WaveformCodecTests {
    private static let blocks: [[Double]] = [
        [0], [-0.0], [0.1, 0.2, 0.30000000000000004], [.greatestFiniteMagnitude, -.leastNonzeroMagnitude, 1 / 3],
        [9_007_199_254_740_991, -9_007_199_254_740_991], (0..<1000).map { Double($0 % 37) / 100 - 0.2 },
        (0..<1000).map { Double(Float($0) / 7) }, (0..<200).map { _ in 5 },
        // Differences at both sides of where one more byte is needed.
        [0, 63, 127, 190, 126, 62, -2, -67], (0..<400).map { [0, 64, 8256, 8192][$0 % 4] }, [0, 8191, 16_383, 24_576, 16_384, 8191],
    ]

    @Test("gives every sample back bit for bit", arguments: blocks)
    func exact(_ samples: [Double]) throws {
        let zstd = ZstdContext()
        let decoded = try #require(WaveformCodec.decode(WaveformCodec.encode(samples, with: zstd), count: samples.count, with: zstd))
        #expect(decoded.map(\.bitPattern) == samples.map(\.bitPattern))
    }

    @Test("keeps a sensor's block under a byte and a half a sample")
    func size() {
        let samples = (0..<250).map { (Double(($0 * 7919) % 61) - 30).rounded() / 100 }
        #expect(WaveformCodec.encode(samples, with: ZstdContext()).count < 375)
    }

    @Test("takes broken bytes for nothing, whatever they are")
    func broken() {
        let zstd = ZstdContext()
        let good = WaveformCodec.encode((0..<300).map { Double($0 % 7) }, with: zstd)
        for index in good.indices {
            #expect(WaveformCodec.decode(Array(good[..<index]), count: 300, with: zstd) == nil)
        }
        #expect(WaveformCodec.decode([3, 0, 1], count: 1, with: zstd) == nil)
        #expect(WaveformCodec.decode([1, 10, 1], count: 1, with: zstd) == nil)
        #expect(WaveformCodec.decode([2, 0, 1], count: 1, with: zstd) == nil)
        #expect(WaveformCodec.decode([129, 0, 1, 2, 3], count: 1, with: zstd) == nil)
    }

    @Test("takes a number of samples for nothing that no block has", arguments: [Int.max, .max / 8, WaveformCodec.largestCount + 1, -1])
    func count(count: Int) {
        let zstd = ZstdContext()
        for form in [1, 2, 129, 130] as [UInt8] { #expect(WaveformCodec.decode([form, 0, 1, 2], count: count, with: zstd) == nil) }
    }

    @Test("cuts nothing from a block whose period is damaged", arguments: [0, -1, .nan, 1e300, .infinity])
    func period(period: Double) {
        let block = WaveformSegment(source: "test", time: Timestamp(microseconds: 0), period: period, samples: [1, 2])
        let cut = block.cut(from: Timestamp(microseconds: 1), to: Timestamp(microseconds: 253_402_300_800_000_000))
        #expect(cut == nil)
    }
}
