import Foundation
import Testing

@testable import CSVImport

@Suite("cells' values")
struct ValueTests {
    private func number(_ text: String, decimal: String = ".") -> Double? {
        let bytes = Array(text.utf8)
        return NumberFormat(decimal: decimal.utf8.first ?? 0x2E).parse(bytes.span.bytes, 0, bytes.count)
    }

    @Test("reads numbers as exactly as the standard library does")
    func exact() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let value = Double.random(in: -1e6...1e6, using: &generator) * pow(10, Double(Int.random(in: -12...12, using: &generator)))
            for text in ["\(value)", String(format: "%.6f", value), String(format: "%.3e", value)] {
                #expect(number(text) == Double(text))
            }
        }
    }

    @Test(
        "reads grouped digits only in groups of three",
        arguments: [
            ("1,630", 1630), ("-1,234,567.5", -1_234_567.5), ("1 630", 1630), ("1'630", 1630), (" 5 ", 5), ("+5", 5), ("1,63", nil),
            ("1630,5", nil),
            ("1,6300", nil), (",5", nil), ("", nil), ("-", nil), (".", nil), ("1.2.3", nil), ("0x10", nil), ("nan", nil), ("inf", nil),
            ("1e400", nil),
            ("12a", nil),
        ] as [(String, Double?)])
    func grouped(text: String, expected: Double?) { #expect(number(text) == expected) }

    @Test(
        "reads decimal commas, with points between thousands",
        arguments: [("81,5", 81.5), ("1.234,5", 1234.5), ("1.5", nil)] as [(String, Double?)])
    func comma(text: String, expected: Double?) { #expect(number(text, decimal: ",") == expected) }

    @Test("a comma parts the samples of a cell in brackets only: elsewhere it may be a decimal one")
    func samples() {
        #expect(CellReader(number: NumberFormat(decimal: UInt8(ascii: ","))).samples("1,5 2,5;3|4,25") == [1.5, 2.5, 3, 4.25])
        #expect(CellReader(number: NumberFormat(decimal: UInt8(ascii: "."))).samples("[1.5,2, 3]") == [1.5, 2, 3])
        #expect(CellReader(number: NumberFormat(decimal: UInt8(ascii: "."))).samples("1,630 2") == [1630, 2])
    }

    private func time(_ text: String, _ formats: [TimeFormat], zone: String? = nil) throws -> ParsedTime? {
        var parser = try TimeParser(formats, zone: zone.flatMap(WearerZone.init))
        let bytes = Array(text.utf8) + Array(repeating: 0, count: 8)
        return parser.parse(bytes.span.bytes, 0, bytes.count - 8)
    }

    @Test("reads Unix times to the microsecond, rounding what is finer")
    func unix() throws {
        let seconds: [TimeFormat] = [.unix(unit: 1_000_000)]
        #expect(try time("1469477627.953672", seconds)?.microseconds == 1_469_477_627_953_672)
        #expect(try time("1469477627.9536725", seconds)?.microseconds == 1_469_477_627_953_673)
        #expect(try time("-1.5", seconds)?.microseconds == -1_500_000)
        #expect(try time("1469477627953", [.unix(unit: 1000)])?.microseconds == 1_469_477_627_953_000)
        for text in ["", ".", "1x", "1.2x", "99999999999999999999", "1.2.3"] { #expect(try time(text, seconds) == nil, "\(text)") }
    }

    @Test("finds the offset of a named zone on both sides of its changes, and of the two times that are alike the first")
    func zones() throws {
        let formats: [TimeFormat] = [.pattern("yyyy-MM-dd HH:mm")]
        for (text, zone, expected, offset) in [
            ("2023-03-26 01:59", "Europe/Berlin", 1_679_792_340, 60), ("2023-03-26 03:00", "Europe/Berlin", 1_679_792_400, 120),
            ("2023-10-29 02:30", "Europe/Berlin", 1_698_539_400, 120), ("2023-10-29 03:00", "Europe/Berlin", 1_698_544_800, 60),
            ("2023-07-01 12:00", "+05:30", 1_688_193_000, 330), ("2023-11-05 01:30", "America/New_York", 1_699_162_200, -240),
        ] as [(String, String, Int64, Int16)] {
            #expect(try time(text, formats, zone: zone) == ParsedTime(microseconds: expected * 1_000_000, zone: offset), "\(text)")
        }
    }

    @Test(
        "a year of two digits is one from 1970 to 2069",
        arguments: [("69", 3_124_224_000), ("70", 0), ("99", 915_148_800), ("00", 946_684_800)])
    func shortYear(text: String, expected: Int64) throws {
        #expect(try time("\(text)-01-01", [.pattern("yy-MM-dd")])?.microseconds == expected * 1_000_000)
    }

    @Test(
        "refuses days and times that do not exist",
        arguments: ["2023-02-29 00:00", "2023-13-01 00:00", "2023-00-01 00:00", "2023-04-31 00:00", "2023-04-30 24:01", "2023-04-30 12:60"])
    func invalid(text: String) throws { #expect(try time(text, [.pattern("yyyy-MM-dd HH:mm")]) == nil) }

    @Test(
        "reads times of day and durations as minutes",
        arguments: [("0:11", 11), ("23:05:30", 1385.5), ("7:05 PM", 1145), ("12:00 AM", 0), ("7", nil), ("7:60", nil)]
            as [(String, Double?)])
    func clock(text: String, expected: Double?) { #expect(TimeOfDay.minutes(text) == expected) }

    @Test("goes on behind the batches that are all confirmed")
    func window() {
        var window = ConfirmationWindow(prefix: 2, counts: DeliveryCounts(stored: 5))
        #expect(!window.needs(1) && window.needs(2))
        window.confirm(3, DeliveryCounts(stored: 1))
        #expect(window.prefix == 2 && window.counts.stored == 5, "batch 2 is still missing")
        window.confirm(2, DeliveryCounts(duplicates: 1))
        window.confirm(2, DeliveryCounts(duplicates: 7))
        #expect(window.prefix == 4 && window.counts == DeliveryCounts(stored: 6, duplicates: 1))
    }
}
