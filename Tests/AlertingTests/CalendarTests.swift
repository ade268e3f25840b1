import AlertRules
import Calendars
import Foundation
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

@Suite("Calendars")
struct CalendarTests {
    private static let year: Range<Int64> = 1_767_225_600..<1_798_761_600

    private static func read(_ events: String...) throws -> [String] {
        let body = events.map { "BEGIN:VEVENT\n\($0)\nEND:VEVENT" }.joined(separator: "\n")
        let text = "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:test\n\(body)\nEND:VCALENDAR\n".replacing(
            "\n", with: "\r\n")
        return try CalendarFile.read(text, in: year).map { occurrence in
            let ends = [occurrence.start, occurrence.end].map {
                Date(timeIntervalSince1970: Double($0)).formatted(.iso8601)
            }
            return ends.joined(separator: " ") + (occurrence.isFloating ? " floating" : "")
        }
    }

    @Test("follow repetitions in the zone of an event, over both changes of the clocks")
    func zones() throws {
        let nights = try Self.read(
            "UID:1\nDTSTART;TZID=Europe/Berlin:20260327T220000\nDTEND;TZID=Europe/Berlin:20260327T230000\nRRULE:FREQ=DAILY;COUNT=3"
        )
        #expect(
            nights == [
                "2026-03-27T21:00:00Z 2026-03-27T22:00:00Z", "2026-03-28T21:00:00Z 2026-03-28T22:00:00Z",
                "2026-03-29T20:00:00Z 2026-03-29T21:00:00Z",
            ])
        let autumn = try Self.read(
            "UID:1\nDTSTART;TZID=America/New_York:20251101T090000\nDURATION:PT30M\nRRULE:FREQ=MONTHLY;BYDAY=1SU"
        )
        #expect(autumn.count == 12 && autumn.contains("2026-10-04T13:00:00Z 2026-10-04T13:30:00Z"))
        #expect(autumn.contains("2026-11-01T14:00:00Z 2026-11-01T14:30:00Z"))
    }

    @Test("have holidays as days wherever one is, leap days too")
    func holidays() throws {
        #expect(
            try Self.read(
                "UID:1\nDTSTART;VALUE=DATE:20001225\nRRULE:FREQ=YEARLY",
                "UID:2\nDTSTART;VALUE=DATE:20260101\nDTEND;VALUE=DATE:20260103")
                == [
                    "2026-01-01T00:00:00Z 2026-01-03T00:00:00Z floating",
                    "2026-12-25T00:00:00Z 2026-12-26T00:00:00Z floating",
                ])
        // The twenty-ninth of February does not come in 2026.
        #expect(try Self.read("UID:1\nDTSTART;VALUE=DATE:20240229\nRRULE:FREQ=YEARLY").isEmpty)
    }

    @Test("leave out what is excepted or cancelled, and take what was moved in its place")
    func exceptions() throws {
        let weekly =
            "UID:1\nDTSTART:20260105T080000Z\nDTEND:20260105T090000Z\nRRULE:FREQ=WEEKLY;COUNT=4\nEXDATE:20260112T080000Z"
        let moved =
            "UID:1\nRECURRENCE-ID:20260119T080000Z\nDTSTART:20260120T100000Z\nDTEND:20260120T110000Z"
        #expect(
            try Self.read(
                weekly, moved, "UID:2\nDTSTART:20260201T080000Z\nDTEND:20260201T090000Z\nSTATUS:CANCELLED")
                == [
                    "2026-01-05T08:00:00Z 2026-01-05T09:00:00Z", "2026-01-20T10:00:00Z 2026-01-20T11:00:00Z",
                    "2026-01-26T08:00:00Z 2026-01-26T09:00:00Z",
                ])
    }

    @Test(
        "are bounded, and refuse what is none",
        arguments: ["", "hello", "BEGIN:VCARD\r\nEND:VCARD\r\n", "BEGIN:VEVENT\r\nEND:VEVENT\r\n"])
    func wrong(text: String) throws {
        #expect(throws: CalendarFile.Failure.noCalendar) { try CalendarFile.read(text, in: Self.year) }
        #expect(throws: CalendarFile.Failure.tooMany) {
            try Self.read("UID:1\nDTSTART:20260101T000000Z\nDURATION:PT1M\nRRULE:FREQ=MINUTELY")
        }
        #expect(try Self.read("UID:1\nDTSTART:nonsense\nRRULE:FREQ=SOMETIMES").isEmpty)
    }

    @Test("open, mute and rest routes as hours and holidays do, in the zone of the file")
    func routes() throws {
        let folder = try TemporaryFolder("calendars")
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let today = calendar.startOfDay(for: Date())
        let (format, day) = (
            DateFormatter(), try #require(calendar.date(byAdding: .day, value: 1, to: today))
        )
        (format.timeZone, format.dateFormat, format.locale) = (
            calendar.timeZone, "yyyyMMdd", Locale(identifier: "en_US_POSIX")
        )
        let text =
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART;VALUE=DATE:\(format.string(from: day))\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        try folder.write(text, to: "away.ics")
        func read(_ calendar: String) throws -> NotifierSettings {
            try NotifierSettingsReader.read(
                RuleFile(
                    name: folder.path("n.json5"),
                    text: """
                        {zone: "Europe/Berlin", holidays: [{calendar: "\(calendar)"}],
                         hours: {away: {calendar: "\(calendar)"}, feast: {days: ["holiday"]}},
                         notifiers: [{id: "a", type: "command", command: ["/bin/true"]}, {id: "b", type: "command", command: ["/bin/true"]}],
                         routes: [{match: {severity: "notice"}, active: ["feast"], to: "b"}, {active: ["away"], to: "b"}, {to: "a"}]}
                        """), rules: try RuleSetReader.read([RuleFile(name: "r", text: "{rules: []}")]))
        }
        let tree = try #require(try read("away.ics").routing)
        func told(_ time: Date, severity: String = "warning") -> [String] {
            tree.targets(
                RouteSubject(person: "x", severity: severity), at: Int64(time.timeIntervalSince1970 * 1e6)
            ).map(\.notifier)
        }
        let end = try #require(calendar.date(byAdding: .day, value: 1, to: day))
        #expect(
            [day.addingTimeInterval(-1), day, end.addingTimeInterval(-1), end].map { told($0) } == [
                ["a"], ["b"], ["b"], ["a"],
            ])
        #expect(told(day, severity: "notice") == ["b"] && told(end, severity: "notice") == ["a"])
        #expect(
            tree.nextChange(after: Int64(day.timeIntervalSince1970 * 1e6) - 90_000_000)
                == Int64(day.timeIntervalSince1970 * 1e6))
        #expect(throws: RuleError.self) { try read("missing.ics") }
        try folder.write("nonsense", to: "wrong.ics")
        let error = try #require(throws: RuleError.self) { try read("wrong.ics") }
        #expect(
            error.entries.contains {
                $0.description.contains("n.json5:1:") && $0.description.contains("no iCalendar")
            })
    }
}
