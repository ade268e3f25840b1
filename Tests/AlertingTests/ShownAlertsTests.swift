import AlertRules
import MessageBus
import Testing
import VigilSchema

@testable import Alerting

@Suite("Alerts as they were shown last")
struct ShownAlertsTests {
    /// An engine with an alert of somebody's low heart rate, and what was shown of it.
    private struct Rig {
        static let second: Int64 = 1_000_000
        var engine: AlertEngine
        var shown = ShownAlerts()
        /// The messages of the transitions.
        var told: [AlertMessage] = []

        init() throws {
            let text = #"{rules: [{id: "low", metric: "heart-rate", severity: "critical", below: 90}]}"#
            engine = AlertEngine(rules: try RuleSetReader.read([RuleFile(name: "r", text: text)]), now: 0)
            _ = engine.index(of: "12")
        }

        /// A reading at a second, of which the service's even clock says the same.
        mutating func read(_ value: Double, at second: Int64) throws {
            let metric = try #require(engine.rules.metric(named: "heart-rate"))
            let (now, index) = (second * Self.second, engine.index(of: "12"))
            var output = EngineOutput()
            engine.take([Reading(metric: metric, time: now, received: now, value: value)], of: index, now: now, into: &output)
            for event in output.events {
                told.append(AlertMessage(event, engine.rules, participant: "12", decided: now))
                shown.note(told[told.count - 1], event, at: now)
            }
            shown.touch(index)
        }

        /// The values that are shown anew.
        mutating func refresh(_ boot: Int64) -> [Double?] { shown.refresh(engine, now: ClockSample(wall: boot, boot: boot)).map(\.value) }
    }

    @Test("follow the newest value once five seconds have passed since they were published, and not before")
    func interval() throws {
        var rig = try Rig()
        try rig.read(80, at: 10)
        #expect(rig.refresh(20 * Rig.second).isEmpty, "there is nothing newer")
        try rig.read(70, at: 11)
        #expect(rig.refresh(15 * Rig.second - 1).isEmpty && rig.shown.touched == [0], "it waits")
        #expect(rig.refresh(15 * Rig.second) == [70] && rig.shown.touched.isEmpty)
        #expect(rig.refresh(30 * Rig.second).isEmpty)
        try rig.read(60, at: 16)
        #expect(rig.refresh(20 * Rig.second - 1).isEmpty && rig.refresh(20 * Rig.second) == [60])
    }

    @Test("are forgotten when they end, and nobody without one is looked at")
    func end() throws {
        var rig = try Rig()
        try rig.read(95, at: 1)
        #expect(rig.shown.touched.isEmpty && rig.shown.alerts.isEmpty)
        try rig.read(80, at: 2)
        #expect(rig.shown.touched == [0] && rig.shown.alerts[0]?.count == 1)
        try rig.read(120, at: 3)
        #expect(rig.told.map(\.transition) == ["raised", "cleared"])
        #expect(rig.shown.touched.isEmpty && rig.shown.alerts.isEmpty && rig.refresh(20 * Rig.second).isEmpty)
    }

    @Test("are given with the newest value under the number they have, and as they were under another")
    func newest() throws {
        var rig = try Rig()
        try rig.read(80, at: 10)
        let message = rig.told[0]
        #expect(rig.shown.newest(message, rig.engine) == message)
        try rig.read(70, at: 11)
        let newest = rig.shown.newest(message, rig.engine)
        #expect(newest.value == 70 && newest.sequence == message.sequence && newest.updated == 11)
        for change in [
            { $0.sequence += 1 }, { $0.participant = "13" }, { $0.rule = "none" },
        ] as [(inout AlertMessage) -> Void] {
            var other = message
            change(&other)
            #expect(rig.shown.newest(other, rig.engine) == other)
        }
    }

    @Test(
        "a transition is published as an event and as the state, which its end takes away; other messages as they are",
        arguments: [
            (.transition, ["vigil/v1/alert-events/12/low false 1 json", "vigil/v1/alerts/12/low true 1 json"]),
            (.end, ["vigil/v1/alert-events/12/low false 1 json", "vigil/v1/alerts/12/low true 0 none"]),
            (.message, ["x/y false 1 json"]), (.retained, ["x/y true 1 json"]),
        ] as [(AlertEntry.Kind, [String])])
    func messages(kind: AlertEntry.Kind, wanted: [String]) {
        let entry = AlertEntry(kind: kind, participant: "12", rule: "low", topic: "x/y", content: [1])
        let messages = AlertCore.messages(entry).map { message in
            let type = message.properties.contentType.map { $0 == "application/json" ? "json" : $0 } ?? "none"
            return "\(message.topic) \(message.retained) \(message.payload.count) \(type)"
        }
        #expect(messages == wanted)
        #expect(kind.isTransition == (wanted.count == 2))
    }
}
