import Foundation
import Testing
import VigilSchema

@testable import CSVImport

@Suite("reading of rows")
struct RowReadingTests {
    // MARK: Numbers

    private func number(_ text: String, decimal: Unicode.Scalar = ".") -> Double? {
        NumberFormat(decimal: UInt8(ascii: decimal)).parse(text)
    }

    @Test(
        "reads numbers of fifteen digits and more to the nearest double, whatever sign and zeros",
        arguments: [
            ("0", 0), ("-0.5", -0.5), ("007", 7), ("5.", 5), (".5", 0.5), ("-.5", -0.5), ("123456789012345", 123_456_789_012_345),
            ("0.123456789012345", 0.123456789012345), ("12345678.9012345", 12345678.9012345), ("1234567890123456", 1_234_567_890_123_456),
            ("9007199254740993", 9_007_199_254_740_992), ("0.1234567890123456789", 0.1234567890123456789), ("99999999999999999999", 1e20),
            ("1e3", 1000), ("1E-3", 0.001), ("-1.5e2", -150), ("+2", 2), ("\t7 ", 7),
        ] as [(String, Double)])
    func numbers(text: String, expected: Double) { #expect(number(text) == expected) }

    @Test(
        "takes a separator of thousands only between groups of three behind one to three digits",
        arguments: [
            ("1,234", 1234), ("12,345", 12_345), ("123,456", 123_456), ("1234,567", nil), (",123", nil), ("1,23", nil), ("1,2345", nil),
            ("1,,234", nil), ("-123,456.5", -123_456.5), ("+1,234", 1234), ("--1,234", nil), ("1.234,5", nil), ("1 234 567", 1_234_567),
            ("1'234'567.25", 1_234_567.25), ("1,234e2", 123_400), ("1e2,345", nil),
            ("-123,456", -123_456), ("+123,456", 123_456), ("0,600", nil), ("-0,600", nil), ("10,600", 10_600), ("-100,600", -100_600),
            ("1234,567,890", nil), ("7 ", 7), ("7\t", 7), (" \t7 \t", 7), ("7\n", nil), ("1:5", nil), ("1;5", nil),
        ] as [(String, Double?)])
    func grouped(text: String, expected: Double?) { #expect(number(text) == expected) }

    @Test(
        "reads decimal commas",
        arguments: [("1.234.567,5", 1_234_567.5), ("0,125", 0.125), ("1,5e1", 15), ("1,2,3", nil), ("1.23", nil), ("12 345,5", 12_345.5)]
            as [(String, Double?)])
    func commas(text: String, expected: Double?) { #expect(number(text, decimal: ",") == expected) }

    @Test(
        "keeps six digits of a converted number",
        arguments: [
            (0, 0), (1, 1), (123_456.7, 123_457), (1_234_567, 1_234_570), (-1_234_564, -1_234_560), (99_999.96, 100_000),
            (0.000_123_456_7, 0.000_123_457),
            (99.082_499, 99.0825), (5.5 * 18.016, 99.088),
        ] as [(Double, Double)])
    func six(value: Double, expected: Double) { #expect(abs(value.six - expected) <= abs(expected) * 1e-12) }

    @Test(
        "writes whole numbers without a point",
        arguments: [(5, "5"), (-5, "-5"), (5.5, "5.5"), (999_999_999_999_999, "999999999999999"), (1e15, "1000000000000000.0"), (0, "0")]
            as [(Double, String)])
    func short(value: Double, expected: String) { #expect(value.short == expected) }

    @Test(
        "rounds microseconds within 100,000 years",
        arguments: [(1.5, 2), (-1.4, -1), (3.1e18, 3_100_000_000_000_000_000), (3.3e18, nil), (-3.3e18, nil), (3.2e18, nil)]
            as [(Double, Int64?)])
    func microseconds(value: Double, expected: Int64?) { #expect(value.microseconds == expected) }

    // MARK: Times of day

    @Test(
        "reads times of day and durations as minutes, and nothing that is none",
        arguments: [
            ("0:00", 0), ("23:59:59", 1439 + 59 / 60.0), ("100:00", 6000), ("0:59", 59), ("0:60", nil), ("0:00:59", 59 / 60.0),
            ("0:00:60", nil),
            ("1:2:3:4", nil), ("7", nil), (":30", nil), ("7:", nil), ("1::2", nil), ("1:2:", nil), ("", nil), ("-1:00", nil), ("x:00", nil),
            ("12:30 AM", 30), ("12:30 pm", 750), ("1:05 am", 65), ("11:59 PM", 1439), ("0:30 AM", nil), ("13:00 PM", nil), ("1:00 XM", nil),
            ("1:00 PM x", nil), ("1:00:30 PM", 780.5),
        ] as [(String, Double?)])
    func clock(text: String, expected: Double?) {
        let found = TimeOfDay.minutes(text)
        #expect((found == nil) == (expected == nil) && abs((found ?? 0) - (expected ?? 0)) < 1e-9)
    }

    // MARK: Samples

    @Test(
        "reads samples with blanks, semicolons, bars or as an array; commas only there",
        arguments: [
            ("1 2 3", [1, 2, 3]), ("1;2|3", [1, 2, 3]), ("[1,2, 3]", [1, 2, 3]), ("[-1.5]", [-1.5]), ("1", [1]), ("[]", nil), ("", nil),
            ("1 x", nil),
            ("[1,x]", nil), ("[1,2", nil), ("[", nil), ("]", nil), (" 1  2 ", [1, 2]),
        ] as [(String, [Double]?)])
    func samples(text: String, expected: [Double]?) {
        #expect(CellReader(number: NumberFormat(decimal: UInt8(ascii: "."))).samples(text) == expected)
    }

    // MARK: The same as before

    @Test("tells a name that stays the same from another, up to sixteen bytes")
    func memo() {
        func isSame(_ names: [String]) -> [Bool] {
            var memo = CellMemo()
            return names.map { name in
                let bytes = Array("#\(name)".utf8) + Array(repeating: UInt8(0x41), count: 16)
                return memo.isSame(bytes.span.bytes, 1, 1 + name.utf8.count)
            }
        }
        #expect(isSame(["", "", "a", "a", "b", "a", "a"]) == [false, true, false, true, false, false, true])
        #expect(isSame(["abcdefgh", "abcdefgh", "abcdefgi", "bbcdefgi"]) == [false, true, false, false])
        #expect(isSame(["abcdefghi", "abcdefghi", "abcdefghj", "abcdefgh", "abcdefghA"]) == [false, true, false, false, false])
        let (long, longer) = (String(repeating: "x", count: 16), String(repeating: "x", count: 17))
        #expect(isSame([long, long, longer, longer, long, long]) == [false, true, false, false, false, true])
        #expect(isSame(["xxxxxxxxxxxxxxxy", "xxxxxxxxxxxxxxxz", "xxxxxxxyxxxxxxxz"]) == [false, false, false])
    }

    // MARK: Readings of one time

    private func numbers(_ times: [Int64], keepsHistory: Bool = false, series: Int = 0) throws -> [Int32?] {
        var occurrences = Occurrences(keepsHistory: keepsHistory)
        return try times.map { try occurrences.next(series: series, time: $0) }
    }

    @Test(
        "numbers readings that share a time, in the order of the file",
        arguments: [
            ([1, 2, 3], [0, 0, 0]), ([1, 1, 1, 2, 2], [0, 1, 2, 0, 1]), ([3, 2, 2, 1], [0, 0, 1, 0]),
            ([2, 3, 3, 1, 1, 4, 4], [0, 0, 1, 0, 1, 0, 1]),
            ([5, 5, 4, 6, 3], [0, 1, 0, 0, 0]),
        ] as [([Int64], [Int32])])
    func occurrences(times: [Int64], expected: [Int32]) throws {
        #expect(try numbers(times) == expected)
        #expect(try numbers(times, keepsHistory: true) == expected)
        #expect(try numbers(times, series: 3) == expected)
    }

    @Test(
        "cannot number a time in the midst of those already seen without a history",
        arguments: [[1, 2, 1], [1, 3, 2], [3, 1, 3], [3, 1, 2]] as [[Int64]])
    func midst(times: [Int64]) throws {
        #expect(try numbers(times).last == .some(nil))
        #expect(try numbers(times, keepsHistory: true).last == (times[2] == 2 ? 0 : 1))
    }

    @Test("numbers each series by itself")
    func series() throws {
        for keepsHistory in [false, true] {
            var occurrences = Occurrences(keepsHistory: keepsHistory)
            let found = try [(0, 5), (2, 5), (0, 5), (1, 5), (2, 5), (2, 5), (0, 6)].map { try occurrences.next(series: $0.0, time: $0.1) }
            #expect(found == [0, 0, 1, 0, 1, 2, 0])
        }
    }

    @Test("counts times in a table as it does in memory, wherever memory ends", arguments: [0, 1, 3, 4, 100])
    func spilled(inMemory: Int) throws {
        var history = TimeHistory(largestInMemory: inMemory)
        let readings: [(series: Int, time: Int64)] = [
            (0, 5), (1, 5), (0, 6), (0, 5), (2, -7), (0, 5), (1, 5), (2, -7), (1, 6), (0, 6), (3, .max),
        ]
        let found = try readings.map { try history.next(series: $0.series, time: $0.time) }
        #expect(found == [0, 0, 0, 1, 0, 2, 1, 1, 0, 1, 0])
    }

    /// A recorder that counts milliseconds as seconds: its second sample stands 1000 s after its first, which stands one step after the start.
    @Test("undoes milliseconds that were added to seconds, from the start or a step before each wearer's first time")
    func milliseconds() {
        var given = MillisecondCorrection(start: 7_000_000, lag: 0)
        #expect([7_000_000, 8_000_000, 1_007_000_000].map { given.correct($0, subject: 0) } == [7_000_000, 7_001_000, 8_000_000])
        var found = MillisecondCorrection(start: nil, lag: 1_000_000)
        #expect(found.correct(101_000_000, subject: 0) == 100_000_000 && found.correct(102_000_000, subject: 0) == 100_001_000)
        #expect(found.correct(501_000_000, subject: 1) == 500_000_000 && found.correct(1_101_000_000, subject: 0) == 101_000_000)
        #expect(found.correct(502_000_000, subject: 1) == 500_001_000)
    }

    // MARK: Start-up numbers

    private func profile(_ rule: ColumnRule, layout: Profile.Layout = .table) -> Profile {
        var profile = Profile(
            name: "own", title: "own", time: TimeRule(columns: [["time"]], formats: [.unix(unit: 1_000_000)]),
            participant: NameRule(column: ["who"]), source: NameRule(constant: "s"))
        profile.layout = layout
        profile.columns = [rule]
        if layout == .long { (profile.long.metric, profile.long.value) = (["what"], ["value"]) }
        return profile
    }

    private let startup = ColumnRule(["hr"], metric: "heart-rate", startup: [60, 0])

    @Test("refuses a sensor's start-up numbers until another has come, for each wearer")
    func startUp() throws {
        let text = "time,who,hr\n1,a,60\n2,a,0\n3,b,60\n4,a,71\n5,a,60\n6,b,60\n7,b,72\n8,b,60\n"
        let decoded = try Decoded(text, profile: profile(startup))
        #expect(decoded.rows.map(\.time) == [4, 5, 7, 8] && decoded.rejects.map(\.line) == [2, 3, 4, 7])
        #expect(decoded.rejects.allSatisfy { $0.reason == "the sensor writes this where it measures nothing" })
    }

    @Test("remembers of a long table too, whatever metrics come later, whose sensor has started")
    func startUpOfLong() throws {
        let rows = [
            "1,a,hr,71", "2,b,hr,60", "3,b,hr,71", "4,a,spo2,97", "5,a,glucose,99", "6,a,hr,60", "7,b,hr,60", "8,c,hr,60", "9,c,hr,71",
            "10,c,hr,60",
        ]
        let decoded = try Decoded("time,who,what,value\n" + rows.joined(separator: "\n") + "\n", profile: profile(startup, layout: .long))
        #expect(decoded.rejects.map(\.line) == [3, 9])
        #expect(decoded.rows.filter { $0.metric == "heart-rate" }.map(\.time) == [1, 3, 6, 7, 9, 10])
    }

    @Test("refuses sentinels wherever they stand, and numbers beyond what can be")
    func sentinels() throws {
        let rule = ColumnRule(["hr"], metric: "heart-rate", sentinels: [255])
        let decoded = try Decoded("time,who,hr\n1,a,70\n2,a,255\n3,a,1000\n4,a,\n5,a,x\n6,a,255\n", profile: profile(rule))
        #expect(decoded.rows.map(\.time) == [1] && decoded.rejects.map(\.line) == [3, 4, 6, 7] && decoded.account.empty == 1)
    }

    @Test("refuses rows whose time lies more than a day ahead or before 1900")
    func times() throws {
        let now = Decoded.now.seconds
        let rows = [now + 86_400, now + 86_401, -2_208_988_800, -2_208_988_801].map { "\(Int($0)),a,70" }
        let decoded = try Decoded(
            "time,who,hr\n" + rows.joined(separator: "\n") + "\n", profile: profile(ColumnRule(["hr"], metric: "heart-rate")))
        #expect(decoded.rows.map(\.time) == [now + 86_400, -2_208_988_800] && decoded.rejects.map(\.line) == [3, 5])
    }

    // MARK: Text

    @Test(
        "quotes a field where it must be",
        arguments: [
            (["a", "b"], "a,b"), (["a,b", ""], "\"a,b\","), (["a\"b"], "\"a\"\"b\""), (["two\nlines", "x"], "\"two\nlines\",x"),
            (["\r"], "\"\r\""), (["a;b"], "a;b"),
        ])
    func quoted(fields: [String], expected: String) { #expect(CSVText.record(fields, delimiter: ",") == expected) }
}
