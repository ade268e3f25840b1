/// Turns a block of samples into few bytes and back, bit for bit.
///
/// Format, which the database keeps in its `samples` columns (the number of samples is in the column `count`):
///
/// | byte | meaning |
/// |---|---|
/// | 0 | `1` decimal deltas, `2` raw doubles, `3` predicted decimals; + `128` when what follows the header is compressed by zstd |
/// | 1 | for decimals their number `d`, 0…9; for raw doubles 0 |
/// | 2… | the payload |
///
/// Decimals: sample i is `n[i] / 10^d` with whole `n`, since a sensor's numbers have few decimals. Predicted decimals hold `n` as
/// `PredictedNumbers` says, for most signals well below a byte a sample. Decimal deltas, for a few samples and for signals that
/// repeat themselves: `n[0]`, `n[1] − n[0]`, … each zigzag-coded (0, −1, 1, −2 → 0, 1, 2, 3) as a little-endian base-128 number
/// (LEB128). Raw doubles, for anything else: all lowest bytes of the IEEE 754 binary64 samples, then all second bytes, …
/// all highest, because the high bytes of neighbours are alike.
enum WaveformCodec {
    private static let decimalDeltas: UInt8 = 1
    private static let rawDoubles: UInt8 = 2
    private static let predictedDecimals: UInt8 = 3
    private static let compressed: UInt8 = 128
    /// Payloads below this many bytes do not gain by zstd, whose own header takes a dozen.
    private static let smallestCompressed = 64
    /// More samples than any block has: a damaged column must not ask for memory without end.
    static let largestCount = 1_000_000
    private static let powers: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

    /// The bytes for these samples.
    static func encode(_ samples: [Double], with zstd: ZstdContext) -> [UInt8] {
        guard let (decimals, numbers) = scaled(samples) else { return packed(rawDoubles, 0, shuffled(samples), zstd) }
        let predicted = [predictedDecimals, UInt8(decimals)] + PredictedNumbers.encode(numbers)
        // Deltas are worth a try only where prediction fails: they take a byte a sample or more before zstd sees them.
        if predicted.count < samples.count { return predicted }
        let repeated = packed(decimalDeltas, UInt8(decimals), deltas(numbers), zstd)
        return predicted.count < repeated.count ? predicted : repeated
    }

    /// The header and the payload, compressed where that makes it shorter.
    private static func packed(_ form: UInt8, _ decimals: UInt8, _ payload: [UInt8], _ zstd: ZstdContext) -> [UInt8] {
        guard payload.count >= smallestCompressed, let smaller = zstd.compress(payload), smaller.count < payload.count else {
            return [form, decimals] + payload
        }
        return [form | compressed, decimals] + smaller
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
        case predictedDecimals where Int(bytes[1]) < powers.count:
            let power = powers[Int(bytes[1])]
            return PredictedNumbers.decode(payload, count: count)?.map { Double($0) / power }
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
