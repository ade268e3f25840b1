/// One of the 64 shares into which participants are spread: FNV-1a-64 of the participant's UTF-8, modulo 64.
///
/// Every program computes the same, so that each participant's observations stay on one topic and in order.
/// Vectors: `12` → 0a, `A01` → 1f, `participant-1` → 38, `wearer-7` → 01.
public struct Partition: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Their number.
    public static let count = 64
    /// All of them.
    public static var all: [Partition] { (0..<UInt8(count)).map { Partition(unchecked: $0) } }

    /// 0…63.
    public let number: UInt8

    /// The participant's share.
    public init(participant: String) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in participant.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        number = UInt8(hash % UInt64(Partition.count))
    }

    /// Nil for a number above 63.
    public init?(number: Int) {
        guard (0..<Partition.count).contains(number) else { return nil }
        self.number = UInt8(number)
    }

    /// Reads two lower-case hexadecimal digits.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 2, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            let number = Int(text, radix: 16)
        else { return nil }
        self.init(number: number)
    }

    private init(unchecked number: UInt8) { self.number = number }

    /// Two lower-case hexadecimal digits.
    public var description: String {
        let digits = String(number, radix: 16)
        return number < 16 ? "0" + digits : digits
    }

    /// By number.
    public static func < (left: Partition, right: Partition) -> Bool { left.number < right.number }
}
