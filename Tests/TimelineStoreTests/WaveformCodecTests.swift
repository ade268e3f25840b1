import Foundation
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

    /// Random walks, noise, sudden jumps, converters' grids with and without rounding, and mixtures, of 1 to 400 samples.
    @Test("gives every random signal back bit for bit", arguments: 0..<8)
    func random(_ kind: Int) throws {
        let zstd = ZstdContext()
        var random = Generator(state: UInt64(kind) + 1)
        for _ in 0..<400 {
            let samples = Self.signal(kind, &random)
            let bytes = WaveformCodec.encode(samples, with: zstd)
            let decoded = try #require(WaveformCodec.decode(bytes, count: samples.count, with: zstd))
            #expect(decoded.map(\.bitPattern) == samples.map(\.bitPattern))
        }
    }

    private static func signal(_ kind: Int, _ random: inout Generator) -> [Double] {
        let count = Int.random(in: 1...400, using: &random)
        let width = Int64(1) << Int64.random(in: 0...52, using: &random)
        let power = [1, 10, 1000, 1e5, 1e7][Int.random(in: 0..<5, using: &random)]
        let step = Double.random(in: 1...5000, using: &random)
        var walk: Int64 = 0
        return (0..<count).map { _ in
            walk += Int64.random(in: -9...9, using: &random)
            let jump = Int64.random(in: -width...width, using: &random)
            switch kind {
            case 0: return Double(walk) / power
            case 1: return Double(jump) / power
            case 2: return Double(walk) + (jump % 31 == 0 ? Double(jump) : 0)
            case 3: return (Double(walk) * step).rounded() / power
            case 4: return (Double(walk) / 1023 * 1e5).rounded() / 1e5
            case 5: return ((Double(walk) / 255 * 32_000).rounded() * 3.125e-5 * 1e7).rounded() / 1e7
            case 6: return Double(walk) * step
            default: return jump % 7 == 0 ? Double(jump) : (Double(walk) * 4.25).rounded() / 100
            }
        }
    }

    @Test("keeps an electrocardiogram and a scaled converter's breathing well below a byte a sample")
    func size() {
        let zstd = ZstdContext()
        let wave = (0..<250).map { Int((sin(Double($0) / 9) * 200 + sin(Double($0) / 2.3) * 15).rounded()) }
        #expect(WaveformCodec.encode(wave.map { Double($0) / 200 }, with: zstd).count < 170)
        // Ten bits, scaled to the range 0 to 1 and rounded to five decimals.
        let scaled = wave.map { (Double($0 + 512) / 1023 * 1e5).rounded() / 1e5 }
        #expect(WaveformCodec.encode(scaled, with: zstd).count < 220)
    }

    @Test("takes broken bytes for nothing, whatever they are")
    func broken() {
        let zstd = ZstdContext()
        let good = WaveformCodec.encode((0..<300).map { Double($0 % 7) }, with: zstd)
        for index in good.indices {
            #expect(WaveformCodec.decode(Array(good[..<index]), count: 300, with: zstd) == nil)
        }
        #expect(WaveformCodec.decode([4, 0, 1], count: 1, with: zstd) == nil)
        #expect(WaveformCodec.decode([1, 10, 1], count: 1, with: zstd) == nil)
        #expect(WaveformCodec.decode([2, 0, 1], count: 1, with: zstd) == nil)
        #expect(WaveformCodec.decode([129, 0, 1, 2, 3], count: 1, with: zstd) == nil)
    }

    @Test("takes a number of samples for nothing that no block has", arguments: [Int.max, .max / 8, WaveformCodec.largestCount + 1, -1])
    func count(count: Int) {
        let zstd = ZstdContext()
        for form in [1, 2, 3, 129, 130, 131] as [UInt8] { #expect(WaveformCodec.decode([form, 0, 1, 2], count: count, with: zstd) == nil) }
    }

    @Test("cuts nothing from a block whose period is damaged", arguments: [0, -1, .nan, 1e300, .infinity])
    func period(period: Double) {
        let block = WaveformSegment(source: "test", time: Timestamp(microseconds: 0), period: period, samples: [1, 2])
        let cut = block.cut(from: Timestamp(microseconds: 1), to: Timestamp(microseconds: 253_402_300_800_000_000))
        #expect(cut == nil)
    }
}
