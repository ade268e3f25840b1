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

    /// By the documented format: the first number, then 4 times the number of grids + the order, the grids, the streams.
    @Test(
        "of predicted numbers are those of the documented format",
        arguments: [
            // Every error is 0: 255 in the place of the parameter.
            ([5, 5, 5, 5, 5, 5], [3, 0, 10, 0, 255]),
            // Second differences 2, 0, 0, …: zigzag 4, 0, 0, … with the parameter 0 are 00001, 1, 1, …
            ([0.5, 0.7, 0.9, 1.1, 1.3, 1.5, 1.7, 1.9, 2.1, 2.3], [3, 1, 10, 2, 0, 0b0000_1111, 0b1111_1000]),
            // 1, 0, 1, 0 as they are: zigzag 2, 0, 2, 0 with the parameter 0 are 001, 1, 001, 1.
            ([0, 1, 0, 1, 0, 1, 0, 1], [3, 0, 0, 0, 0, 0b0011_0011, 0b0011_0010]),
        ] as [([Double], [UInt8])])
    func predicted(samples: [Double], bytes: [UInt8]) {
        let zstd = ZstdContext()
        #expect(WaveformCodec.encode(samples, with: zstd) == bytes)
        #expect(WaveformCodec.decode(bytes, count: samples.count, with: zstd) == samples)
        for length in bytes.indices { #expect(WaveformCodec.decode(Array(bytes[..<length]), count: samples.count, with: zstd) == nil) }
        for count in [samples.count - 1, samples.count + 1] where bytes.last != 255 {
            #expect(WaveformCodec.decode(bytes, count: count, with: zstd) == nil)
        }
        #expect(WaveformCodec.decode(bytes + [0], count: samples.count, with: zstd) == nil)
    }

    @Test("of a signal that repeats itself in large steps are compressed by zstd, as all were before predicted numbers")
    func compression() {
        let zstd = ZstdContext()
        let steps = (0..<200).map { [0.0, 70_000, -65_000, 31_000, 90_001][$0 % 5] }
        let bytes = WaveformCodec.encode(steps, with: zstd)
        #expect(bytes[0] == 129 && bytes.count < 60 && WaveformCodec.decode(bytes, count: 200, with: zstd) == steps)
    }

    /// What version 0.1 wrote of 300 samples, 0 to 6 and again.
    @Test("of earlier versions are read")
    func earlier() throws {
        let zstd = ZstdContext()
        var deltas: [UInt8] = [0]
        for index in 1..<300 { deltas.append(index % 7 == 0 ? 11 : 2) }
        let compressed = try #require(zstd.compress(deltas))
        for bytes in [[1, 0] + deltas, [129, 0] + compressed] {
            #expect(WaveformCodec.decode(bytes, count: 300, with: zstd) == (0..<300).map { Double($0 % 7) })
        }
    }

    @Test(
        "are none of a number with more decimals than nine, of a strange form, or cut short",
        arguments: [
            [], [1], [1, 10, 2], [1, 255, 2], [3, 0, 2], [3, 10, 2, 0, 255], [3, 0, 2, 16, 255], [0, 0, 2], [4, 0, 2], [131, 0, 2], [1, 0],
            [1, 0, 128], [1, 0, 2, 2], [1, 0, 2, 128],
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
        // The differences are beyond what any Rice code has; zstd finds the two numbers.
        let bytes = WaveformCodec.encode(samples, with: zstd)
        #expect(bytes[0] == 129 && WaveformCodec.decode(bytes, count: 100, with: zstd) == samples)
    }
}
