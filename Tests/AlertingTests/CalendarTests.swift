import AlertRules
import Calendars
import Foundation
import ServiceKit
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

    private static let berlin = "TZID=Europe/Berlin:"

    @Test("read changed, added and excepted occurrences in the zone that each of them names")
    func zonesOfExceptions() throws {
        let weekly = """
            UID:1\nDTSTART;\(Self.berlin)20260105T080000\nDTEND;\(Self.berlin)20260105T090000\nRRULE:FREQ=WEEKLY;COUNT=4
            EXDATE;\(Self.berlin)20260126T080000\nRDATE;\(Self.berlin)20260108T080000,20260109T080000
            RDATE;VALUE=PERIOD;\(Self.berlin)20260110T080000/PT2H
            """
        let moved = """
            UID:1\nRECURRENCE-ID;\(Self.berlin)20260112T080000\nDTSTART;\(Self.berlin)20260113T100000\nDTEND;\(Self.berlin)20260113T110000
            """
        #expect(
            try Self.read(weekly, moved).map { $0.prefix(17) } == [
                "2026-01-05T07:00:", "2026-01-08T07:00:", "2026-01-09T07:00:", "2026-01-10T07:00:", "2026-01-13T09:00:",
                "2026-01-19T07:00:",
            ])
        #expect(try Self.read(weekly).contains("2026-01-10T07:00:00Z 2026-01-10T09:00:00Z"))
    }

    @Test(
        "take an exception at midnight for that moment, and one that is a day for that day in the event's own zone",
        arguments: [
            // 00:00 UTC is no whole day.
            ("DTSTART:20260105T080000Z\nDTEND:20260105T090000Z", "EXDATE:20260106T000000Z", [5, 6, 7]),
            ("DTSTART:20260105T000000Z\nDTEND:20260105T010000Z", "EXDATE:20260106T000000Z", [5, 7]),
            // The morning in Tokyo is the day before in UTC.
            ("DTSTART;TZID=Asia/Tokyo:20260106T080000\nDURATION:PT1H", "EXDATE;VALUE=DATE:20260107", [5, 7]),
            // As Outlook excepts days of events that last whole days.
            ("DTSTART;VALUE=DATE:20260105", "EXDATE;TZID=Europe/Berlin:20260106T000000", [5, 7]),
            ("DTSTART;VALUE=DATE:20260105", "EXDATE;VALUE=DATE:20260106", [5, 7]),
        ])
    func days(event: String, exception: String, days: [Int]) throws {
        let found = try Self.read("UID:1\n\(event)\nRRULE:FREQ=DAILY;COUNT=3\n\(exception)")
        #expect(found.map { String($0.prefix(10)) } == days.map { "2026-01-0\($0)" })
    }

    @Test("follow the rules of a zone that the file itself describes, as Outlook writes it")
    func ownZone() throws {
        let text = """
            BEGIN:VCALENDAR\nMETHOD:PUBLISH\nPRODID:Microsoft Exchange Server 2010\nVERSION:2.0\nBEGIN:VTIMEZONE\nTZID:W. Europe Standard Time
            BEGIN:STANDARD\nDTSTART:16010101T030000\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nRRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
            END:STANDARD\nBEGIN:DAYLIGHT\nDTSTART:16010101T020000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200
            RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3\nEND:DAYLIGHT\nEND:VTIMEZONE\nBEGIN:VEVENT
            RRULE:FREQ=MONTHLY;UNTIL=20260601T060000Z;INTERVAL=1;BYDAY=1MO\nEXDATE;TZID=W. Europe Standard Time:20260504T080000
            UID:040000008200E00074C5B7101A82E008\nSUMMARY:Bereitschaft\nDTSTART;TZID=W. Europe Standard Time:20260302T080000
            DTEND;TZID=W. Europe Standard Time:20260302T170000\nCLASS:PUBLIC\nTRANSP:OPAQUE\nSTATUS:CONFIRMED\nSEQUENCE:0\nEND:VEVENT
            BEGIN:VEVENT\nUID:040000008200E00074C5B7101A82E008\nRECURRENCE-ID;TZID=W. Europe Standard Time:20260406T080000
            DTSTART;TZID=W. Europe Standard Time:20260407T080000\nDTEND;TZID=W. Europe Standard Time:20260407T170000\nSEQUENCE:1\nEND:VEVENT
            END:VCALENDAR

            """.replacing("\n", with: "\r\n")
        let starts = try CalendarFile.read(text, in: Self.year).map { Date(timeIntervalSince1970: Double($0.start)).formatted(.iso8601) }
        #expect(starts == ["2026-03-02T07:00:00Z", "2026-04-07T06:00:00Z", "2026-06-01T06:00:00Z"])
    }

    @Test("refuse rules that would take for ever, whether they come true or not", .timeLimit(.minutes(2)))
    func endless() throws {
        func event(_ rule: String, from start: String = "20260101T000000Z") -> String {
            "UID:1\nDTSTART:\(start)\nDURATION:PT1M\nRRULE:\(rule)"
        }
        let never = "BYMONTH=2;BYMONTHDAY=30"
        let all = (0..<60).map(String.init).joined(separator: ",")
        for rule in [
            "FREQ=SECONDLY", "FREQ=SECONDLY;\(never)", "FREQ=MINUTELY;COUNT=2",
            "FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=\(all);BYSECOND=\(all);\(never)",
        ] {
            #expect(throws: CalendarFile.Failure.tooMany, "\(rule)") { try Self.read(event(rule)) }
        }
        #expect(throws: CalendarFile.Failure.tooMany) { try Self.read(event("FREQ=HOURLY;\(never)", from: "00010101T000000Z")) }
        #expect(throws: CalendarFile.Failure.tooMany) {
            try Self.read(
                Array(repeating: event("FREQ=HOURLY;\(never)", from: "20200101T000000Z"), count: 500).joined(
                    separator: "\nEND:VEVENT\nBEGIN:VEVENT\n"))
        }
        #expect(try Self.read(event("FREQ=HOURLY;INTERVAL=6")).count == 1460)
        // A contact's birthday without its year, of which there are many.
        let birthdays = (0..<2000).map { "UID:\($0)\nDTSTART;VALUE=DATE:16040314\nRRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=14" }
        #expect(
            try Self.read(birthdays.joined(separator: "\nEND:VEVENT\nBEGIN:VEVENT\n")) == [
                "2026-03-14T00:00:00Z 2026-03-15T00:00:00Z floating"
            ])
        #expect(
            try Self.read(
                "UID:1\nDTSTART;VALUE=DATE:16000229\nRRULE:FREQ=YEARLY;INTERVAL=2",
                "UID:2\nDTSTART;VALUE=DATE:19010315\nRRULE:FREQ=YEARLY;INTERVAL=5")
                == ["2026-03-15T00:00:00Z 2026-03-16T00:00:00Z floating"])
    }

    @Test("that are no file, such as a pipe, a device or a folder, or too large, are refused and not waited for")
    func noFile() throws {
        let folder = try TemporaryFolder("calendars")
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        try folder.write(String(repeating: "x", count: 100), to: "long")
        try folder.write("", to: "empty")
        for path in [folder.path("pipe"), "/dev/zero", folder.path(""), folder.path("none")] {
            #expect(throws: RegularFile.Failure.unreadable, "\(path)") { try RegularFile.read(path, limit: 1000) }
        }
        #expect(throws: RegularFile.Failure.tooLarge) { try RegularFile.read(folder.path("long"), limit: 99) }
        #expect(
            try RegularFile.read(folder.path("long"), limit: 100).count == 100 && RegularFile.read(folder.path("empty"), limit: 1).isEmpty)
        let text = """
            {notifiers: [{id: "a", type: "command", command: ["/bin/true"]}], holidays: [{calendar: "pipe"}, {calendar: "/dev/zero"}], routes: [{to: "a"}]}
            """
        let rules = try RuleSetReader.read([RuleFile(name: "r", text: "{rules: []}")])
        let error = try #require(throws: RuleError.self) {
            try NotifierSettingsReader.read(RuleFile(name: folder.path("n.json5"), text: text), rules: rules)
        }
        #expect(error.entries.count == 2)
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
