import Testing
import VigilSchema

@Suite("ULIDs")
struct ULIDTests {
    @Test("sort by the time they were made, also within a second")
    func order() {
        let start = Timestamp(microseconds: 1_700_000_000_000_000)
        let made = (0..<1000).map { ULID.make(at: Timestamp(microseconds: start.microseconds + $0 * 1000)) }
        #expect(made == made.sorted())
        #expect(Set(made.map { $0.prefix(10) }).count == 1000)
    }

    @Test("are 26 characters of which the first ten tell the millisecond, and differ within one")
    func form() {
        // The specification's example: 1469918176385 is 01ARYZ6S41.
        let time = Timestamp(microseconds: 1_469_918_176_385_000)
        let made = (0..<1000).map { _ in ULID.make(at: time) }
        #expect(made.allSatisfy { $0.utf8.count == 26 && $0.hasPrefix("01ARYZ6S41") })
        #expect(Set(made).count == 1000)
    }

    private struct Fixed: RandomNumberGenerator {
        var numbers: [UInt64]
        mutating func next() -> UInt64 { numbers.removeFirst() }
    }

    /// Worked out in Python from the specification: 48 bits of milliseconds, 80 random bits, five bits a character.
    @Test("hold 16 bits of a first random number and 64 of a second; times before 1970 count as 1970")
    func bits() {
        for (microseconds, text) in [
            (1_469_918_176_385_999, "01ARYZ6S41VVRFXQ5TK1V58CGG"), (0, "0000000000VVRFXQ5TK1V58CGG"),
            (-5_000_000, "0000000000VVRFXQ5TK1V58CGG"),
        ] {
            var generator = Fixed(numbers: [0x1234_5678_9ABC_DEF0, 0xFEDC_BA98_7654_3210])
            #expect(ULID.make(at: Timestamp(microseconds: Int64(microseconds)), using: &generator) == text)
        }
    }
}
