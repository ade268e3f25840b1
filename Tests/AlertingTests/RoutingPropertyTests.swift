import AlertRules
import Calendars
import Foundation
import Testing
import VigilSchema

@testable import Alerting

/// Random trees and moments against a reference written apart: recursion over lists of paths in place of a walk, Foundation's calendar in place of
/// arithmetic on offsets.
@Suite("Routes against a reference", .timeLimit(.minutes(3)))
struct RoutingPropertyTests {
    private static let zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"].compactMap(
        TimeZone.init(identifier:))

    /// A generator that gives the same numbers on every machine.
    private struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
        mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &self) < share }
        mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
        mutating func some<Element>(_ list: [Element]) -> [Element] { list.filter { _ in chance(0.5) } }
    }

    private static let (people, severities, kinds) = (
        ["anna", "ben", "carl"], ["notice", "warning", "critical"], ["medical", "technical"]
    )
    private static let (notifiers, names) = (["n1", "n2", "n3", "n4"], ["physician", "chief"])

    /// Now and then a calendar's times in place of hours of the day.
    private static func hours(_ random: inout Random) -> RouteHours {
        if random.chance(0.15) {
            let events = (0...random.number(0...5)).map { _ in
                let start = Int64(1_767_225_600 + random.number(0...365 * 86_400) / 60 * 60)
                return CalendarFile.Occurrence(
                    start: start, end: start + Int64(random.number(1...300)) * 3600, isFloating: random.chance(0.5))
            }
            return RouteHours(zone: zones[random.number(0...zones.count - 1)], occurrences: events)
        }
        let from = random.number(0...1439)
        var to = random.chance(0.5) ? random.number(0...1440) : (from + random.number(1...1439)) % 1440
        if to == from { to = (from + 60) % 1440 }
        let day = 20_450 + random.number(0...400)
        return RouteHours(
            zone: zones[random.number(0...zones.count - 1)], days: Set((1...8).filter { _ in random.chance(0.7) }), from: from, to: to,
            holidays: random.chance(0.3) ? Set(day...day + 3) : [])
    }

    private static func rotation(_ random: inout Random) -> Rotation {
        Rotation(
            zone: zones[random.number(0...zones.count - 1)], people: (0...random.number(0...3)).map { notifiers[$0 % notifiers.count] },
            start: 20_450 + random.number(-30...30), handOver: random.number(0...1439), every: random.number(1...9))
    }

    private static func branch(_ random: inout Random, path: String, depth: Int) -> RoutingTree.Branch {
        var branch = RoutingTree.Branch(path: path)
        if random.chance(0.4) { branch.match["person"] = Set(random.some(people)) }
        if random.chance(0.3) { branch.match["severity"] = Set(random.some(severities)) }
        if random.chance(0.2) { branch.match["kind"] = Set(random.some(kinds)) }
        if random.chance(0.15) { branch.match["source"] = Set(random.some(["1", "2", "3"])) }
        if random.chance(0.15) { branch.match["profile"] = Set(random.some(["child", "pregnant"])) }
        if random.chance(0.2) { branch.escalation = Set(random.some(names)) }
        if random.chance(0.4) { branch.active = (0...random.number(0...1)).map { _ in hours(&random) } }
        if random.chance(0.2) { branch.muted = [hours(&random)] }
        branch.continues = random.chance(0.3)
        if random.chance(0.8) { branch.to = random.some(notifiers + ["turn"]) }
        if random.chance(0.3) { branch.timing.groupWait = Int64(random.number(0...9)) }
        if depth < 3 {
            branch.children = (0..<random.number(0...3)).map { Self.branch(&random, path: "\(path).\($0 + 1)", depth: depth + 1) }
        }
        return branch
    }

    /// A moment of 2026, every third within hours of a change of the clocks.
    private static func moment(_ random: inout Random) -> Int64 {
        let zone = zones[random.number(0...zones.count - 1)]
        var seconds = 1_767_225_600 + random.number(0...365 * 86_400)
        if random.chance(0.34), let change = zone.nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: Double(seconds))) {
            seconds = Int(change.timeIntervalSince1970) + random.number(-10_800...10_800)
        }
        return Int64(seconds) * 1_000_000
    }

    @Test("ten thousand random trees and moments lead where the reference says", arguments: 0..<10)
    func random(block: Int) throws {
        var told = 0
        for number in 0..<1000 {
            var random = Random(state: UInt64(block * 1000 + number + 1))
            let rotations = ["turn": Self.rotation(&random)]
            let branches = (1...3).map { Self.branch(&random, path: "\($0)", depth: 0) }
            let tree = RoutingTree(branches: branches, rotations: rotations)
            var subject = RouteSubject(
                person: Self.people[random.number(0...2)], severity: Self.severities[random.number(0...2)],
                kind: Self.kinds[random.number(0...1)], profile: Set(random.some(["child", "pregnant"])))
            subject.sources = Set(random.some([1, 2, 3]))
            let (escalations, time) = (random.some(Self.names), Self.moment(&random))
            let found = tree.targets(subject, escalations: escalations, at: time)
            let wanted = ReferenceRouting(tree: tree, subject: subject, time: time).told(escalations)
            #expect(found.map { "\($0.notifier) \($0.branch) \($0.isMuted) \($0.timing.groupWait ?? -1)" } == wanted, "seed \(number)")
            told += found.count
        }
        // The trees are not such that nobody hears of anything.
        #expect(told > 1000)
    }

    @Test("the flat form is a tree that leads to the same notifiers")
    func flat() {
        var random = Random(state: 7)
        for _ in 0..<1000 {
            let routes = Self.notifiers.map { id in
                NotifierRoute(
                    id: id, minimumSeverity: Severity.allCases[random.number(1...3)], groups: Set(random.some(["a", "b"])),
                    kinds: Set(random.some(Self.kinds)))
            }
            let alert = NotificationGroupTests.alert("r", severity: Self.severities[random.number(0...2)]) {
                $0.group = ["a", "b", "c"][random.number(0...2)]
                $0.kind = Self.kinds[random.number(0...1)]
            }.message
            let found = RoutingTree(flat: routes).targets(RouteSubject(alert, family: nil), at: 0).map(\.notifier)
            #expect(found == routes.filter { $0.concerns(alert) }.map(\.id))
        }
    }

    @Test("a rotation's day is held by somebody at every minute, and changes hands once a turn, over both changes of the clocks")
    func handOvers() throws {
        for zone in Self.zones {
            for handOver in [0, 119, 150, 180, 1380] {
                let rotation = Rotation(zone: zone, people: ["a", "b", "c"], start: 20_454, handOver: handOver)
                for season in [1_767_225_600, 1_780_000_000] {
                    // Six days around the change of the clocks, or any six, minute by minute.
                    let change = zone.nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: Double(season)))
                    let season = (change.map { Int($0.timeIntervalSince1970) } ?? season) - 3 * 86_400
                    var changes = 0
                    var last = rotation.person(at: Int64(season) * 1_000_000)
                    for minute in 1...8_640 {
                        let person = rotation.person(at: (Int64(season) + Int64(minute) * 60) * 1_000_000)
                        guard person != last else { continue }
                        let (order, before) = (["a", "b", "c"], try #require(last))
                        #expect(person == order[((order.firstIndex(of: before) ?? 0) + 1) % 3])
                        (last, changes) = (person, changes + 1)
                    }
                    #expect((5...7).contains(changes), "\(zone.identifier) \(handOver) \(season)")
                }
            }
        }
    }

    @Test("an override stands in to the minute, and a later one goes before an earlier one")
    func overrides() {
        let minute: Int64 = 60_000_000
        let rotation = Rotation(
            zone: Self.zones[0], people: ["a"], start: 20_454,
            overrides: [.init(from: 10 * minute, to: 20 * minute, person: "b"), .init(from: 15 * minute, to: 18 * minute, person: "c")])
        let seen = [9, 10, 14, 15, 17, 18, 19, 20].map { rotation.person(at: Int64($0) * minute) }
        #expect(seen == ["a", "b", "b", "c", "c", "b", "b", "a"])
    }

    @Test("the next change is the first minute at which the hours are others", arguments: 0..<200)
    func nextChange(seed: Int) {
        var random = Random(state: UInt64(seed + 1))
        let tree = RoutingTree(
            branches: [RoutingTree.Branch(active: [Self.hours(&random)], muted: [Self.hours(&random)])],
            rotations: ["turn": Self.rotation(&random)])
        let time = Self.moment(&random)
        let next = tree.nextChange(after: time)
        func state(_ at: Int64) -> [String] {
            (tree.branches[0].active + tree.branches[0].muted).map { ReferenceRouting.contains($0, at) ? "1" : "0" }
                + [tree.rotations["turn"]?.person(at: at) ?? ""]
        }
        let quiet = stride(from: (time / 60_000_000 + 1) * 60_000_000, to: next, by: 7 * 60_000_000)
        #expect(next > time && quiet.allSatisfy { state($0) == state(time) })
        #expect(state(next) != state(time) || next - time > 93_540_000_000)
    }
}

/// The reference.
private struct ReferenceRouting {
    let tree: RoutingTree
    let subject: RouteSubject
    let time: Int64

    /// A branch from the root, with all above it.
    private typealias Path = [RoutingTree.Branch]

    func told(_ escalations: [String]) -> [String] {
        var lines: [String] = []
        var known: Set<String> = []
        for stage in [nil] + escalations.map(Optional.some) {
            var found = takers(tree.branches, [], stage).flatMap(targets)
            if let stage, found.isEmpty, !allNames(tree.branches).contains(stage) {
                // A notifier or rotation of that name; the test's names are neither.
                found = [(stage, "\(stage) escalation false -1")]
            }
            for (notifier, line) in found where known.insert(notifier).inserted { lines.append(line) }
        }
        return lines
    }

    private func allNames(_ branches: [RoutingTree.Branch]) -> Set<String> {
        Set(branches.flatMap { Array($0.escalation) + Array(allNames($0.children)) })
    }

    /// The branches that keep the alert, in order.
    private func takers(_ branches: [RoutingTree.Branch], _ above: Path, _ stage: String?) -> [Path] {
        var result: [Path] = []
        for branch in branches {
            let path = above + [branch]
            guard matches(branch), branch.escalation.isEmpty || stage.map(branch.escalation.contains) == true else { continue }
            var mine = takers(branch.children, path, stage)
            if mine.isEmpty, stage == nil || path.contains(where: { stage.map($0.escalation.contains) == true }) { mine = [path] }
            result += mine
            if !mine.isEmpty, !branch.continues { return result }
        }
        return result
    }

    private func matches(_ branch: RoutingTree.Branch) -> Bool {
        let facts: [String: Set<String>] = [
            "person": [subject.person], "severity": [subject.severity], "kind": [subject.kind], "profile": subject.profile,
            "source": Set(subject.sources.map { "\($0)" }),
        ]
        let isMatch = branch.match.allSatisfy { facts[$0.key]?.contains(where: $0.value.contains) == true }
        return isMatch && (branch.active.isEmpty || branch.active.contains { Self.contains($0, time) })
    }

    private func targets(_ path: Path) -> [(String, String)] {
        let to = path.last { !$0.to.isEmpty }?.to ?? []
        let isMuted = path.contains { $0.muted.contains { Self.contains($0, time) } }
        let wait = path.last { $0.timing.groupWait != nil }?.timing.groupWait ?? -1
        return to.compactMap { name in
            let person = name == "turn" ? tree.rotations[name].flatMap { Self.person($0, time) } : name
            return person.map { ($0, "\($0) \(path.last?.path ?? "") \(isMuted) \(wait)") }
        }
    }

    /// By Foundation's calendar: the wall clock's parts, and the weekday of the day on which the hours began.
    static func contains(_ hours: RouteHours, _ time: Int64) -> Bool {
        if let spans = hours.spans { return spans.contains { $0.contains(time) } }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = hours.zone
        let date = Date(timeIntervalSince1970: Double(time) / 1e6)
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .weekday], from: date)
        let minute = (parts.hour ?? 0) * 60 + (parts.minute ?? 0)
        func isDay(_ back: Int) -> Bool {
            var utc = Calendar(identifier: .gregorian)
            utc.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
            let noon = DateComponents(year: parts.year, month: parts.month, day: (parts.day ?? 1) - back, hour: 12)
            guard let day = utc.date(from: noon) else { return false }
            if hours.holidays.contains(Int((day.timeIntervalSince1970 / 86_400).rounded(.down))) { return hours.days.contains(8) }
            return hours.days.contains((utc.component(.weekday, from: day) + 5) % 7 + 1)
        }
        let isOverMidnight = hours.to <= hours.from
        if !isOverMidnight { return minute >= hours.from && minute < hours.to && isDay(0) }
        return minute >= hours.from && isDay(0) || minute < hours.to && isDay(1)
    }

    /// By counting the hand-overs one after the other from the first.
    static func person(_ rotation: Rotation, _ time: Int64) -> String? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = rotation.zone
        var utc = Calendar(identifier: .gregorian)
        utc.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
        let date = Date(timeIntervalSince1970: Double(time) / 1e6)
        // The days around the moment whose hand-over is the newest that has been.
        let around = Int((Double(time) / 86_400e6).rounded(.down))
        let last = (around - 3...around + 3).last { day in
            let noon = Date(timeIntervalSince1970: Double(day) * 86_400 + 43_200)
            let parts = utc.dateComponents([.year, .month, .day], from: noon)
            let midnight = calendar.date(from: DateComponents(year: parts.year, month: parts.month, day: parts.day, hour: 0)) ?? noon
            let wanted = DateComponents(hour: rotation.handOver / 60, minute: rotation.handOver % 60)
            let before = midnight.addingTimeInterval(-1)
            let handOver =
                calendar.nextDate(after: before, matching: wanted, matchingPolicy: .nextTime, repeatedTimePolicy: .first) ?? midnight
            return handOver <= date
        }
        guard let last else { return nil }
        let turns = Int((Double(last - rotation.start) / Double(rotation.every)).rounded(.down))
        let count = rotation.people.count
        return rotation.people[(turns % count + count) % count]
    }
}
