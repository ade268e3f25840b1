import Testing
import VigilSchema

@testable import SensorIngest

@Suite("CBOR")
struct CBORCursorTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.filter { $0 != " " })
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }

    /// What is read, and the offset behind it; else the code, the reason and the offset of the mistake.
    private func outcome<Value>(
        _ hex: String, _ read: (inout CBORCursor, Span<UInt8>) throws(CBORError) -> Value
    ) -> String {
        var cursor = CBORCursor()
        let bytes = Self.bytes(hex)
        do throws(CBORError) {
            return "\(try read(&cursor, bytes.span)) \(cursor.offset)"
        } catch {
            return "\(error.code.rawValue) \(error.offset): \(error.reason.text)"
        }
    }

    @Test(
        "has numbers of every width, as appendix A of RFC 8949 writes them, and decimal fractions",
        arguments: [
            ("00", "0.0 1"), ("01", "1.0 1"), ("17", "23.0 1"), ("1818", "24.0 2"), ("18ff", "255.0 2"), ("190100", "256.0 3"),
            ("1903e8", "1000.0 3"),
            ("1a000f4240", "1000000.0 5"), ("1b000000e8d4a51000", "1000000000000.0 9"), ("1bffffffffffffffff", "1.8446744073709552e+19 9"),
            ("20", "-1.0 1"),
            ("29", "-10.0 1"), ("3863", "-100.0 2"), ("3903e7", "-1000.0 3"), ("3bffffffffffffffff", "-1.8446744073709552e+19 9"),
            ("f93c00", "1.0 3"),
            ("f93e00", "1.5 3"), ("f9c400", "-4.0 3"), ("f90001", "5.960464477539063e-08 3"), ("fa47c35000", "100000.0 5"),
            ("fb3ff199999999999a", "1.1 9"),
            ("f97c00", "inf 3"), ("fbfff0000000000000", "-inf 9"), ("f97e00", "nan 3"), ("c48221196ab3", "273.15 6"),
            ("c482000a", "10.0 4"), ("c4820120", "-10.0 4"),
            ("c48239018f01", "0.0 6"), ("c4821901901903e8", "inf 8"), ("c482187801", "1e+120 5"),
        ])
    func numbers(hex: String, expected: String) {
        #expect(outcome(hex) { cursor, bytes throws(CBORError) in try cursor.number(bytes) } == expected)
    }

    @Test(
        "has no number where something else stands, or is too large",
        arguments: [
            ("6161", "wrong-type 0: a number is expected"), ("f5", "wrong-type 0: a number is expected"),
            ("f820", "wrong-type 0: a number is expected"),
            ("c2", "wrong-type 0: a number is expected"), ("80", "wrong-type 0: a number is expected"),
            ("", "malformed 0: the bytes end where an item is expected"),
            ("18", "malformed 0: an item is cut short"), ("19ff", "malformed 0: an item is cut short"),
            ("1affffff", "malformed 0: an item is cut short"),
            ("1bffffffffffffff", "malformed 0: an item is cut short"), ("1c", "malformed 0: an item starts with a reserved value"),
            ("1e", "malformed 0: an item starts with a reserved value"), ("1f", "malformed 0: an item starts with a reserved value"),
            ("3f", "malformed 0: an item starts with a reserved value"), ("df", "malformed 0: an item starts with a reserved value"),
            ("f818", "malformed 0: a simple value is not well formed"), ("f81f", "malformed 0: a simple value is not well formed"),
            ("c401", "wrong-type 1: a decimal fraction is an array of two whole numbers"),
            ("c48101", "wrong-type 1: a decimal fraction is an array of two whole numbers"),
            ("c4830101 01", "wrong-type 1: a decimal fraction is an array of two whole numbers"),
            ("c49f0101ff", "wrong-type 1: a decimal fraction is an array of two whole numbers"),
            ("c4821901 9101", "not-finite 1: a decimal fraction is too large"),
            ("c482390190 01", "not-finite 1: a decimal fraction is too large"),
            ("c482001bffffffffffffffff", "not-finite 1: a decimal fraction is too large"),
            ("c482f501", "wrong-type 2: a whole number is expected"),
        ])
    func noNumbers(hex: String, expected: String) {
        #expect(outcome(hex) { cursor, bytes throws(CBORError) in try cursor.number(bytes) } == expected)
    }

    @Test(
        "has whole numbers that fit, truths and texts",
        arguments: [
            ("1b7fffffffffffffff", "Optional(9223372036854775807) 9"), ("1b8000000000000000", "nil 9"),
            ("3b7fffffffffffffff", "Optional(-9223372036854775808) 9"),
            ("3b8000000000000000", "nil 9"), ("20", "Optional(-1) 1"), ("f4", "wrong-type 0: a whole number is expected"),
        ])
    func integers(hex: String, expected: String) {
        #expect(outcome(hex) { cursor, bytes throws(CBORError) in try cursor.integer(bytes) } == expected)
    }

    @Test(
        "has truths in two simple values",
        arguments: [
            ("f4", "false 1"), ("f5", "true 1"), ("f6", "wrong-type 0: true or false is expected"),
            ("f3", "wrong-type 0: true or false is expected"),
            ("15", "wrong-type 0: true or false is expected"), ("f8ff", "wrong-type 0: true or false is expected"),
        ])
    func booleans(hex: String, expected: String) {
        #expect(outcome(hex) { cursor, bytes throws(CBORError) in try cursor.boolean(bytes) } == expected)
    }

    @Test(
        "has texts of definite length in UTF-8",
        arguments: [
            ("60", " 1"), ("6161", "a 2"), ("62c3bc", "ü 3"), ("64f0908591", "\u{10151} 5"),
            ("61", "malformed 0: a string is longer than the bytes"),
            ("626161ff", "aa 3"), ("7bffffffffffffffff61", "malformed 0: a string is longer than the bytes"),
            ("62c328", "malformed 1: the bytes are not UTF-8"),
            ("6361c328", "malformed 2: the bytes are not UTF-8"), ("4161", "wrong-type 0: a text is expected"),
            ("7f6161ff", "unsupported 0: a string must have a definite length"),
        ])
    func texts(hex: String, expected: String) {
        #expect(outcome(hex) { cursor, bytes throws(CBORError) in try cursor.text(bytes) } == expected)
    }

    @Test(
        "is passed over item by item, each well formed",
        arguments: [
            ("00", "1"), ("3903e7", "3"), ("fb3ff199999999999a", "9"), ("4401020304", "5"), ("62c3bc", "3"), ("83010203", "4"),
            ("a201020304", "5"), ("9f0102ff", "4"),
            ("bf0102ff", "4"), ("9fff", "2"), ("bfff", "2"), ("5f42010243030405ff", "9"), ("7f6161626161ff", "7"), ("c11a514b67b0", "6"),
            ("f6", "1"), ("f7", "1"), ("f8ff", "2"),
            ("80", "1"), ("a0", "1"), ("8201820203", "5"), ("d82076", "malformed 2: a string is longer than the bytes"),
            ("ff", "malformed 0: a break stands where an item is expected"),
            ("8101ff", "2"), ("82 01ff", "malformed 2: a break stands where an item is expected"),
            ("a101", "malformed 2: the bytes end where an item is expected"),
            ("bf01ff", "malformed 2: a break stands where an item is expected"),
            ("9f01", "malformed 2: the bytes end where an item is expected"),
            ("5f6161ff", "malformed 1: a string's chunk is of another type"),
            ("7f4161ff", "malformed 1: a string's chunk is of another type"),
            ("5f5f4101ffff", "malformed 1: a string's chunk is of another type"), ("7f61c3ff", "malformed 2: the bytes are not UTF-8"),
            ("5f41", "malformed 1: a string is longer than the bytes"),
            ("41", "malformed 0: a string is longer than the bytes"), ("61ff", "malformed 1: the bytes are not UTF-8"),
        ])
    func skips(hex: String, expected: String) {
        let outcome = outcome(hex) { cursor, bytes throws(CBORError) in
            try cursor.skip(bytes)
            return "skipped"
        }
        #expect(outcome == (Int(expected) == nil ? expected : "skipped " + expected))
    }

    @Test("nests 32 levels, and no more", arguments: ["81", "c1", "a100"])
    func depth(level: String) throws {
        func outcome(_ levels: Int) -> String {
            self.outcome(String(repeating: level, count: levels) + "00") { cursor, bytes throws(CBORError) in
                try cursor.skip(bytes)
                return "skipped"
            }
        }
        let size = level.count / 2
        // Of a map it is the key that lies too deep, a byte behind the 32nd head.
        let place = level == "a100" ? 31 * size + 1 : 32 * size
        #expect(outcome(31) == "skipped \(31 * size + 1)")
        #expect(outcome(32) == "too-large \(place): nested deeper than 32 levels")
        func value(_ levels: Int) throws -> MappingValue {
            try MappingValue(cbor: Self.bytes(String(repeating: level, count: levels) + "00").span)
        }
        _ = try value(31)
        let error = #expect(throws: PayloadError.self) { try value(32) }
        #expect(error == PayloadError(.tooLarge, "nested deeper than 32 levels", offset: place))
    }

    @Test(
        "becomes a mapping's values",
        arguments: [
            ("a26161016162820203", #"{"a":1,"b":[2,3]}"#), ("bf6161f5ff", #"{"a":true}"#), ("9f01f4f6f7ff", "[1,false,null,null]"),
            ("a10102", #"{"1":2}"#),
            ("83fb3ff199999999999a20c48221196ab3", "[1.1,-1,273.15]"), ("c11a514b67b0", "1363896240"), ("82426162 6161", #"[null,"a"]"#),
            ("80", "[]"), ("a0", "{}"), ("9fff", "[]"),
            ("bfff", "{}"), ("d9d9f701", "1"), ("a1f502", #"{"true":2}"#),
        ])
    func values(hex: String, json: String) throws {
        #expect(try MappingValue(cbor: Self.bytes(hex).span) == MappingValue(json: Array(json.utf8).span))
    }

    @Test(
        "has no value where bytes are wrong, or something follows",
        arguments: [
            ("0100", "something follows the document at $ (byte 1)"), ("81", "the bytes end where an item is expected at $ (byte 1)"),
            ("f3", "a number is expected at $ (byte 0)"),
            ("ff", "a number is expected at $ (byte 0)"), ("8101ff", "something follows the document at $ (byte 2)"),
        ])
    func noValues(hex: String, reason: String) {
        let error = #expect(throws: PayloadError.self) { try MappingValue(cbor: Self.bytes(hex).span) }
        #expect(error?.description == reason)
    }

    @Test(
        "is recognised as SenML by an array, or the tag that says CBOR",
        arguments: [
            ("80", true), ("9f", true), ("9bff", true), ("d9", true), ("d8", false), ("a0", false), ("7f", false), ("5b", false),
            ("", false), ("31", false),
        ])
    func recognised(hex: String, expected: Bool) {
        #expect(SenMLCBORFormat().recognises(firstBytes: Self.bytes(hex).span) == expected)
    }
}
