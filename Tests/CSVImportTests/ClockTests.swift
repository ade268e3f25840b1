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
