import CZstd

/// Turns a block of samples into few bytes and back, bit for bit.
///
/// Format, which the database keeps in its `samples` columns (the number of samples is in the column `count`):
///
/// | byte | meaning |
/// |---|---|
/// | 0 | `1` decimal deltas, `2` raw doubles; + `128` when what follows the header is compressed by zstd |
/// | 1 | for decimal deltas the number of decimals `d`, 0…9; for raw doubles 0 |
/// | 2… | the payload |
///
/// Decimal deltas: sample i is `n[i] / 10^d` with whole `n`; the payload holds `n[0]`, `n[1] − n[0]`, … each zigzag-coded
/// (0, −1, 1, −2 → 0, 1, 2, 3) as a little-endian base-128 number (LEB128). A sensor's numbers have few decimals, and neighbours
/// are close: mostly one byte a sample. Raw doubles, for anything else: all lowest bytes of the IEEE 754 binary64
/// samples, then all second bytes, … all highest, because the high bytes of neighbours are alike.
enum WaveformCodec {
    private static let decimalDeltas: UInt8 = 1
    private static let rawDoubles: UInt8 = 2
    private static let compressed: UInt8 = 128
    /// Payloads below this many bytes do not gain by zstd, whose own header takes a dozen.
    private static let smallestCompressed = 64
    /// More samples than any block has: a damaged column must not ask for memory without end.
    static let largestCount = 1_000_000
    private static let powers: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

    /// The bytes for these samples.
    static func encode(_ samples: [Double], with zstd: ZstdContext) -> [UInt8] {
        var payload: [UInt8]
        var header: [UInt8]
        if let (decimals, numbers) = scaled(samples) {
            header = [decimalDeltas, UInt8(decimals)]
            payload = deltas(numbers)
        } else {
            header = [rawDoubles, 0]
            payload = shuffled(samples)
        }
        if payload.count >= smallestCompressed, let smaller = zstd.compress(payload), smaller.count < payload.count {
            header[0] |= compressed
            payload = smaller
        }
        return header + payload
    }

    /// The `count` samples that the bytes stand for; nil where they stand for nothing.
    static func decode(_ bytes: [UInt8], count: Int, with zstd: ZstdContext) -> [Double]? {
        guard bytes.count >= 2, (0...largestCount).contains(count) else { return nil }
        var payload = Array(bytes.dropFirst(2))
        if bytes[0] & compressed != 0 {
            // A sample takes ten bytes at most, in either form.
            guard let larger = zstd.decompress(payload, atMost: count * 10) else { return nil }
            payload = larger
        }
        switch bytes[0] & ~compressed {
        case decimalDeltas where Int(bytes[1]) < powers.count: return summed(payload, count: count, power: powers[Int(bytes[1])])
        case rawDoubles: return unshuffled(payload, count: count)
        default: return nil
        }
    }

    /// The fewest decimals with which every sample is exact, and the whole numbers.
    private static func scaled(_ samples: [Double]) -> (decimals: Int, numbers: [Int64])? {
        var decimals = 0
        var numbers = [Int64](repeating: 0, count: samples.count)
        var index = 0
        while index < samples.count {
            let number = (samples[index] * powers[decimals]).rounded()
            // Beyond 2^53 neighbouring whole numbers share a Double; and −0 has no whole number.
            if number.magnitude < 9_007_199_254_740_992,
                (number / powers[decimals]).bitPattern == samples[index].bitPattern, number.bitPattern != 1 << 63
            {
                numbers[index] = Int64(number)
                index += 1
            } else {
                decimals += 1
                index = 0
                if decimals == powers.count { return nil }
            }
        }
        return (decimals, numbers)
    }

    private static func deltas(_ numbers: [Int64]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(numbers.count * 2)
        var previous: Int64 = 0
        for number in numbers {
            let delta = number - previous
            previous = number
            var rest = UInt64(bitPattern: (delta << 1) ^ (delta >> 63))
            while rest >= 128 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
        return bytes
    }

    private static func summed(_ bytes: [UInt8], count: Int, power: Double) -> [Double]? {
        var samples: [Double] = []
        samples.reserveCapacity(min(count, bytes.count))
        var number: Int64 = 0
        var rest: UInt64 = 0
        var shift: UInt64 = 0
        for byte in bytes {
            rest |= UInt64(byte & 127) << shift
            shift += 7
            guard byte < 128 else { continue }
            number &+= Int64(bitPattern: rest >> 1) ^ -Int64(bitPattern: rest & 1)
            samples.append(Double(number) / power)
            rest = 0
            shift = 0
        }
        return samples.count == count && shift == 0 ? samples : nil
    }

    private static func shuffled(_ samples: [Double]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(samples.count * 8)
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            for sample in samples { bytes.append(UInt8(truncatingIfNeeded: sample.bitPattern >> shift)) }
        }
        return bytes
    }

    private static func unshuffled(_ bytes: [UInt8], count: Int) -> [Double]? {
        guard bytes.count == count * 8 else { return nil }
        return (0..<count).map { index in
            Double(bitPattern: (0..<8).reduce(0) { $0 | UInt64(bytes[$1 * count + index]) << UInt64($1 * 8) })
        }
    }
}

/// zstd's working memory, kept because making it costs more than compressing a block of samples.
///
/// Threading: as the connection that owns it, one thread at a time.
@safe final class ZstdContext {
    /// Level 1: on blocks of 100 samples higher levels take several times as long for a hundredth fewer bytes.
    private static let level: Int32 = 1

    private var compressor: OpaquePointer?
    private var decompressor: OpaquePointer?

    init() {
        unsafe compressor = ZSTD_createCCtx()
        unsafe decompressor = ZSTD_createDCtx()
    }

    deinit {
        unsafe ZSTD_freeCCtx(compressor)
        unsafe ZSTD_freeDCtx(decompressor)
    }

    /// The bytes compressed; nil where zstd cannot (no memory), so that the caller keeps them as they are.
    func compress(_ bytes: [UInt8]) -> [UInt8]? {
        guard unsafe compressor != nil else { return nil }
        let room = ZSTD_compressBound(bytes.count)
        var result: Int = 0
        let output = unsafe [UInt8](unsafeUninitializedCapacity: room) { target, count in
            result = unsafe bytes.withUnsafeBytes { source in
                unsafe ZSTD_compressCCtx(compressor, target.baseAddress, room, source.baseAddress, source.count, Self.level)
            }
            count = ZSTD_isError(result) == 0 ? result : 0
        }
        return ZSTD_isError(result) == 0 ? output : nil
    }

    /// The decompressed bytes; nil where they are not zstd's, or were more than `atMost` bytes.
    func decompress(_ bytes: [UInt8], atMost room: Int) -> [UInt8]? {
        guard unsafe decompressor != nil else { return nil }
        var result: Int = 0
        let output = unsafe [UInt8](unsafeUninitializedCapacity: room) { target, count in
            result = unsafe bytes.withUnsafeBytes { source in
                unsafe ZSTD_decompressDCtx(decompressor, target.baseAddress, room, source.baseAddress, source.count)
            }
            count = ZSTD_isError(result) == 0 ? result : 0
        }
        return ZSTD_isError(result) == 0 ? output : nil
    }
}
