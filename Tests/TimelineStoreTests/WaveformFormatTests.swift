import Testing

@testable import TimelineStore

@Suite("Bytes of a waveform")
struct WaveformFormatTests {
    /// By the documented format: deltas zigzag-coded (0, -1, 1, -2 are 0, 1, 2, 3), seven bits a byte, lowest first.
    @Test(
        "are those of the documented format",
        arguments: [
            ([], [1, 0]), ([0], [1, 0, 0]), ([1], [1, 0, 2]), ([-1], [1, 0, 1]), ([0.5], [1, 1, 10]), ([0.25, 0.5], [1, 2, 50, 50]),
            ([63], [1, 0, 126]),
            ([64], [1, 0, 128, 1]), ([-64], [1, 0, 127]), ([-65], [1, 0, 129, 1]), ([8191], [1, 0, 254, 127]),
            ([8192], [1, 0, 128, 128, 1]),
            ([3, 1, 2], [1, 0, 6, 3, 2]), ([0.000000001], [1, 9, 2]), ([150, 150], [1, 0, 172, 2, 0]),
            ([-0.0], [2, 0, 0, 0, 0, 0, 0, 0, 0, 128]), ([1e-10], [2, 0, 0xBB, 0xBD, 0xD7, 0xD9, 0xDF, 0x7C, 0xDB, 0x3D]),
            ([9_007_199_254_740_991], [1, 0, 254, 255, 255, 255, 255, 255, 255, 31]),
            ([9_007_199_254_740_992], [2, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x43]),
            ([-9_007_199_254_740_992], [2, 0, 0, 0, 0, 0, 0, 0, 0x40, 0xC3]),
            ([.infinity, -.infinity], [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xF0, 0xF0, 0x7F, 0xFF]),
        ] as [([Double], [UInt8])])
    func format(samples: [Double], bytes: [UInt8]) {
        let zstd = ZstdContext()
        #expect(WaveformCodec.encode(samples, with: zstd) == bytes)
        #expect(WaveformCodec.decode(bytes, count: samples.count, with: zstd)?.map(\.bitPattern) == samples.map(\.bitPattern))
        #expect(WaveformCodec.decode(bytes, count: samples.count + 1, with: zstd) == nil)
    }

    @Test("are compressed from 64 on, where that makes them fewer")
    func compression() {
        let zstd = ZstdContext()
        func header(_ count: Int) -> UInt8 { WaveformCodec.encode([Double](repeating: 0, count: count), with: zstd)[0] }
        #expect(header(63) == 1 && header(64) == 129)
        // 64 bytes without any pattern do not become fewer.
        var state: UInt64 = 1
        let noise = (0..<64).map { _ -> Double in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(Int64(state >> 58) - 32)
        }
        #expect(WaveformCodec.encode(noise, with: zstd).count <= 66)
    }

    @Test(
        "are none of a number with more decimals than nine, of a strange form, or cut short",
        arguments: [
            [], [1], [1, 10, 2], [1, 255, 2], [3, 0, 2], [0, 0, 2], [131, 0, 2], [1, 0], [1, 0, 128], [1, 0, 2, 2], [1, 0, 2, 128],
            [2, 0, 0, 0, 0, 0, 0, 0, 0],
            [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [129, 0, 2], [130, 0],
        ] as [[UInt8]])
    func damaged(bytes: [UInt8]) { #expect(WaveformCodec.decode(bytes, count: 1, with: ZstdContext()) == nil) }

    @Test("of compressed samples are ten for one at the most: more come from damage alone")
    func longest() throws {
        let zstd = ZstdContext()
        for (length, isRead) in [(10, true), (11, false), (12, false)] {
            // 1, written with as many bytes as that.
            let number: [UInt8] = [130] + Array(repeating: 128, count: length - 2) + [0]
            #expect(WaveformCodec.decode([1, 0] + number, count: 1, with: zstd) == [1])
            let compressed = try #require(zstd.compress(number))
            #expect((WaveformCodec.decode([129, 0] + compressed, count: 1, with: zstd) == [1]) == isRead)
        }
    }

    @Test("of a million samples are read, and of none")
    func bounds() {
        let zstd = ZstdContext()
        let most = [Double](repeating: 0.5, count: 1_000_000)
        #expect(WaveformCodec.decode(WaveformCodec.encode(most, with: zstd), count: 1_000_000, with: zstd)?.count == 1_000_000)
        #expect(WaveformCodec.decode([1, 0], count: 0, with: zstd) == [] && WaveformCodec.decode([1, 0], count: -1, with: zstd) == nil)
    }

    @Test("of large and small numbers in turn take up to ten for one, compressed too")
    func large() {
        let zstd = ZstdContext()
        let samples = (0..<100).map { $0 % 2 == 0 ? 9_007_199_254_740_991.0 : -9_007_199_254_740_991 }
        let bytes = WaveformCodec.encode(samples, with: zstd)
        #expect(bytes[0] == 129 && WaveformCodec.decode(bytes, count: 100, with: zstd) == samples)
    }
}
