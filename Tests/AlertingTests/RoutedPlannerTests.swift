import AlertRules
import Foundation
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

/// One notifier's plan where a tree of routes says what is its own, and when.
@Suite("A notifier that is led to by routes", .timeLimit(.minutes(3)))
struct RoutedPlannerTests {
    private static let minute: Int64 = 60_000_000
    private static let day = RouteHours(zone: TimeZone(secondsFromGMT: 0) ?? .current, from: 7 * 60, to: 22 * 60)
    private static let night = RouteHours(zone: TimeZone(secondsFromGMT: 0) ?? .current, from: 22 * 60, to: 7 * 60)

    private static func planner(_ id: String, _ branches: [RoutingTree.Branch], rotations: [String: Rotation] = [:]) -> NotificationPlanner
    {
        NotificationPlanner(
            route: NotifierRoute(id: id, groupWait: 0, groupInterval: 0, repeatInterval: 600 * minute),
            routing: NotifierRouting(tree: RoutingTree(branches: branches, rotations: rotations)))
    }

    private static let shifts = [
        RoutingTree.Branch(path: "1", active: [day], to: ["daughter"]), RoutingTree.Branch(path: "2", active: [night], to: ["neighbour"]),
    ]

    private static func deliver(_ planner: inout NotificationPlanner, at now: Int64) -> [Alerting.Notification] {
        let begun = planner.begin(now: now)
        for notification in begun { planner.finished(notification, .delivered, now: now) }
        return begun
    }

    @Test("at the change of the shift the next one hears of what goes on, and the last one only of its end")
    func shift() {
        var (daughter, neighbour) = (Self.planner("daughter", Self.shifts), Self.planner("neighbour", Self.shifts))
        let alert = NotificationGroupTests.alert("a")
        let (before, after) = (Self.minute * 1319, Self.minute * 1320)
        for planner in [0, 1] {
            if planner == 0 { daughter.take(alert, now: before) } else { neighbour.take(alert, now: before) }
        }
        #expect(Self.deliver(&daughter, at: before).map(\.status) == ["firing"] && Self.deliver(&neighbour, at: before).isEmpty)
        // The present state once more, at ten in the evening.
        daughter.take(alert, now: after)
        neighbour.take(alert, now: after)
        #expect(Self.deliver(&daughter, at: after).isEmpty && Self.deliver(&daughter, at: after + Self.minute * 700).isEmpty)
        #expect(Self.deliver(&neighbour, at: after).map(\.status) == ["firing"])
        let end = NotificationGroupTests.alert("a", "cleared", state: "none", sequence: 2, id: 2)
        daughter.take(end, now: after + 5)
        neighbour.take(end, now: after + 5)
        #expect(Self.deliver(&daughter, at: after + 5).map(\.status) == ["resolved"])
        #expect(Self.deliver(&neighbour, at: after + 5).map(\.status) == ["resolved"])
        #expect(daughter.groupCount == 0 && neighbour.groupCount == 0)
    }

    @Test("what somebody has acknowledged is not handed over")
    func acknowledged() {
        var neighbour = Self.planner("neighbour", Self.shifts)
        neighbour.take(NotificationGroupTests.alert("a", "acknowledged") { $0.acknowledged = true }, now: Self.minute * 1320)
        #expect(Self.deliver(&neighbour, at: Self.minute * 1320).isEmpty)
    }

    @Test("muted, it keeps what it has until the hours are over; what ended meanwhile without high priority is not worth a word")
    func muted() {
        let branches = [RoutingTree.Branch(path: "1", muted: [Self.night], to: ["operator"])]
        var planner = Self.planner("operator", branches)
        planner.take(NotificationGroupTests.alert("a"), now: Self.minute * 60)
        planner.take(NotificationGroupTests.alert("b", id: 2), now: Self.minute * 60)
        #expect(Self.deliver(&planner, at: Self.minute * 61).isEmpty && planner.nextDue == Self.minute * 420)
        planner.take(NotificationGroupTests.alert("b", "cleared", state: "none", sequence: 2, id: 3), now: Self.minute * 100)
        let told = Self.deliver(&planner, at: Self.minute * 420)
        #expect(told.count == 1 && told[0].alerts.map(\.rule) == ["a"] && told[0].resolved.isEmpty)
    }

    @Test("an escalation is told to whom it leads, from then on to the end, and to the one on call where it names a rotation")
    func escalation() throws {
        let branches = [
            RoutingTree.Branch(path: "1", escalation: ["physician"], to: ["doctor"]), RoutingTree.Branch(path: "2", to: ["ward"]),
        ]
        let turn = Rotation(zone: Self.day.zone, people: ["nurse"], start: 0)
        var planners = ["doctor", "ward", "nurse"].map { Self.planner($0, branches, rotations: ["relief": turn]) }
        func take(_ alert: LoggedAlert, at now: Int64) -> [[String]] {
            planners.indices.map { index in
                planners[index].take(alert, now: now)
                return Self.deliver(&planners[index], at: now).map(\.status)
            }
        }
        #expect(take(NotificationGroupTests.alert("a"), at: 10) == [[], ["firing"], []])
        let first = NotificationGroupTests.alert("a", "escalated", sequence: 2, id: 2) { $0.escalatedTo = "physician" }
        #expect(take(first, at: 20) == [["firing"], ["firing"], []])
        let second = NotificationGroupTests.alert("a", "escalated", sequence: 3, id: 3) { $0.escalatedTo = "relief" }
        #expect(take(second, at: 30)[2] == ["firing"])
        #expect(
            take(NotificationGroupTests.alert("a", "cleared", state: "none", sequence: 4, id: 4), at: 40) == [
                ["resolved"], ["resolved"], ["resolved"],
            ])
    }

    @Test("an alert whose branch has other groups moves there with what was told of it, also after a restart")
    func moves() throws {
        var byRule = RoutingTree.Timing()
        byRule.groupBy = ["rule"]
        let branches = [
            RoutingTree.Branch(path: "1", match: ["severity": ["critical"]], to: ["a"], timing: byRule),
            RoutingTree.Branch(path: "2", to: ["a"]),
        ]
        var planner = Self.planner("a", branches)
        planner.take(NotificationGroupTests.alert("r"), now: 0)
        #expect(Self.deliver(&planner, at: 0).map(\.group) == ["participant=12"])
        let routing = try #require(planner.routing)
        planner = NotificationPlanner(route: planner.route, routing: routing, groups: planner.groups)
        planner.take(NotificationGroupTests.alert("r", "severity-raised", severity: "critical", sequence: 2, id: 2), now: 10)
        #expect(Self.deliver(&planner, at: 10).map(\.group) == ["rule=r"] && planner.groupCount == 1)
        planner.take(NotificationGroupTests.alert("r", "cleared", state: "none", sequence: 3, id: 3), now: 20)
        #expect(Self.deliver(&planner, at: 20).map(\.status) == ["resolved"] && planner.groupCount == 0)
    }
}

@Suite("Routes in the notifiers' file", .timeLimit(.minutes(3)))
struct RoutingReaderTests {
    private static let notifiers =
        #"notifiers: [{id: "a", type: "command", command: ["/bin/true"]}, {id: "b", type: "command", command: ["/bin/true"]}]"#

    private static func problems(_ members: String) throws -> [String] {
        let rules = try RuleSetReader.read([RuleFile(name: "r.json5", text: CoordinatorRig.plain)])
        let file = RuleFile(name: "n.json5", text: "{\(notifiers),\n\(members)}")
        let (settings, error) = NotifierSettingsReader.readUsable(file, rules: rules)
        #expect((settings.routing == nil) == (error != nil) && settings.notifiers.count == 2)
        return error?.entries.map(\.description) ?? []
    }

    @Test(
        "are refused with the place where they name what is not there or let something through to nobody; then each notifier goes by its own members",
        arguments: [
            (#"routes: [{to: "c"}]"#, "n.json5:2:15"), (#"routes: [{match: {person: "x"}, to: "a"}]"#, "n.json5:2:9"),
            (#"routes: [{match: {severty: "x"}, to: "a"}, {to: "a"}]"#, "severity"),
            (#"routes: [{match: {severity: "critcal"}, to: "a"}, {to: "a"}]"#, "critical"),
            (#"routes: [{active: ["day"], to: "a"}, {to: "a"}]"#, #"no hours "day""#),
            (#"hours: {day: {from: "7", to: "22:00"}}, routes: [{to: "a"}]"#, "08:00"),
            (#"rotations: {r: {people: ["x"], start: "2026-01-05T08:00"}}, routes: [{to: "r"}]"#, #"no notifier "x""#),
            (#"rotations: {r: {people: ["a"], start: "2026-02-31T08:00"}}, routes: [{to: "a"}]"#, "2026-01-05T08:00"),
            (#"routes: [{match: {profile: "pregnent"}, to: "a"}, {to: "a"}]"#, "pregnant"), (#"routes: []"#, "nobody"),
            (#"zone: "Europe/Berln", routes: [{to: "a"}]"#, "time zone"),
        ])
    func mistakes(members: String, words: String) throws {
        let found = try Self.problems(members)
        #expect(found.contains { $0.contains(words) }, "\(found)")
    }

    @Test("the shipped example does what its tests say, and its file of tests counts a failure")
    func shipped() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../deploy/notifiers/tests").path
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
            let file = try #require(try RouteTestFile.read(try RuleFolder.read("\(folder)/\(name)")[0]))
            #expect(try file.run(rules: []) == 0 && file.tests.count >= 10)
        }
        let text = try RuleFolder.read("\(folder)/family.json5")[0].text.replacing(#"expect: ["daughter"]}"#, with: "expect: []}")
        let wrong = try #require(try RouteTestFile.read(RuleFile(name: "\(folder)/family.json5", text: text)))
        #expect(try wrong.run(rules: []) == 2)
    }
}
