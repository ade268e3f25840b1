import Foundation
import JSON5
import SignalSynthesis
import Testing

@testable import AlertRules

@Suite("A rule's hours")
struct ScheduleTests {
    /// Microseconds of a moment such as `2026-01-02T22:00:00Z`.
    private static func moment(_ text: String) throws -> Int64 {
        Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970 * 1e6)
    }

    private static func schedule(_ zone: String, _ days: Set<Int> = Set(1...7), _ from: Int, _ to: Int) throws -> Schedule {
        Schedule(zone: try #require(TimeZone(identifier: zone)), days: days, from: from, to: to)
    }

    @Test(
        "hold on their days, over midnight those of the day on which they began",
        arguments: [
            ("2026-01-02T21:59:59Z", false), ("2026-01-02T22:00:00Z", true), ("2026-01-02T23:59:59Z", true), ("2026-01-03T00:00:00Z", true),
            ("2026-01-03T05:59:59Z", true), ("2026-01-03T06:00:00Z", false), ("2026-01-03T22:00:00Z", false),
            ("2026-01-02T05:59:59Z", false),
            // A Friday before 1970.
            ("1969-12-26T22:00:00Z", true), ("1969-12-26T21:59:59Z", false), ("1969-12-27T05:00:00Z", true),
        ])
    func overMidnight(text: String, isIn: Bool) throws {
        #expect(try Self.schedule("UTC", [5], 22 * 60, 6 * 60).contains(Self.moment(text)) == isIn)
    }

    @Test("begin with their first minute and end before their last", arguments: 1...7)
    func days(day: Int) throws {
        // 2026-01-05 was a Monday.
        let schedule = try Self.schedule("UTC", [day], 8 * 60, 17 * 60 + 30)
        for other in 1...7 {
            let date = "2026-01-\(other == 7 ? "11" : "0\(other + 4)".suffix(2))"
            let found = try ["07:59:59", "08:00:00", "17:29:59", "17:30:00"].map { try schedule.contains(Self.moment("\(date)T\($0)Z")) }
            #expect(found == (other == day ? [false, true, true, false] : [false, false, false, false]), "\(date)")
        }
    }

    @Test(
        "open next on their day, also where the clocks change that night",
        arguments: [
            ("UTC", [5], 22 * 60, 6 * 60, "2026-01-03T06:00:00Z", "2026-01-09T22:00:00Z"),
            ("UTC", [1], 8 * 60, 17 * 60, "2026-01-05T07:59:59Z", "2026-01-05T08:00:00Z"),
            ("UTC", [1], 8 * 60, 17 * 60, "2026-01-05T17:00:00Z", "2026-01-12T08:00:00Z"),
            ("Asia/Kathmandu", [1], 8 * 60, 17 * 60, "2026-01-05T00:00:00Z", "2026-01-05T02:15:00Z"),
            // 02:30 is not on 29 March in Berlin; twice on 25 October, and between them it is 02:00 again.
            ("Europe/Berlin", [7], 150, 360, "2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z"),
            ("Europe/Berlin", [7], 150, 360, "2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z"),
            ("Europe/Berlin", [7], 150, 360, "2026-10-25T01:10:00Z", "2026-10-25T01:30:00Z"),
            ("America/New_York", [7], 60, 120, "2026-03-08T00:00:00Z", "2026-03-08T06:00:00Z"),
        ] as [(String, Set<Int>, Int, Int, String, String)])
    func opening(zone: String, days: Set<Int>, from: Int, to: Int, after: String, opens: String) throws {
        let schedule = try Self.schedule(zone, days, from, to)
        #expect(try schedule.nextOpening(after: Self.moment(after)) == Self.moment(opens))
        #expect(try schedule.contains(Self.moment(opens)) && !schedule.contains(Self.moment(after)))
        #expect(try !schedule.contains(Self.moment(opens) - 1))
    }

    @Test("hold as the calendar of their zone says, and open at its next such minute", arguments: 0..<12)
    func calendar(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let name = ["UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu"][seed % 5]
        let zone = try #require(TimeZone(identifier: name))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        for _ in 0..<12 {
            let (from, to) = (Int.random(in: 0..<1440, using: &random), Int.random(in: 0...1440, using: &random))
            guard from != to else { continue }
            let schedule = Schedule(
                zone: zone, days: Set((1...7).filter { _ in Int.random(in: 0..<4, using: &random) > 0 }), from: from, to: to)
            let second = Int64.random(in: 1_760_000_000...1_790_000_000, using: &random)
            func isIn(_ second: Int64) -> Bool {
                let parts = calendar.dateComponents([.weekday, .hour, .minute], from: Date(timeIntervalSince1970: Double(second)))
                let (minute, today) = ((parts.hour ?? 0) * 60 + (parts.minute ?? 0), ((parts.weekday ?? 0) + 5) % 7 + 1)
                if from < to { return schedule.days.contains(today) && minute >= from && minute < to }
                return (schedule.days.contains(today) && minute >= from) || (schedule.days.contains((today + 5) % 7 + 1) && minute < to)
            }
            #expect(schedule.contains(second * 1_000_000) == isIn(second), "\(schedule) at \(second)")
            guard !isIn(second), let opening = schedule.nextOpening(after: second * 1_000_000) else { continue }
            #expect(opening % 60_000_000 == 0 && isIn(opening / 1_000_000) && !isIn(opening / 1_000_000 - 60), "\(schedule) at \(second)")
            for quarter in stride(from: second, to: opening / 1_000_000, by: 900) { #expect(!isIn(quarter)) }
        }
    }

    @Test("that are on no day never open")
    func never() throws {
        #expect(try Self.schedule("UTC", [], 60, 120).nextOpening(after: 0) == nil)
    }

    @Test(
        "are read from times of the day and names of days",
        arguments: [
            (#"zone: "UTC""#, 0, 1440, [1, 2, 3, 4, 5, 6, 7]),
            (#"zone: "UTC", from: "00:01", to: "24:00""#, 1, 1440, [1, 2, 3, 4, 5, 6, 7]),
            (#"zone: "UTC", from: "22:59", to: "06:00", days: ["Monday", "sunday"]"#, 1379, 360, [1, 7]),
            (#"zone: "UTC", days: ["tuesday", "wednesday", "thursday", "friday", "saturday"]"#, 0, 1440, [2, 3, 4, 5, 6]),
        ] as [(String, Int, Int, Set<Int>)])
    func reading(members: String, from: Int, to: Int, days: Set<Int>) throws {
        let text = "{rules: [{id: \"a\", metric: \"heart-rate\", severity: \"warning\", above: 110, schedule: {\(members)}}]}"
        let schedule = try #require(try RuleSetReader.read([RuleFile(name: "r", text: text)]).rules[0].schedule)
        #expect(schedule.from == from && schedule.to == to && schedule.days == days)
    }

    @Test(
        "are refused with their place where they are none",
        arguments: [
            (#"{from: "08:00"}"#, #"1:1: "zone" is missing"#), (#"{zone: 1}"#, #"1:8: "zone" must be a text such as "Europe/Berlin""#),
            (
                #"{zone: "UTC", days: ["mon", "friday"]}"#,
                "1:22: a day must be one of monday, tuesday, wednesday, thursday, friday, saturday, sunday"
            ),
            (#"{zone: "UTC", days: []}"#, #"1:1: "days" names no day"#),
            (#"{zone: "UTC", from: "24:01"}"#, #"1:21: "from" must be a time of day; write it as "08:00""#),
            (#"{zone: "UTC", from: "12:60"}"#, #"1:21: "from" must be a time of day; write it as "08:00""#),
            (#"{zone: "UTC", from: "-1:30"}"#, #"1:21: "from" must be a time of day; write it as "08:00""#),
            (#"{zone: "UTC", to: "25:00"}"#, #"1:19: "to" must be a time of day; write it as "08:00""#),
            (#"{zone: "UTC", to: "8"}"#, #"1:19: "to" must be a time of day; write it as "08:00""#),
            (#"{zone: "UTC", to: 8}"#, #"1:19: "to" must be a time of day; write it as "08:00""#),
            (#"{zone: "UTC", from: "08:00", to: "08:00"}"#, "1:1: the schedule is empty: it ends where it begins"),
            (#"{zone: "UTC", until: "08:00"}"#, #"1:15: "until" is not known here"#),
        ])
    func refused(text: String, problem: String) throws {
        let problems = JSON5Problems()
        let object = try #require(JSON5Object(try JSON5Parser.parse(text), as: "a schedule", problems: problems))
        _ = ScheduleReader.read(object)
        #expect(problems.sorted.map { $0.description(file: "r") }.contains { $0.hasPrefix("r:" + problem) }, "\(problems.sorted)")
        #expect(problems.sorted.count == 1, "\(problems.sorted)")
    }
}
