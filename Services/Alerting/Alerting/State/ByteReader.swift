/// Reads what `ByteWriter` wrote; damaged bytes throw, never trap.
struct ByteReader {
    /// The bytes end early or hold what cannot be.
    struct Damage: Error {}

    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func byte() throws(Damage) -> UInt8 {
        guard place < bytes.count else { throw Damage() }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func bool() throws(Damage) -> Bool { try byte() != 0 }

    mutating func integer() throws(Damage) -> Int64 {
        var result: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            let next = try byte()
            result |= UInt64(next & 127) << shift
            if next < 128 { return Int64(bitPattern: result >> 1) ^ -Int64(bitPattern: result & 1) }
        }
        throw Damage()
    }

    /// A number of things that follow, each at least a byte long.
    mutating func count() throws(Damage) -> Int {
        let count = try integer()
        guard count >= 0, count <= Int64(bytes.count - place) else { throw Damage() }
        return Int(count)
    }

    mutating func number() throws(Damage) -> Double {
        var bits: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bits |= UInt64(try byte()) << shift }
        return Double(bitPattern: bits)
    }

    mutating func text() throws(Damage) -> String {
        let count = try count()
        defer { place += count }
        return String(decoding: bytes[place..<place + count], as: UTF8.self)
    }

    mutating func optionalText() throws(Damage) -> String? { try bool() ? try text() : nil }
    mutating func optionalNumber() throws(Damage) -> Double? { try bool() ? try number() : nil }
    mutating func optionalInteger() throws(Damage) -> Int64? { try bool() ? try integer() : nil }
}
