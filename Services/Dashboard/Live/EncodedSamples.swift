/// Samples as 16-bit whole numbers, little-endian, in base64: value = offset + scale × number.
struct EncodedSamples {
    let count: Int
    let offset: Double
    let scale: Double
    let base64: String

    init(_ samples: [Double]) {
        count = samples.count
        let low = samples.min() ?? 0
        let high = samples.max() ?? 0
        // Each by itself: the sum and the difference of two that are possible may be none. A step that is too small to divide by is none.
        offset = low / 2 + high / 2
        // A hair less than that, so that no number of steps is beyond what a number can be.
        let step = (high / 65_000 - low / 65_000) * (1 - 0x1p-50)
        scale = step.isNormal ? step : 1
        var bytes: [UInt8] = []
        bytes.reserveCapacity(samples.count * 2)
        for sample in samples {
            let number = UInt16(bitPattern: Self.whole((sample - offset) / scale))
            bytes.append(UInt8(truncatingIfNeeded: number))
            bytes.append(UInt8(truncatingIfNeeded: number >> 8))
        }
        base64 = Base64.text(bytes)
    }

    /// Cut before it becomes a whole number: a share of a step may lie further out than an `Int` reaches.
    private static func whole(_ number: Double) -> Int16 {
        number.isNaN ? 0 : Int16(min(max(number.rounded(), -32_768), 32_767))
    }
}

/// Base 64 (RFC 4648) with padding.
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let part = bytes[index..<min(index + 3, bytes.count)]
            let bits = part.enumerated().reduce(UInt32(0)) { $0 | UInt32($1.element) << (16 - 8 * UInt32($1.offset)) }
            for place in 0..<4 {
                let digit = digits[Int(bits >> (18 - 6 * UInt32(place)) & 63)]
                text.append(place <= part.count ? digit : UInt8(ascii: "="))
            }
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }
}
