import AlertRules
import Testing
import VigilSchema

@testable import Alerting

/// What the engine decides and whom a notifier for escalations tells, together: whoever was told of an alert is told how it goes on.
@Suite("Escalations from the engine to the receiver")
struct EscalationCourseTests {
    private static let rules = """
        {rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110, staleAfter: "2h", escalate: [{after: "15m", to: "physician"}],
          inhibitedBy: ["other"]}, {id: "other", metric: "x-other", severity: "warning", above: 1, staleAfter: "2h"}]}
        """

    /// An engine, and a receiver of what is escalated, second by second.
    private struct Ward {
        private var engine: AlertEngine
        private(set) var planner: NotificationPlanner
        private var number: Int64 = 0
        private(set) var now: Int64 = 0
        /// What the receiver was told: the status, and the second.
        private(set) var told: [String] = []
        private let index: Int
        private static let start: Int64 = 1_700_000_000

        init() throws {
            engine = AlertEngine(rules: try RuleSetReader.read([RuleFile(name: "r", text: rules)]), now: Self.start * 1_000_000)
            index = engine.index(of: "12")
            planner = NotificationPlanner(route: NotifierRoute(id: "p", escalation: "physician", groupInterval: 0))
        }

        private var wall: Int64 { (Self.start + now) * 1_000_000 }

        mutating func run(to second: Int64) {
            while now < second {
                now += 1
                var output = EngineOutput()
                engine.advance(to: wall, now: wall, into: &output)
                take(output)
                for notification in planner.begin(now: wall) {
                    told.append("\(notification.status) \(now)")
                    planner.finished(notification, .delivered, now: wall)
                }
            }
        }

        mutating func read(_ value: Double, _ metric: String = "heart-rate", at second: Int64) throws {
            run(to: second)
            var output = EngineOutput()
            let reading = Reading(metric: try #require(engine.rules.metric(named: metric)), time: wall, received: wall, value: value)
            engine.take([reading], of: index, now: wall, into: &output)
            take(output)
        }

        mutating func command(_ command: AlertCommand, at second: Int64) throws {
            run(to: second)
            var output = EngineOutput()
            try engine.apply(
                AlertRequest(command: command, actor: "nurse", reason: "r", time: wall), to: index, rule: 0, now: wall, into: &output)
            take(output)
        }

        mutating func silence(for seconds: Int64, at second: Int64) throws {
            run(to: second)
            try command(.silence(until: wall + seconds * 1_000_000, upTo: nil), at: second)
        }

        /// The planner is made anew from what it keeps.
        mutating func restart() throws {
            var messages: [Int64: AlertMessage] = [:]
            for group in planner.groups.values {
                for alert in Array(group.firing.values) + Array(group.resolved.values) { messages[alert.id] = alert.message }
            }
            planner = NotificationPlanner(
                route: planner.route, groups: planner.groups.mapValues { group in NotificationGroup(group.kept) { messages[$0] } })
        }

        private mutating func take(_ output: EngineOutput) {
            for event in output.events {
                number += 1
                let message = AlertMessage(event, engine.rules, participant: "12", decided: wall)
                planner.take(LoggedAlert(id: number, message: message), now: wall)
            }
        }
    }

    @Test("whoever was told that an unanswered alert is over is told when it is back, also over a restart", arguments: [false, true])
    func back(isRestarting: Bool) throws {
        var ward = try Ward()
        try ward.read(120, at: 1)
        try ward.read(100, at: 961)
        ward.run(to: 1000)
        if isRestarting { try ward.restart() }
        try ward.read(120, at: 1081)
        ward.run(to: 1200)
        #expect(ward.told == ["firing 911", "resolved 962", "firing 1082"])
    }

    @Test(
        "after a quarter of an hour it is another episode, of which the receiver hears once it is escalated, and nothing is kept until then"
    )
    func another() throws {
        var ward = try Ward()
        try ward.read(120, at: 1)
        try ward.read(100, at: 961)
        ward.run(to: 961 + 970)
        #expect(ward.planner.groupCount == 0)
        try ward.read(120, at: 2000)
        ward.run(to: 2899)
        #expect(ward.told == ["firing 911", "resolved 962"])
        ward.run(to: 3000)
        #expect(ward.told.count == 3)
    }

    @Test("what somebody acknowledged or ended by hand is escalated anew", arguments: [AlertCommand.acknowledge, .clear(until: 1 << 60)])
    func answered(command: AlertCommand) throws {
        var ward = try Ward()
        try ward.read(120, at: 1)
        try ward.command(command, at: 950)
        try ward.read(100, at: 961)
        ward.run(to: 1000)
        let count = ward.told.count
        try ward.read(120, at: 1081)
        ward.run(to: 1980)
        #expect(ward.told.count == count)
        ward.run(to: 2000)
        #expect(ward.told.count == count + 1)
    }

    @Test(
        "what was silenced or kept quiet before it could be told is told once it is not", arguments: ["silence", "inhibition"],
        [false, true])
    func quiet(by means: String, isRestarting: Bool) throws {
        var ward = try Ward()
        try ward.read(120, at: 1)
        ward.run(to: 903)
        if means == "silence" { try ward.silence(for: 300, at: 903) } else { try ward.read(2, "x-other", at: 903) }
        ward.run(to: 1000)
        #expect(ward.told == [])
        if isRestarting { try ward.restart() }
        if means == "inhibition" { try ward.read(0, "x-other", at: 1203) }
        ward.run(to: 1300)
        #expect(ward.told == ["firing 1213"])
    }
}
