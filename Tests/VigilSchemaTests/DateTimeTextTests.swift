import Testing
import VigilSchema

@Suite("Dates and times in text")
struct DateTimeTextTests {
    /// Microseconds from Python's `datetime`.
    @Test(
        "are read with their zone",
        arguments: [
            ("1970-01-01T00:00:00Z", 0, nil), ("1970-01-01T00:00:00z", 0, nil), ("1970-01-01t00:00:01Z", 1_000_000, nil),
            ("1970-01-01T00:01Z", 60_000_000, nil), ("1970-01-01T01:00:00Z", 3_600_000_000, nil),
            ("1969-12-31T23:59:59.999999Z", -1, nil), ("2013-02-05T07:25:00.5+01:00", 1_360_045_500_500_000, 60),
            ("2016-12-31T23:59:59-05:30", 1_483_248_599_000_000, -330), ("2016-12-31T23:59:59-0530", 1_483_248_599_000_000, -330),
            ("2013-02-05T07:25:00.5+01", 1_360_045_500_500_000, 60), ("1970-01-01T00:00:00+00:00", 0, 0),
            ("1970-01-01T00:00:00-00:00", 0, nil), ("1970-01-01T00:00:00-00:01", 60_000_000, -1),
            ("2000-02-29T00:00:00+18:00", 951_717_600_000_000, 1080),
            ("2026-01-31T12:34:56.123456-18:00", 1_769_927_696_123_456, -1080),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000_000, nil), ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999, nil),
            ("1970-01-01T23:59:59Z", 86_399_000_000, nil), ("1970-01-01T23:59:60Z", 86_400_000_000, nil),
            ("1970-01-01T00:00:00.1Z", 100_000, nil), ("1970-01-01T00:00:00.000001Z", 1, nil),
            ("1970-01-01T00:00:00.0000019Z", 1, nil), ("1970-01-01T00:00:00.1234567890123456789012345Z", 123_456, nil),
            ("1970-01-01T00:00:00+00:59", -3_540_000_000, 59), ("1970-01-01T00:00.5Z", 500_000, nil),
        ] as [(String, Int64, Int16?)])
    func read(text: String, microseconds: Int64, zone: Int16?) throws {
        let moment = try #require(DateTimeText(text))
        #expect(moment.time.microseconds == microseconds)
        #expect(moment.zone == zone)
    }

    @Test(
        "are nothing else",
        arguments: [
            "", "1970-01-01", "1970-01-01T00:00:00", "1970-01-01T00:00:00+", "1970-01-01T00:00:00+1", "1970-01-01T00:00:00+01:0",
            "1970-01-01T00:00:00+01:60", "1970-01-01T00:00:00+01:", "1970-01-01T00:00:00Zx", "1970-01-01T00:00:00+01:00x",
            "1970-01-01T24:00:00Z", "1970-01-01T00:60:00Z", "1970-01-01T00:00:61Z", "1970-01-01T00:00:00.Z", "1970-01-01T00:00:Z",
            "1970-01-01T00Z", "1970-01-01 00:00:00Z", "1970-13-01T00:00:00Z", "1970-00-01T00:00:00Z", "1970-02-29T00:00:00Z",
            "1970-01-32T00:00:00Z", "1970-1-01T00:00:00Z", "70-01-01T00:00:00Z", "1970/01/01T00:00:00Z", "1970-01/01T00:00:00Z",
            "19x0-01-01T00:00:00Z", "1970-01-01T0:00:00Z", "1970-01-01T00-00:00Z", "1970-01-01T00:00:0:Z", "1970-01-01T00:00:00*01:00",
            "1970-01-01T00:00:00,5Z", "+1970-01-01T00:00:00Z", "１970-01-01T00:00:00Z",
            // Beyond 18 hours there is no zone, and an observation cannot hold one.
            "1970-01-01T00:00:00+18:01", "1970-01-01T00:00:00-18:01", "1970-01-01T00:00:00+18:59", "1970-01-01T00:00:00+19:00",
        ])
    func others(text: String) { #expect(DateTimeText(text) == nil) }

    @Test("can be moved back, the zone kept")
    func earlier() throws {
        let moment = try #require(DateTimeText("1970-01-01T00:00:10+01:00")).earlier(by: 2.5)
        #expect(moment.time.microseconds == -3_592_500_000 && moment.zone == 60)
    }

    @Test(
        "are written as they are read",
        arguments: [
            (1_484_840_182_500_000, nil, "2017-01-19T15:36:22.5Z"), (0, nil, "1970-01-01T00:00:00Z"), (0, 0, "1970-01-01T00:00:00+00:00"),
            (-1, nil, "1969-12-31T23:59:59.999999Z"), (-86_400_000_000, nil, "1969-12-31T00:00:00Z"),
            (-86_400_000_001, nil, "1969-12-30T23:59:59.999999Z"), (86_399_999_999, nil, "1970-01-01T23:59:59.999999Z"),
            (86_400_000_000, nil, "1970-01-02T00:00:00Z"), (1_360_045_500_500_000, 60, "2013-02-05T07:25:00.5+01:00"),
            (1_483_248_599_000_000, -330, "2016-12-31T23:59:59-05:30"), (1_000, nil, "1970-01-01T00:00:00.001Z"),
            (1_000, -1, "1969-12-31T23:59:00.001-00:01"), (100_100, nil, "1970-01-01T00:00:00.1001Z"),
            (951_717_600_000_000, 1080, "2000-02-29T00:00:00+18:00"), (43_200_000_000, 720, "1970-01-02T00:00:00+12:00"),
            (43_199_000_000, 720, "1970-01-01T23:59:59+12:00"),
        ] as [(Int64, Int16?, String)])
    func written(microseconds: Int64, zone: Int16?, text: String) throws {
        #expect(Timestamp(microseconds: microseconds).iso8601(zone: zone) == text)
        let back = try #require(DateTimeText(text))
        #expect(back.time.microseconds == microseconds && back.zone == zone)
    }

    @Test("come back from text for every hour of a leap year and every zone")
    func roundTrip() {
        var wrong: [Int64] = []
        for step in 0..<2200 {
            // Four hours, seven minutes, nine seconds and 37 microseconds apart.
            let time = Timestamp(microseconds: 1_704_067_200_000_000 + Int64(step) * 14_829_000_037)
            let zone = Int16(step % 2161 - 1080)
            let back = DateTimeText(time.iso8601(zone: zone == 0 ? nil : zone))
            if back?.time != time || back?.zone != (zone == 0 ? nil : zone) { wrong.append(time.microseconds) }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    }
}
