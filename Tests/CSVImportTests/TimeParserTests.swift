import Testing

@testable import CSVImport

@Suite("columns of times")
struct TimeParserTests {
    private func parser(_ formats: [TimeFormat], zone: String? = nil) throws -> TimeParser {
        try TimeParser(formats, zone: zone.flatMap(WearerZone.init))
    }

    private static let seconds: [TimeFormat] = [.unix(unit: 1_000_000)]

    @Test(
        "numbers since 1970, as far as the year 9999",
        arguments: [
            ("253402300800", 253_402_300_800_000_000), ("253402300801", nil), ("0253402300800", 253_402_300_800_000_000),
            ("0000000000000001", 1_000_000), ("00000000000000001", nil), ("1.", 1_000_000), ("1,25", 1_250_000), ("1;25", nil),
            ("1.0000004", 1_000_000), ("1.0000005", 1_000_001), ("1.00000049", 1_000_000), ("1.9999995", 2_000_000), ("-0.000001", -1),
            ("-", nil), ("--1", nil), ("+1", nil), (".5", nil), ("1.-5", nil), ("1.5:", nil), ("1.5/", nil), ("  7 ", 7_000_000),
            ("", nil), ("  ", nil), ("7:", nil), ("7;", nil), ("1:25", nil),
        ] as [(String, Int64?)])
    func unix(text: String, expected: Int64?) throws {
        var parser = try parser(Self.seconds)
        #expect(parser.parse(text)?.microseconds == expected)
    }

    @Test("finer and coarser numbers, of a clock and of days")
    func units() throws {
        var nanoseconds = try parser([.nanoseconds])
        #expect(nanoseconds.parse("1711360800123456789")?.microseconds == 1_711_360_800_123_456)
        #expect(nanoseconds.parse("12") == nil)
        var milliseconds = try parser([.unix(unit: 1000)])
        #expect(milliseconds.parse("1.2345")?.microseconds == 1235)
        #expect(milliseconds.parse("1.2344")?.microseconds == 1234)
        var clock = try parser([.clock(unit: 1000)], zone: "+02:00")
        #expect(clock.parse("7200000") == ParsedTime(microseconds: 0, zone: 120))
        var days = try parser([.days], zone: "-01:00")
        #expect(days.parse("25569") == ParsedTime(microseconds: 3_600_000_000, zone: -60))
        #expect(days.parse("25569,5")?.microseconds == 46_800_000_000)
        #expect(days.parse("25569.00000001")?.microseconds == 3_600_001_000, "to the nearest millisecond")
        for text in ["1", "100000"] { #expect(days.parse(text) != nil) }
        for text in ["0.99", "100000.01"] { #expect(days.parse(text) == nil) }
    }

    @Test(
        "what is written of a time is read again",
        arguments: [(0, "0.000000"), (1, "0.000001"), (-1, "-0.000001"), (1_500_000, "1.500000"), (-1_000_100, "-1.000100")]
            as [(Int64, String)])
    func text(microseconds: Int64, expected: String) throws {
        #expect(UnixTime.text(microseconds) == expected)
        var parser = try parser(Self.seconds)
        #expect(parser.parse(expected)?.microseconds == microseconds)
    }

    @Test("an offset that the row says counts before the zone, and one that the time itself names before both")
    func offsets() throws {
        var parser = try parser([.pattern("yyyy-MM-ddZ"), .pattern("yyyy-MM-dd")], zone: "+03:00")
        #expect(parser.parse("1970-01-01+01:00", offset: 120) == ParsedTime(microseconds: -3_600_000_000, zone: 60))
        #expect(!parser.hasZoneless)
        #expect(parser.parse("1970-01-01", offset: 120) == ParsedTime(microseconds: -7_200_000_000, zone: 120))
        #expect(!parser.hasZoneless)
        #expect(parser.parse("1970-01-01") == ParsedTime(microseconds: -10_800_000_000, zone: 180))
        #expect(parser.hasZoneless)
        var unix = try self.parser(Self.seconds, zone: "+03:00")
        #expect(unix.parse("1") == ParsedTime(microseconds: 1_000_000))
        #expect(unix.parse("1", offset: -60) == ParsedTime(microseconds: 1_000_000, zone: -60))
        #expect(unix.parse(" 1", offset: -60) == ParsedTime(microseconds: 1_000_000, zone: -60))
        #expect(!unix.hasZoneless)
    }

    @Test("without a zone times are UTC and no offset is kept, until a row names one")
    func follows() throws {
        var parser = try parser([.pattern("yyyy-MM-dd")])
        #expect(parser.parse("1970-01-01") == ParsedTime(microseconds: 0))
        parser.follow(WearerZone("-02:00"))
        #expect(parser.parse("1970-01-01") == ParsedTime(microseconds: 7_200_000_000, zone: -120))
        parser.follow(nil)
        #expect(parser.parse("1970-01-01") == ParsedTime(microseconds: 0), "a row that names none is the file's")
    }

    @Test("the format that fitted last is tried first, and the next ones after it, round to the first")
    func preferred() throws {
        var parser = try parser([.pattern("d/M/yyyy"), .pattern("M/d/yyyy"), .pattern("yyyy")])
        let first = parser.parse("03/04/1970"), second = parser.parse("03/14/1970")
        #expect(first?.microseconds == 7_948_800_000_000)
        #expect(second?.microseconds == 6_220_800_000_000)
        #expect(parser.parse("03/04/1970")?.microseconds == 5_356_800_000_000, "as the row before")
        #expect(parser.parse("1971") != nil)
        #expect(parser.parse("03/04/1970") == first, "from the first one on again")
        #expect(parser.parse("x") == nil)
        #expect(parser.problem == "the time cannot be read")
    }

    /// What the clock of Berlin shows at the end of October, hour by hour, and the offset that is meant.
    private func offsets(_ times: [String]) throws -> (offsets: [Int16?], doubles: Int) {
        var parser = try parser([.pattern("yyyy-MM-dd HH:mm")], zone: "Europe/Berlin")
        var offsets: [Int16?] = []
        for time in times { offsets.append(parser.parse("2024-10-27 " + time)?.zone) }
        return (offsets, parser.doubleCount)
    }

    @Test("the hour that a clock shows twice: by the order of the file, rising and falling")
    func twice() throws {
        #expect(
            try offsets(["01:59", "02:00", "02:30", "02:30", "02:59", "02:00", "02:30", "03:00"]) == (
                [120, 120, 120, 120, 120, 60, 60, 60], 6
            ))
        #expect(try offsets(["03:00", "02:59", "02:00", "02:00", "02:59", "02:10", "01:59"]) == ([60, 60, 60, 60, 120, 120, 120], 5))
        #expect(try offsets(["02:45", "02:10", "02:20"]) == ([120, 60, 60], 3), "rising, as nothing was seen before")
        #expect(try offsets(["02:40", "02:10", "02:09", "02:39"]) == ([120, 120, 120, 120], 4), "no step back of more than half an hour")
        #expect(try offsets(["03:00", "03:00", "02:30"]) == ([60, 60, 60], 1), "falling, as nothing rose before")
        #expect(try offsets(["03:10", "03:00", "03:00", "02:30"]) == ([60, 60, 60, 60], 1))
        #expect(
            try offsets(["01:00", "02:30", "03:00", "04:00", "02:20"]) == ([120, 120, 60, 60, 120], 2),
            "a second series, rising like the first")
    }

    @Test("the hour that a clock leaves out is refused by name, and the next time is well")
    func never() throws {
        var parser = try parser([.pattern("yyyy-MM-dd HH:mm")], zone: "Europe/Berlin")
        #expect(parser.parse("2024-03-31 02:00") == nil)
        #expect(parser.problem == "the clocks of Europe/Berlin were set forward past this time")
        #expect(parser.parse("2024-03-31 02:59") == nil)
        #expect(parser.parse("2024-03-31 03:00")?.zone == 120)
        #expect(parser.doubleCount == 0)
        #expect(parser.parse("x") == nil)
        #expect(parser.problem == "the time cannot be read")
    }

    @Test(
        "an offset in a column is in the unit that its header names; where that leaves it open, up to fourteen are hours",
        arguments: [
            ("UTC Offset (min)", "-480", -480), ("UTC Offset (min)", "330", 330), ("UTC Offset (min)", "-8", -8),
            ("UTC Offset (min)", "+02:00", 120), ("UTC Offset (min)", "1080", 1080), ("UTC Offset (min)", "-1080", -1080),
            ("UTC Offset (min)", "1081", nil), ("UTC Offset (min)", "0.5", nil), ("UTC Offset (min)", "UTC-5", nil),
            ("offset in minutes", "90", 90), ("Offset/mins", "10", 10), ("tz minute", "10", 10),
            ("UTC Offset (h)", "14", 840), ("UTC Offset (h)", "18", 1080), ("UTC Offset (h)", "18.5", nil), ("UTC Offset (h)", "5,75", 345),
            ("UTC Offset (h)", "5.33", nil), ("UTC Offset (h)", "-0330", -210), ("offset hrs", "15", 900), ("hour offset", "1", 60),
            ("tz", "14", 840), ("tz", "-14", -840), ("tz", "15", 15), ("tz", "-480", -480), ("tz", "60", 60), ("tz", "2", 120),
            ("tz", "+2", 120), ("tz", "-0500", -300), ("tz", "UTC-5", -300), ("tz", "+02:00", 120), ("tz", "", nil), ("tz", "x", nil),
            ("tz", "Europe/Berlin", nil), ("tz", "1080", 1080), ("tz", "1081", nil), ("thin", "15", 15),
        ] as [(String, String, Int?)])
    func columns(header: String, cell: String, minutes: Int?) {
        #expect(OffsetUnit(header: header).offset(cell) == minutes)
    }

    @Test("a zone has a name of the world's list, an offset, or is UTC")
    func zones() throws {
        #expect(WearerZone("UTC") == .utc && WearerZone("Z") == .utc && WearerZone.utc.name == "UTC")
        #expect(WearerZone("Mars/Olympus") == nil)
        var offset = try #require(WearerZone("-03:30")), tokyo = try #require(WearerZone("Asia/Tokyo"))
        #expect(offset.name == "-03:30" && offset.reading(atLocal: 0) == .once(-210))
        #expect(tokyo.name == "Asia/Tokyo" && tokyo.reading(atLocal: 0) == .once(540))
    }

    @Test("a clock is set forward and back at the minute, whatever was read of it before", arguments: [false, true])
    func changes(isFalling: Bool) throws {
        // Lord Howe Island goes from +10:30 to +11:00 at 02:00 on 2024-10-06, and back at 02:00 on 2024-04-07, by half an hour.
        let wanted: [(String, WearerZone.Occurrence)] = [
            ("2024-04-06 01:30", .once(660)), ("2024-04-07 01:29", .once(660)), ("2024-04-07 01:30", .twice(660, 630)),
            ("2024-04-07 01:59", .twice(660, 630)), ("2024-04-07 02:00", .once(630)), ("2024-04-08 01:45", .once(630)),
            ("2024-10-05 02:15", .once(630)), ("2024-10-06 01:59", .once(630)), ("2024-10-06 02:00", .never),
            ("2024-10-06 02:29", .never), ("2024-10-06 02:30", .once(660)), ("2024-10-07 02:15", .once(660)),
        ]
        var zone = try #require(WearerZone("Australia/Lord_Howe"))
        let pattern = try #require(TimePattern("yyyy-MM-dd HH:mm"))
        for (text, occurrence) in isFalling ? wanted.reversed() : wanted {
            let bytes = Array(text.utf8)
            let time = pattern.parse(bytes.span.bytes, 0, bytes.count)
            #expect(zone.reading(atLocal: try #require(time).civil.microseconds) == occurrence, "\(text)")
        }
    }
}
