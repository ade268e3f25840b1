/// Reads what `ByteWriter` wrote; damaged bytes throw, never trap.
package struct ByteReader {
    /// The bytes end early or hold what cannot be.
    package struct Damage: Error { package init() {} }

    private let bytes: [UInt8]
    private var index = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var isAtEnd: Bool { index == bytes.count }

    package mutating func byte() throws(Damage) -> UInt8 {
        guard index < bytes.count else { throw Damage() }
        defer { index += 1 }
        return bytes[index]
    }

    package mutating func bool() throws(Damage) -> Bool { try byte() != 0 }

    package mutating func integer() throws(Damage) -> Int64 {
        var result: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            let next = try byte()
            result |= UInt64(next & 127) << shift
            if next < 128 { return Int64(bitPattern: result >> 1) ^ -Int64(bitPattern: result & 1) }
        }
        throw Damage()
    }

    /// A time or the distance of two in microseconds, far beyond any that is written: a few of them can be added up.
    package mutating func time() throws(Damage) -> Int64 {
        let time = try integer()
        guard time.magnitude <= 1 << 60 else { throw Damage() }
        return time
    }

    /// A time, or `never`: the least number there is.
    package mutating func timeOrNever() throws(Damage) -> Int64 {
        var ahead = self
        guard try ahead.integer() == .min else { return try time() }
        self = ahead
        return .min
    }

    /// The number of an alert's event. Half of all are left, for the events that are still to come.
    package mutating func sequence() throws(Damage) -> UInt32 {
        guard let number = UInt32(exactly: try integer()), number <= .max / 2 else { throw Damage() }
        return number
    }

    /// A time that was written as its distance from another one.
    package mutating func time(from base: Int64) throws(Damage) -> Int64 {
        let (time, isOver) = base.addingReportingOverflow(try integer())
        guard !isOver, time.magnitude <= 1 << 60 else { throw Damage() }
        return time
    }

    /// Reads a count that is stored as a float.
    package mutating func share() throws(Damage) -> Float {
        let number = try float()
        guard (0...1e9).contains(number) else { throw Damage() }
        return number
    }

    private mutating func float() throws(Damage) -> Float {
        Float(bitPattern: try bits())
    }

    /// A number of things that follow, each at least a byte long.
    package mutating func count() throws(Damage) -> Int {
        let count = try integer()
        guard count >= 0, count <= Int64(bytes.count - index) else { throw Damage() }
        return Int(count)
    }

    package mutating func number() throws(Damage) -> Double {
        Double(bitPattern: try bits())
    }

    /// The lowest byte first.
    private mutating func bits<Bits: FixedWidthInteger>() throws(Damage) -> Bits {
        var bits: Bits = 0
        for shift in stride(from: 0, to: Bits.bitWidth, by: 8) { bits |= Bits(try byte()) << shift }
        return bits
    }

    /// A number as `ByteWriter.write(compact:)` wrote it.
    package mutating func compactNumber() throws(Damage) -> Double {
        let head = try integer()
        guard head & 1 == 1 else { return Double(head >> 1) / 1000 }
        guard head == 1 else { throw Damage() }
        return try number()
    }

    package mutating func text() throws(Damage) -> String {
        let count = try count()
        defer { index += count }
        return String(decoding: bytes[index..<index + count], as: UTF8.self)
    }

    package mutating func optionalText() throws(Damage) -> String? { try bool() ? try text() : nil }
    package mutating func optionalNumber() throws(Damage) -> Double? { try bool() ? try number() : nil }
    package mutating func optionalTime() throws(Damage) -> Int64? { try bool() ? try time() : nil }
}

/// Writes numbers and texts as bytes, little-endian, integers in as few bytes as they need.
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func write(_ value: UInt8) { bytes.append(value) }
    package mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }

    /// Zigzag, seven bits a byte.
    package mutating func write(_ value: Int64) {
        var rest = UInt64(bitPattern: (value << 1) ^ (value >> 63))
        while rest >= 128 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    package mutating func write(_ value: Int) { write(Int64(value)) }

    package mutating func write(_ value: Double) {
        var rest = value.bitPattern
        for _ in 0..<8 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    package mutating func write(_ value: Float) {
        for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> shift)) }
    }

    /// A number of a few digits, as sensors give them, in two or three bytes instead of eight; any other in nine.
    package mutating func write(compact value: Double) {
        let thousandths = (value * 1000).rounded()
        if abs(thousandths) < 0x1p50, (Double(Int64(thousandths)) / 1000).bitPattern == value.bitPattern {
            write(Int64(thousandths) << 1)
        } else {
            write(Int64(1))
            write(value)
        }
    }

    package mutating func write(_ text: String) {
        write(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    package mutating func write(_ text: String?) {
        write(text != nil)
        if let text { write(text) }
    }

    package mutating func write(_ value: Double?) {
        write(value != nil)
        if let value { write(value) }
    }

    package mutating func write(_ value: Int64?) {
        write(value != nil)
        if let value { write(value) }
    }
}
