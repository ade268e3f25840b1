import Testing

@testable import VigilSchema

@Suite("Numbers in JSON")
struct JSONNumberTests {
    private func scan(_ text: String, isLong: Bool = false) throws(JSONError) -> (number: JSONNumber, end: Int, bytes: [UInt8]) {
        let bytes = Array(text.utf8)
        var offset = 0
        let number = try JSONNumber.scan(bytes.span, &offset, isLong: isLong)
        return (number, offset, bytes)
    }

    private func double(_ text: String) throws -> Double {
        let (number, _, bytes) = try scan(text)
        return try number.double(bytes.span)
    }

    private func microseconds(_ text: String) throws -> Int64 {
        let (number, _, _) = try scan(text, isLong: true)
        return try number.microseconds()
    }

    @Test(
        "end where what follows is none of theirs",
        arguments: [
            ("0", 1), ("-0", 2), ("0,", 1), ("12]", 2), ("-12}", 3), ("0.5 ", 3), ("1e5,", 3), ("1E+5x", 4), ("1e-05", 5), ("10.25e3/", 7),
            ("1:", 1), ("1.5.5", 3), ("1e5e5", 3), ("123456789", 9), ("12345678", 8), ("1234567", 7), ("1234567x9", 7), ("12345678x", 8),
        ] as [(String, Int)])
    func ends(text: String, end: Int) throws {
        for isLong in [false, true] {
            let read = try scan(text, isLong: isLong)
            #expect(read.end == end && read.number.range == 0..<end)
        }
    }

    @Test(
        "say where they are broken",
        arguments: [
            ("", PayloadError.Code.wrongType, 0), ("-", .wrongType, 0), ("x", .wrongType, 0), (".5", .wrongType, 0), ("+1", .wrongType, 0),
            ("01", .malformed, 0), ("-01", .malformed, 1), ("00", .malformed, 0), ("012345678", .malformed, 0), ("1.", .malformed, 2),
            ("1.e5", .malformed, 2), ("-1.x", .malformed, 3), ("1e", .malformed, 2), ("1e+", .malformed, 3), ("1e-", .malformed, 3),
            ("1e+x", .malformed, 3), ("1.5E", .malformed, 4), ("1e++5", .malformed, 3), ("1e.5", .malformed, 2),
        ])
    func broken(text: String, code: PayloadError.Code, offset: Int) {
        for isLong in [false, true] {
            let error = #expect(throws: JSONError.self) { try scan(text, isLong: isLong) }
            #expect(error?.code == code && error?.offset == offset)
        }
    }

    @Test(
        "are the nearest double, on both sides of each limit of the quick way",
        arguments: [
            "9007199254740991", "9007199254740992", "9007199254740993", "9007199254740995", "18014398509481985", "18014398509481987",
            "-9007199254740993", "1e22", "-1e22", "1e23", "1e-22", "1e-23", "3e22", "3e-22", "7e23", "7e-23", "123e20",
            "9007199254740991e22",
            "9007199254740993e3", "9007199254740991e-22", "12345678901234567e5", "0.1", "-0.1", "0.3", "1.1e-5", "5e-324", "1e-400",
            "123456789012345678", "1234567890123456789", "12345678901234567890", "18446744073709551615", "18446744073709551616",
            "18446744073709551617", "99999999999999999999", "123456789012345678901", "1234567890123456789012", "0.123456789012345678",
            "0.1234567890123456789", "0.12345678901234567891", "0.00000000000000000025", "0.000000000000000000000125",
            "25.00000000000000000000",
            "1000000000000000000000", "1000000000000000000001", "20000000000000000000000000", "0.0000000000000000000000000000000001",
            "1.0000000000000000000000000", "100000000000000000000.5", "100000000000000000005e-5", "-0", "0e99999", "0.0e-99999",
            // Between two to the 53rd and the 54th: read as a double first, these would be rounded twice.
            "10144032119158665e1", "17932159488612115e2", "9045138995733171e5",
        ])
    func nearest(text: String) throws {
        let value = try double(text), expected = try #require(Double(text))
        #expect(value == expected && value.sign == expected.sign)
    }

    @Test("of any length and exponent are read as the standard library reads them")
    func manyDigits() throws {
        var state: UInt64 = 88_172_645_463_325_252
        func next(_ bound: UInt64) -> UInt64 {
            // Marsaglia's xorshift64: the same numbers in every run.
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state % bound
        }
        for _ in 0..<1500 {
            var text = next(2) == 0 ? "-" : ""
            text += String(1 + next(9)) + (0..<next(24)).map { _ in String(next(10)) }.joined()
            if next(2) == 0 { text += "." + (0...next(24)).map { _ in String(next(10)) }.joined() }
            if next(3) == 0 { text += "e" + String(Int(next(60)) - 30) }
            let value = try double(text)
            if value != Double(text) { Issue.record("\(text)") }
        }
    }

    @Test("too large for a double are refused, with their place", arguments: ["1e309", "-1e309", "1e99999999999999999999", "9e100000"])
    func large(text: String) throws {
        let bytes = Array((" " + text).utf8)
        var offset = 1
        let number = try JSONNumber.scan(bytes.span, &offset)
        let error = #expect(throws: JSONError.self) { try number.double(bytes.span) }
        #expect(error?.code == .notFinite && error?.offset == 1)
    }

    @Test("so small that a double has none of them are nought", arguments: ["1e-99999999999999999999", "1e-100001", "9e-400"])
    func small(text: String) throws { #expect(try double(text) == 0) }

    @Test(
        "are whole also with a point or an exponent",
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("7e1", 70), ("3.0", 3), ("3e2", 300), ("-3e2", -300), ("1200e-2", 12), ("1.5", nil),
            ("1e-1", nil), ("9007199254740992", 9_007_199_254_740_992), ("-9007199254740992", -9_007_199_254_740_992),
            ("9007199254740994", nil), ("-9007199254740994", nil), ("1e16", nil), ("1e300", nil), ("1200000000000000000000e-20", 12),
            ("9007199254740992.0", 9_007_199_254_740_992), ("-90071992547409920e-1", -9_007_199_254_740_992), ("9007199254740994.0", nil),
        ] as [(String, Int?)])
    func whole(text: String, value: Int?) throws {
        let (number, _, bytes) = try scan(text)
        #expect(try number.integer(bytes.span) == value)
    }

    @Test(
        "of seconds are whole microseconds, half of one upwards, digits without end included",
        arguments: [
            ("0", 0), ("-0", 0), ("1", 1_000_000), ("-1", -1_000_000), ("0.000001", 1), ("-0.000001", -1), ("0.0000005", 1),
            ("0.00000049", 0), ("0.000000499999999999999999999999", 0), ("0.0000005000000000000000000000001", 1), ("-0.0000005", -1),
            ("0.0000014999", 1), ("0.0000015", 2), ("1e3", 1_000_000_000), ("1e-6", 1), ("5e-7", 1), ("4e-7", 0), ("1e-30", 0),
            ("0e20", 0), ("1484840182", 1_484_840_182_000_000), ("1484840182.410001", 1_484_840_182_410_001),
            ("1484840182.410001000000000000000", 1_484_840_182_410_001), ("1484840182.4100004999999999999999", 1_484_840_182_410_000),
            ("1484840182.4100005000000000000001", 1_484_840_182_410_001), ("12345678.25", 12_345_678_250_000),
            ("253402300799.123456000000000000001", 253_402_300_799_123_456), ("253402300800", 253_402_300_800_000_000),
            ("-253402300800", -253_402_300_800_000_000), ("253402300800.0000004", 253_402_300_800_000_000),
            ("2534023008e2", 253_402_300_800_000_000),
            ("1e11", 100_000_000_000_000_000), ("25e10", 250_000_000_000_000_000), ("0.00000000000000000000000000000001", 0),
            ("9999999999999999999e-25", 1), ("9999999999999999999e-26", 0), ("1000000000000000000e-24", 1), ("4999999999999999999e-25", 0),
            ("5500000000000000000e-25", 1),
            ("1484840182410001000000000e-15", 1_484_840_182_410_001), ("14848401824100010000000e-13", 1_484_840_182_410_001),
        ] as [(String, Int64)])
    func times(text: String, microseconds: Int64) throws { #expect(try self.microseconds(text) == microseconds) }

    @Test(
        "of seconds beyond the year 9999 are no times",
        arguments: [
            "253402300800.000001", "-253402300800.000001", "253402300800.0000005", "253402300801", "1e12", "1e13", "99999999999999", "1e18",
            "1e14", "1e15", "1e16", "1e17", "1e19",
            "1e200", "-1e200", "18446744073709.551617", "18446744073710", "9999999999999999999", "184467440737095516160",
        ])
    func beyond(text: String) {
        let error = #expect(throws: JSONError.self) { try microseconds(text) }
        #expect(error?.code == .implausibleTime && error?.offset == 0)
    }

    @Test("of seconds are scaled by every power of ten, up and down")
    func powers() throws {
        var power: Int64 = 1
        for exponent in -6...11 {
            #expect(try microseconds("1e\(exponent)") == power)
            power *= 10
        }
        // 19 digits, of which ever more stand behind the microsecond; the next one rounds.
        let digits = "1234567890123456789"
        for behind in 2...18 {
            let next = digits.dropFirst(19 - behind).first.flatMap(\.wholeNumberValue) ?? 0
            let whole = try #require(Int64(digits.dropLast(behind)))
            #expect(try microseconds("\(digits)e-\(6 + behind)") == whole + (next >= 5 ? 1 : 0))
        }
    }

    @Test("of eight digits at once are those that eight single ones make")
    func eight() throws {
        for text in [
            "00000000", "10000000", "00000001", "12345678", "87654321", "99999999", "90909090", "09090909", "00100000", "00001000",
        ] {
            #expect(JSONWord(Array(text.utf8).span, at: 0)?.eightDigits == UInt64(text))
        }
        for place in 0..<8 {
            for stranger in Array("/:a. \u{7F}".utf8) {
                var bytes = Array("55555555".utf8)
                bytes[place] = stranger
                #expect(JSONWord(bytes.span, at: 0)?.eightDigits == nil, "\(stranger) at \(place)")
            }
        }
        #expect(JSONWord(Array("1234567".utf8).span, at: 0) == nil && JSONWord(Array("12345678".utf8).span, at: 1) == nil)
        #expect(JSONWord(Array("12345678".utf8).span, at: -1) == nil)
    }
}
