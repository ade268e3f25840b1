import Foundation
import Testing

@testable import CSVImport

@Suite("patterns of dates and times")
struct TimePatternTests {
    private func parse(_ text: String, _ pattern: String) throws -> (civil: CivilTime, offset: Int?)? {
        let bytes = Array(text.utf8)
        return try #require(TimePattern(pattern), "\(pattern)").parse(bytes.span.bytes, 0, bytes.count)
    }

    private static let groups = [TimeFormat.iso8601, TimeFormat.monthFirst, TimeFormat.dayFirst]
    private static let builtIn = groups.joined().map(\.name)

    /// ICU's reading of Unicode's patterns, with years of two digits from 1970 on.
    private func icu(_ pattern: String) -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.twoDigitStartDate = Date(timeIntervalSince1970: 0)
        formatter.dateFormat = pattern
        return formatter
    }

    @Test("every built-in pattern reads what ICU writes by it, as ICU does", arguments: builtIn)
    func asICU(pattern: String) throws {
        let formatter = icu(pattern)
        // Both halves of the day, their first hours, the ends of months, a leap day, both centuries, a fraction.
        for moment in [
            0, 43_200, 951_782_399.2, 951_825_600, 1_078_099_199, 1_293_839_999.7, 1_469_477_627.9, 1_709_251_140, 3_155_759_999,
        ] {
            let text = formatter.string(from: Date(timeIntervalSince1970: moment))
            let expected = try #require(formatter.date(from: text), "\(text)").timeIntervalSince1970
            let read = try #require(try parse(text, pattern), "\(text)")
            #expect(Double(read.civil.microseconds) / 1_000_000 - Double(read.offset ?? 0) * 60 == expected, "\(text)")
            #expect((read.offset != nil) == pattern.contains("Z"))
        }
    }

    @Test(
        "halves of the day as people write them",
        arguments: [
            ("1:05 AM", 65), ("12:05 AM", 5), ("12:05 pm", 725), ("11:59 PM", 1439), ("1:05 a.m.", 65), ("1:05 P. M.", 785),
            ("1:05 p.m", 785), ("1:05\u{A0}pm", 785), ("1:05\u{202F}PM", 785), ("13:05 PM", nil), ("13:05 AM", nil), ("1:05 XM", nil),
            ("1:05 A", nil), ("1:05 p", nil), ("1:05 ", nil), ("1:05 AMs", nil), ("1:05 AN", nil), ("1:05PM", nil), ("1:05\u{C2}", nil),
        ] as [(String, Int?)])
    func halves(text: String, minutes: Int?) throws {
        #expect(try parse(text, "h:mm a").map { $0.civil.hour * 60 + $0.civil.minute } == minutes)
    }

    @Test(
        "a blank may be a protected or a narrow one, also at the end, and is none while a byte of it is missing",
        arguments: [
            ([0x20], true), ([0xC2, 0xA0], true), ([0xE2, 0x80, 0xAF], true), ([0xC2], false), ([0xE2], false), ([0xE2, 0x80], false),
            ([0xC2, 0x20], false), ([0xE2, 0x80, 0xA0], false), ([0xE2, 0x20, 0xAF], false), ([0xC3, 0xA0], false), ([], false),
            ([0x20, 0x20], false),
        ] as [([UInt8], Bool)])
    func blanks(blank: [UInt8], isOne: Bool) throws {
        for (pattern, after) in [("H:mm ", []), ("H:mm a", Array("PM".utf8))] as [(String, [UInt8])] {
            let bytes = Array("1:05".utf8) + blank + after
            let found = try #require(TimePattern(pattern)).parse(bytes.span.bytes, 0, bytes.count)
            #expect(found.map { $0.civil.hour % 12 * 60 + $0.civil.minute } == (isOne ? 65 : nil))
        }
    }

    @Test(
        "numbers have the digits that the pattern gives them, and nothing is left over",
        arguments: [
            ("2024-03-25", true), ("2024-3-5", true), ("24-03-25", false), ("20244-03-25", false), ("2024-003-25", false),
            ("2024-03-255", false), ("2024-03-", false), ("2024-03", false), ("", false), ("2024-03-25 ", false), ("2024/03/25", false),
            ("2024-:3-25", false), ("2024-:-25", false), ("2024-;-25", false),
            ("2024-03-2/", false), ("0000-01-01", false), ("0001-01-01", true), ("9999-12-31", true),
            ("2024-00-10", false), ("2024-13-10", false), ("2024-12-00", false), ("2024-12-32", false), ("2023-02-29", false),
            ("2000-02-29", true), ("1900-02-29", false),
        ])
    func digits(text: String, isTime: Bool) throws { #expect((try parse(text, "yyyy-MM-dd") != nil) == isTime) }

    @Test(
        "a day ends at 24:00 and a leap second is the next one",
        arguments: [
            ("24:00:00.0", 86_400_000_000), ("24:00:00.000001", nil), ("24:00:01.0", nil), ("24:01:00.0", nil), ("25:00:00.0", nil),
            ("24:01:01.0", nil), ("24:00:01.000001", nil), ("0:0:0.:", nil), ("0:0:0.;", nil),
            ("23:59:60.0", 86_400_000_000), ("23:59:61.0", nil), ("23:60:00.0", nil), ("23:59:59,5", 86_399_500_000),
            ("0:0:0.000001", 1), ("0:0:0.1234567", 123_456), ("0:0:0.", nil), ("0:0:0", nil), ("0:0:0.x", nil),
        ] as [(String, Int64?)])
    func ends(text: String, expected: Int64?) throws { #expect(try parse(text, "H:m:s.S")?.civil.microseconds == expected) }

    @Test("a comma stands for the point before a fraction only")
    func decimalPoint() throws {
        #expect(try parse("10.20", "H.mm") != nil)
        #expect(try parse("10,20", "H.mm") == nil)
        #expect(try parse("10,20.5", "H.mm.S") == nil)
        #expect(try parse("10.20,5", "H.mm.S")?.civil.microsecond == 500_000)
        #expect(TimePattern("H.") != nil, "a point at the end")
    }

    @Test(
        "offsets as programs write them, and none of more than 18 hours",
        arguments: [
            ("Z", 0), ("+02:00", 120), ("-0500", -300), ("+2", 120), ("+05:30", 330), ("-00:30", -30), ("UTC", 0), ("GMT", 0), ("utc", 0),
            ("UTC+0200", 120), ("GMT-3", -180), ("UTC+02:00", 120), ("+1800", 1080), ("+1801", nil), ("-1801", nil), ("+00000", nil),
            ("2", nil),
            ("+", nil), ("", nil), ("+x", nil), ("EST", nil), ("UTC+02:000", nil), ("z", 0), ("+5:30", 330), ("-3:00", -180), ("-300", nil),
            ("+0560", nil), ("+0559", 359), ("Zx", nil), ("+02", 120), ("UTC-05", -300), ("UTC+02:00 ", nil),
        ] as [(String, Int?)])
    func offsets(text: String, minutes: Int?) throws { #expect(try parse("1970" + text, "yyyyZ")?.offset == minutes) }

    @Test(
        "names of months and weekdays, with a point or without",
        arguments: [
            ("Mo 5 mars 2024", 3), ("Mo. 5 Okt. 2024", 10), ("Monday 5 JULI 2024", 7), ("Mo 5 févr. 2024", 2), ("Mo 5 fevrier 2024", 2),
            ("понедельник 5 мая 2024", 5), ("вторник 5 марта 2024", 3), ("M 5 mars 2024", nil), (" 5 mars 2024", nil),
            ("Mo 5 ma 2024", nil), ("Mo 5 mars.. 2024", nil), ("Mo 5 brumaire 2024", nil), ("Mo 5 mars1 2024", nil),
        ] as [(String, Int?)])
    func names(text: String, month: Int?) throws { #expect(try parse(text, "E d MMM yyyy")?.civil.month == month) }

    @Test(
        "a pattern says what it means or is none",
        arguments: [
            ("yyyy", true), ("yy", true), ("Q", false), ("yyyy'Q", true), ("yyyy'at'H", true), ("été", false), ("年", false),
            ("yyyy'年'", true),
        ])
    func meaning(text: String, isPattern: Bool) { #expect((TimePattern(text) != nil) == isPattern) }

    @Test("names of formats and of their groups are read as they are written")
    func formatNames() {
        let formats =
            TimeFormat.all(named: ["unix", "unix-ms", "unix-us", "unix-ns", "unix-ms-clock", "spreadsheet", "d/M/yyyy"])
            + TimeFormat.dayFirst
            + TimeFormat.iso8601 + [.pattern("yyyy")]
        let names = ["unix", "unix-ms", "unix-us", "unix-ns", "unix-ms-clock", "spreadsheet", "d/M/yyyy", "day-first", "iso8601", "yyyy"]
        #expect(TimeFormat.names(of: formats) == names)
        #expect(TimeFormat.all(named: names) == formats)
        #expect(
            TimeFormat.all(named: Array(names.prefix(3))) == [.unix(unit: 1_000_000), .unix(unit: 1000), .unix(unit: 1)])
        #expect(formats.prefix(6).map(\.isOfClock) == [false, false, false, false, true, true])
        #expect(TimeFormat.pattern("H").isOfClock && !TimeFormat.pattern("HZ").isOfClock)
    }
}
