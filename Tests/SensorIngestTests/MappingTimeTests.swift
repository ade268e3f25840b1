import Foundation
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Times of mapped messages")
struct MappingTimeTests {
    private static let noon = 1_769_857_200.0  // 2026-01-31T11:00:00Z

    @Test(
        "by size are seconds below 10^11, milliseconds below 10^14, microseconds below 10^17, nanoseconds from there",
        arguments: [
            (1_769_857_200, noon), (0, 0), (-60, -60), (99_999_999_999, 99_999_999_999), (1e11, 1e8), (1_769_857_200_000, noon),
            (99_999_999_999_999, 99_999_999_999.999), (1e14, 1e8), (1_769_857_200_000_000, noon), (1e17, 1e8), (1_769_857_200e9, noon),
            (-1e11, -1e8), (-1_769_857_200_000, -1_769_857_200), (1_769_857_200.25, 1_769_857_200.25),
        ] as [(Double, Double)])
    func bySize(number: Double, seconds: Double) {
        let time = MappingTime()
        #expect(time.moment(.number(number))?.time == Timestamp(seconds: seconds))
        // As a text a small number is a year, or a day without its dashes.
        #expect(time.moment(.string("\(number)"))?.time == (abs(number) < 1e8 ? nil : Timestamp(seconds: seconds)))
        #expect(time.moment(.number(number))?.zone == nil)
    }

    @Test(
        "are numbers of the unit that is declared",
        arguments: [
            ("s", 1_769_857_200, noon), ("ms", 1_769_857_200_500, noon + 0.5), ("us", 1_769_857_200_500_000, noon + 0.5),
            ("ns2000", 823_172_400_000_000_000, noon), ("ns2000", 0, 946_684_800), ("s", 249_999_999_999, 249_999_999_999),
            ("ms", 0, 0), ("s", -1, -1),
        ] as [(String, Double, Double)])
    func declared(kind: String, number: Double, seconds: Double) throws {
        var time = MappingTime()
        time.kind = try #require(MappingTime.Kind(rawValue: kind))
        #expect(time.moment(.number(number))?.time == Timestamp(seconds: seconds))
    }

    @Test(
        "are none beyond what a time can be, or of another type",
        arguments: [
            ("s", MappingValue.number(250_000_000_000)), ("s", .number(-250_000_000_000)), ("auto", .number(2.5e20)),
            ("s", .string("soon")), ("iso", .number(1_769_857_200)),
            ("auto", .array([])), ("auto", .string("2024")), ("auto", .string("20240131")), ("auto", .string("2024-05")),
            ("auto", .string("soon")), ("auto", .string("")), ("iso", .string("2026-13-01")), ("ms", .null),
        ])
    func none(kind: String, value: MappingValue) throws {
        var time = MappingTime()
        time.kind = try #require(MappingTime.Kind(rawValue: kind))
        #expect(time.moment(value) == nil)
    }

    @Test(
        "as texts are ISO 8601, also with a blank for T, a zone behind a blank, without seconds, or a date alone",
        arguments: [
            ("2026-01-31T11:00:00Z", noon, 0), ("2026-01-31 11:00:00", noon, nil), ("2026-01-31 11:00", noon, nil),
            (" 2026-01-31T11:00 ", noon, nil),
            ("2026-01-31T12:00:00+01:00", noon, 60), ("2026-01-31 12:00:00 +0100", noon, 60), ("2026-01-31", 1_769_817_600, nil),
            ("2026-01-31T11:00:00.250Z", noon + 0.25, 0), ("/Date(1769857200500)/", noon + 0.5, nil),
            ("/Date(1769857200500+0100)/", noon + 0.5, nil),
        ] as [(String, Double, Int16?)])
    func texts(text: String, seconds: Double, zone: Int16?) {
        let moment = MappingTime().moment(.string(text))
        #expect(moment?.time == Timestamp(seconds: seconds), "\(String(describing: moment))")
        #expect(moment?.zone == zone || zone == 0 && moment?.zone == nil, "\(String(describing: moment))")
    }

    @Test(
        "without a zone are local where a zone is declared, on both sides of a change of clocks",
        arguments: [
            ("2026-01-31T12:00:00", noon, 60), ("2026-07-31T13:00:00", 1_785_495_600, 120),
            // Clocks go from 02:00 to 03:00 on 2026-03-29, at 01:00 UTC, which is 1774746000.
            ("2026-03-29T01:59:59", 1_774_745_999, 60), ("2026-03-29T03:00:00", 1_774_746_000, 120),
            // And from 03:00 to 02:00 on 2026-10-25, at 01:00 UTC, which is 1792890000.
            ("2026-10-25T01:59:59", 1_792_886_399, 120), ("2026-10-25T03:00:00", 1_792_893_600, 60),
            ("2026-01-31T11:00:00Z", noon, 0),
        ] as [(String, Double, Int16)])
    func zones(text: String, seconds: Double, zone: Int16) {
        var time = MappingTime()
        time.zone = TimeZone(identifier: "Europe/Berlin")
        let moment = time.moment(.string(text))
        #expect(moment?.time == Timestamp(seconds: seconds), "\(String(describing: moment?.time.seconds))")
        #expect(moment?.zone == zone || zone == 0)
    }

    @Test(
        "by a pattern are read digit by digit",
        arguments: [
            ("M/d/yyyy h:mm:ss a", "1/31/2026 11:00:00 AM", "2026-01-31T11:00:00"),
            ("M/d/yyyy h:mm:ss a", "12/1/2026 1:02:03 pm", "2026-12-01T13:02:03"),
            ("M/d/yyyy h:mm a", "1/31/2026 12:30 am", "2026-01-31T00:30:00"),
            ("M/d/yyyy h:mm a", "1/31/2026 12:30 PM", "2026-01-31T12:30:00"),
            ("dd.MM.yyyy HH:mm", "31.01.2026 11:00", "2026-01-31T11:00:00"), ("d/M/yy", "1/2/26", "2026-02-01T00:00:00"),
            ("yyyyMMddHHmmss", "20260131110000", "2026-01-31T11:00:00"), ("yyyyMMdd", "20260131", "2026-01-31T00:00:00"),
            ("dd.MM.yyyy HH:mm:ss", "1.2.2026 3:4:5", "2026-02-01T03:04:05"), ("d/M/yyyy", "1/2/99", "2099-02-01T00:00:00"),
            ("d/M/yyyy", "1/2/100", "0100-02-01T00:00:00"), ("yyyy-MM-dd HH", "2026-01-31\u{A0}11", "2026-01-31T11:00:00"),
        ])
    func patterns(pattern: String, text: String, expected: String) throws {
        #expect(try #require(MappingTimePattern(pattern)).iso(text) == expected)
    }

    @Test(
        "by a pattern are none where anything else stands",
        arguments: [
            ("dd.MM.yyyy", "31.01.2026 "), ("dd.MM.yyyy", "31-01-2026"), ("dd.MM.yyyy", "31.01."), ("dd.MM.yyyy", "x31.01.2026"),
            ("dd.MM.yyyy", "131.01.2026"),
            ("M/d/yyyy h a", "1/31/2026 11 xm"), ("M/d/yyyy h a", "1/31/2026 11"), ("dd.MM.yyyy", ""), ("dd MM yyyy", "31_01_2026"),
            ("d/M/yyyy", "1/2/20261"),
        ])
    func noPattern(pattern: String, text: String) throws {
        #expect(try #require(MappingTimePattern(pattern)).iso(text) == nil)
    }

    @Test(
        "by a pattern need year, month and day, and a half of the day with an hour of twelve alone",
        arguments: [
            "HH:mm", "yyyy-MM", "dd.MM", "yyyy-dd", "M/d/yyyy h:mm", "M/d/yyyy H:mm a", "iso", "",
        ])
    func badPatterns(pattern: String) {
        #expect(MappingTimePattern(pattern) == nil)
    }
}
