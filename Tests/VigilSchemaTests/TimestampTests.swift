import Foundation
import Testing
import VigilSchema

@Suite("Timestamp")
struct TimestampTests {
    private static let end = Timestamp(microseconds: 253_402_300_800_000_000)

    @Test(
        "ends with the year 9999, whatever number a stranger writes",
        arguments: [(1e300, end.microseconds), (.infinity, end.microseconds), (-1e300, -end.microseconds), (-.infinity, -end.microseconds)])
    func saturates(seconds: Double, microseconds: Int64) {
        #expect(Timestamp(seconds: seconds).microseconds == microseconds)
    }

    @Test("is 1970 for what is no number")
    func notANumber() {
        #expect(Timestamp(seconds: .nan).microseconds == 0)
    }

    @Test("is rounded to the nearest microsecond")
    func rounds() {
        #expect(Timestamp(seconds: 1_484_840_182.410_000_7).microseconds == 1_484_840_182_410_001)
        #expect(Timestamp(seconds: -0.000_000_6).microseconds == -1)
    }

    @Test("stays where it is rather than pass the end of what can be counted")
    func advances() {
        let last = Timestamp(microseconds: .max - 1)
        #expect(last.advanced(bySeconds: 1) == last)
        #expect(Self.end.advanced(bySeconds: -1e300).microseconds == 0)
        #expect(Timestamp(microseconds: 5).advanced(bySeconds: 0.000_01).microseconds == 15)
    }

    @Test(
        "rounds what is finer than a microsecond to the next one",
        arguments: [
            ("1484840182.0000004", 0), ("1484840182.0000005", 1), ("1484840182.00000049", 0), ("1484840182.0000015", 2),
            ("1484840182.0000016", 2), ("1.4848401820000014e9", 1),
        ])
    func rounding(text: String, microseconds: Int64) throws {
        let bytes = Array(text.utf8)
        var offset = 0
        let number = try JSONNumber.scan(bytes.span, &offset)
        #expect(try number.microseconds() == 1_484_840_182_000_000 + microseconds)
    }

    @Test("reads from JSON the years 1 to 9999 and nothing beyond", arguments: [1.0, -1.0])
    func coding(sign: Double) throws {
        let last = try JSONDecoder().decode([Timestamp].self, from: Data("[\(sign * 253_402_300_800)]".utf8))
        #expect(last == [Timestamp(microseconds: Int64(sign) * Self.end.microseconds)])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Timestamp].self, from: Data("[\(sign * 253_402_300_800.125)]".utf8))
        }
        let whole = try JSONEncoder().encode([Timestamp(microseconds: 1_500_000)])
        #expect(String(decoding: whole, as: UTF8.self) == "[1.5]")
    }

    @Test("at the last second of the year 9999 is kept, and what lies further becomes that end")
    func furthest() {
        #expect(Timestamp(seconds: 253_402_300_799.5).microseconds == 253_402_300_799_500_000)
        #expect(Timestamp(seconds: 253_402_300_800).microseconds == Self.end.microseconds)
        #expect(Timestamp(seconds: 253_402_300_801).microseconds == Self.end.microseconds)
        #expect(Timestamp(seconds: -253_402_300_801).microseconds == -Self.end.microseconds)
        #expect(Timestamp(seconds: 2.5).seconds == 2.5)
    }

    @Test("is less than a later one only")
    func order() {
        let moment = Timestamp(microseconds: 5)
        #expect(moment < Timestamp(microseconds: 6) && !(moment < moment) && !(moment < Timestamp(microseconds: -6)))
    }
}
