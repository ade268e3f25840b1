import Foundation
import Testing
import VigilSchema

@testable import HealthModules

@Suite("A person's calendar")
struct CalendarTests {
    @Test("knows leap days and refuses days that are none")
    func leapDays() {
        #expect(PersonCalendar.day(written: "1970-01-01") == 0 && PersonCalendar.day(written: "2024-02-29") == 19_782)
        for text in ["2023-02-29", "2024-13-01", "2024-00-10", "2024-1-1", "", "abcd-ef-gh", "2024-02-30", "+024-02-03"] {
            #expect(PersonCalendar.day(written: text) == nil, "\(text)")
        }
        for day in stride(from: -800_000, to: 800_000, by: 997) {
            #expect(CivilDate(daysSince1970: day).daysSince1970 == day && CivilDate(daysSince1970: day).isValid)
        }
        #expect(PersonCalendar.weekday(of: 0) == 3 && PersonCalendar.weekday(of: -3) == 0 && PersonCalendar.weekday(of: 4) == 0)
    }

    @Test("keeps the wall's clock over changes of the clock and of the place")
    func zones() throws {
        let berlin = PersonCalendar(zone: try #require(TimeZone(identifier: "Europe/Berlin")))
        let march = try #require(PersonCalendar.day(written: "2026-03-29"))
        #expect(berlin.time(day: march + 1) - berlin.time(day: march) == 23 * 3600)
        let october = try #require(PersonCalendar.day(written: "2026-10-25"))
        #expect(berlin.time(day: october + 1) - berlin.time(day: october) == 25 * 3600)
        #expect(berlin.place(of: berlin.time(day: october, second: 8 * 3600)).second == 8 * 3600)
        for time in [Double.infinity, -.infinity, 1e300, -1e300] { _ = PersonCalendar.place(of: time, offset: 0) }
    }

    @Test("ends quiet hours in the morning, also over midnight")
    func quiet() throws {
        let hours = try #require(QuietHours("22:00-07:00"))
        let calendar = PersonCalendar(zone: .gmt)
        #expect(hours.end(at: 23 * 3600, in: calendar) == 111_600.0)
        #expect(hours.end(at: 6 * 3600, in: calendar) == 25_200.0)
        #expect(hours.end(at: 7 * 3600, in: calendar) == nil)
        for text in ["", "22:00", "22:00-22:00", "24:00-07:00", "22-7", "22:00-07:60", "२२:००-०७:००", "22:00-07:00-08:00"] {
            #expect(QuietHours(text) == nil, "\(text)")
        }
    }
}
