/// Makes identifiers that sort by the time they were made: 48 bits of milliseconds and 80 random bits, in 26 characters of
/// Crockford's base 32 (https://github.com/ulid/spec).
public enum ULID {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// A new identifier.
    public static func make(at time: Timestamp) -> String {
        var generator = SystemRandomNumberGenerator()
        return make(at: time, using: &generator)
    }

    /// A new identifier with given randomness. Times before 1970 count as 1970.
    public static func make(at time: Timestamp, using generator: inout some RandomNumberGenerator) -> String {
        let milliseconds = UInt64(max(0, time.microseconds / 1000)) & 0xFFFF_FFFF_FFFF
        let high = generator.next() & 0xFFFF
        var bits = UInt128(milliseconds) << 80 | UInt128(high) << 64 | UInt128(generator.next())
        var characters = [UInt8](repeating: 0, count: 26)
        for index in characters.indices.reversed() {
            characters[index] = alphabet[Int(bits & 31)]
            bits >>= 5
        }
        return String(decoding: characters, as: UTF8.self)
    }
}
