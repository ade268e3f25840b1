import Foundation
import Testing

@testable import CSVImport

@Suite("clocks and dates")
struct ClockTests {
    private func options(zone: String? = "UTC") -> ImportOptions {
        var options = ImportOptions()
        options.participant = "p"
        options.zone = zone
        return options
    }

    private func times(_ texts: [String], zone: String? = "UTC", delimiter: String = ";") throws -> Decoded {
        try Decoded("time\(delimiter)pulse\n" + texts.map { "\($0)\(delimiter)60\n" }.joined(), options: options(zone: zone))
    }

    @Test("says that times without a zone are taken as UTC, and asks where some have one and some have none")
    func zoneless() throws {
        let decoded = try times(["2024-03-25 10:00:00"], zone: nil)
        #expect(decoded.survey.warnings.contains { $0.contains("name no zone and are taken as UTC") })
        #expect(try times(["2024-03-25T10:00:00+02:00"], zone: nil).survey.warnings.isEmpty)
        let error = #expect(throws: ImportError.self) { try times(["2024-03-25T10:00:00+02:00", "2024-03-25T10:00:00"], zone: nil) }
        #expect(error?.code == .ambiguous)
        #expect(try Decoded("Time (UTC),pulse\n2024-03-25 10:00,60\n", options: options(zone: nil)).survey.warnings.isEmpty)
    }

    @Test("refuses an hour that the clocks left out, and tells the two passes of the one they showed twice by the order")
    func changes() throws {
        let spring = try times(["2024-03-31 01:59:00", "2024-03-31 02:30:00", "2024-03-31 03:00:00"], zone: "Europe/Berlin")
        #expect(spring.rows.map(\.time) == [1_711_846_740, 1_711_846_800])
        #expect(spring.rejects.map(\.reason) == ["the clocks of Europe/Berlin were set forward past this time"])
        let autumn = try times(
            [
                "2024-10-27 01:30:00", "2024-10-27 02:10:00", "2024-10-27 02:50:00", "2024-10-27 02:10:00", "2024-10-27 02:50:00",
                "2024-10-27 03:10:00",
            ],
            zone: "Europe/Berlin")
        let start = 1_729_985_400.0
        #expect(autumn.rows.map { ($0.time - start) / 60 } == [0, 40, 80, 100, 140, 160])
        #expect(autumn.rows.map(\.zone) == [120, 120, 120, 60, 60, 60])
        #expect(autumn.notes.contains { $0.hasPrefix("4 times lie in the hour") }, "\(autumn.notes)")
        let falling = try times(
            ["2024-10-27 03:10:00", "2024-10-27 03:00:00", "2024-10-27 02:50:00", "2024-10-27 02:10:00", "2024-10-27 02:50:00"],
            zone: "Europe/Berlin")
        #expect(falling.rows.map(\.zone) == [60, 60, 60, 60, 120])
    }

    /// 2024-10-27 01:30 in Berlin, from which on the minutes below count.
    private static let night = 1_729_985_400.0

    private func minutes(_ rows: [Decoded.Row]) -> [Double] { rows.map { (($0.time - Self.night) / 60 * 10).rounded() / 10 } }

    @Test("tells the two passes of the hour apart for each participant, source and metric, and not by a step back of seconds")
    func passes() throws {
        // Every ten minutes from 01:30 to 03:20 on the clock, one person's rows two seconds before the other's.
        let clock = (0..<18).map { step -> (String, Double) in
            let minute = 90 + step * 10, shown = minute < 180 ? minute : minute - 60
            return ("2024-10-27 0\(shown / 60):\(shown % 60 < 10 ? "0" : "")\(shown % 60)", Double(step * 10))
        }
        let expected = clock.map(\.1)
        let options = options(zone: "Europe/Berlin")
        var both = options
        both.participant = nil
        let people = try Decoded(
            "time;patient;pulse\n" + clock.map { "\($0.0):02;a;60\n\($0.0):00;b;60\n" }.joined(), options: both)
        for person in ["a", "b"] {
            #expect(minutes(people.rows.filter { $0.participant == person }).map { $0.rounded(.down) } == expected, "\(person)")
        }
        let sources = try Decoded(
            "time;device;pulse\n" + clock.map { "\($0.0):02;x;60\n\($0.0):00;y;60\n" }.joined(), options: options)
        #expect(minutes(sources.rows.filter { $0.source == "y" }) == expected)
        let long = try Decoded(
            "time;metric;value\n" + clock.map { "\($0.0):02;heart rate;60\n\($0.0):00;spo2;97\n" }.joined(), options: options)
        #expect(minutes(long.rows.filter { $0.metric == "oxygen-saturation" }) == expected)
        // Blocks of one metric after the other.
        let blocks = try Decoded(
            "time;metric;value\n" + clock.map { "\($0.0);heart rate;60\n" }.joined() + clock.map { "\($0.0);spo2;97\n" }.joined(),
            options: options)
        #expect(minutes(blocks.rows) == expected + expected)
        // Rows that are not quite in order, at the start, at both ends of the hour and in between.
        let unordered = try times(
            [
                "2024-10-27 01:59:58", "2024-10-27 01:59:56", "2024-10-27 02:00:03", "2024-10-27 01:59:59", "2024-10-27 02:00:01",
                "2024-10-27 02:40:00", "2024-10-27 02:39:58", "2024-10-27 02:05:00", "2024-10-27 02:04:58", "2024-10-27 02:59:58",
                "2024-10-27 03:00:01", "2024-10-27 02:59:59", "2024-10-27 03:00:02",
            ], zone: "Europe/Berlin")
        #expect(unordered.rows.map(\.zone) == [120, 120, 120, 120, 120, 120, 120, 60, 60, 60, 60, 60, 60])
        // The newest first, two people in turns.
        let falling = try Decoded(
            "time;patient;pulse\n" + clock.reversed().map { "\($0.0):00;a;60\n\($0.0):02;b;60\n" }.joined(), options: both)
        #expect(minutes(falling.rows.filter { $0.participant == "a" }) == expected.reversed())
        #expect(minutes(falling.rows.filter { $0.participant == "b" }).map { $0.rounded(.down) } == expected.reversed())
    }

    @Test("takes the end of an interval from its start, whatever ended before")
    func ends() throws {
        let decoded = try Decoded(
            """
            start;end;steps
            2024-10-27 01:50;2024-10-27 02:40;1
            2024-10-27 02:00;2024-10-27 02:30;2
            2024-10-27 02:45;2024-10-27 02:15;3
            2024-10-27 02:10;2024-10-27 02:50;4
            2024-10-27 02:50;2024-10-27 03:10;5

            """, options: options(zone: "Europe/Berlin"))
        #expect(decoded.values("steps") == [1, 2, 3, 4, 5])
        #expect(minutes(decoded.rows) == [20, 30, 75, 100, 140])
        #expect(decoded.rows.map(\.interval) == [3000, 1800, 1800, 2400, 1200])
    }

    @Test("finds the order of day and month in all of the file, and asks where nothing tells it")
    func order() throws {
        let late = (1...12).map { "0\($0 % 9 + 1)/02/2024 08:00" } + Array(repeating: "05/06/2024 08:00", count: 600) + ["25/06/2024 08:00"]
        #expect(try times(late).rows.last?.time == 1_719_302_400)
        let sorted = try times(["11/01/2024 08:00", "12/01/2024 08:00", "01/02/2024 08:00"])
        #expect(sorted.rows.first?.time == 1_704_960_000, "in order only as day first")
        let error = #expect(throws: ImportError.self) { try times(["03/04/2024 08:00"]) }
        #expect(error?.code == .ambiguous)
        #expect(error?.message.contains("2024-03-04") == true && error?.message.contains("2024-04-03") == true, "\(error?.message ?? "")")
        var chosen = options()
        chosen.dateFormats = TimeFormat.dayFirst
        #expect(try Decoded("time;pulse\n03/04/2024 08:00;60\n", options: chosen).rows[0].time == 1_712_131_200)
    }

    @Test(
        "reads dates as people and programs write them",
        arguments: [
            ("25. März 2024, 10:00", 1_711_360_800), ("25 mars 2024 10:00", 1_711_360_800), ("25 de marzo de 2024 10:00", 1_711_360_800),
            ("25 mar. 2024 10:00", 1_711_360_800), ("25 mrt. 2024 10:00", 1_711_360_800), ("25 marca 2024 10:00", 1_711_360_800),
            ("25 maaliskuuta 2024 10:00", 1_711_360_800), ("25 августа 2024 10:00", 1_724_580_000),
            ("Mar 25, 2024 10:00 AM", 1_711_360_800),
            ("Mar 25, 2024, 10:00:00\u{202F}AM", 1_711_360_800), ("3/25/2024, 10:00:00 a.m.", 1_711_360_800),
            ("25/03/2024, 10:00", 1_711_360_800),
            ("25.03.24 10:00", 1_711_360_800), ("2024.03.25 10:00", 1_711_360_800), ("20240325", 1_711_324_800),
            ("20240325100000", 1_711_360_800),
            ("20240325T100000Z", 1_711_360_800), ("Mon, 25 Mar 2024 10:00:00 +0000", 1_711_360_800), ("45376.416666666664", 1_711_360_800),
            ("1711360800000", 1_711_360_800), ("1711360800000000000", 1_711_360_800), ("25-Mar-2024 10:00", 1_711_360_800),
            ("2024-03-25T10:00:00,500", 1_711_360_800), ("2024-03-25 12:00:00 UTC+0200", 1_711_360_800),
            ("3/25/2024 12:30 AM", 1_711_326_600),
        ])
    func written(text: String, seconds: Double) throws {
        let decoded = try times([text], delimiter: "\t")
        #expect(decoded.rows.first?.time.rounded(.down) == seconds, "\(decoded.rejects.map(\.reason))")
    }

    @Test("spreadsheets' days are said to be such")
    func spreadsheet() throws {
        #expect(try times(["45376,5"]).survey.warnings.contains { $0.contains("spreadsheet") })
    }
}
