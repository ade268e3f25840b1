import Testing
import VigilSchema

@testable import AlertRules

@Suite("Recordings played against rules")
struct ReplayValueTests {
    private static let second: Int64 = 1_000_000

    private static func set(_ rules: String) throws -> RuleSet {
        try RuleSetReader.read([RuleFile(name: "r", text: "{rules: [\(rules)]}")])
    }

    private static let high = #"{id: "high", metric: "heart-rate", severity: "warning", above: 110, staleAfter: "1h"}"#

    private static func reading(_ value: Double, at time: Int64, received: Int64? = nil, of participant: String = "a") -> ReplayReading {
        ReplayReading(
            participant: participant, metric: "heart-rate", time: time * second, received: received.map { $0 * second },
            value: .number(value))
    }

    /// `transition decided`, in seconds.
    private static func told(_ result: RuleReplay.Result) -> [String] { result.events.map { "\($0.transition) \($0.decided)" } }

    @Test("goes by the times of receiving, and goes on for a while after the last, each event at its moment")
    func order() throws {
        let silent = #"{id: "gone", kind: "technical", metric: "heart-rate", severity: "notice", noData: "10m"}"#
        let readings = [Self.reading(90, at: 20), Self.reading(120, at: 5, received: 10), Self.reading(90, at: 0)]
        let result = try RuleReplay.run(rules: try Self.set(Self.high + ", " + silent), readings: readings)
        #expect(Self.told(result) == ["raised 10.0", "cleared 20.0", "raised 620.0"])
        #expect(result.readings == 3 && result.raised == 1 && result.raisedTechnical == 1)
        let short = try RuleReplay.run(rules: try Self.set(Self.high + ", " + silent), readings: readings, after: 599 * Self.second)
        #expect(Self.told(short) == ["raised 10.0", "cleared 20.0"])
        #expect(try RuleReplay.run(rules: try Self.set(Self.high), readings: []).events.isEmpty)
    }

    @Test("carries out commands at their times, of one time before the readings, and refuses those that the service would refuse")
    func commands() throws {
        let rules = try Self.set(Self.high)
        func command(_ name: String, at time: Int64, rule: String = "high") -> RecordedCommand {
            RecordedCommand(
                participant: "a", rule: rule, time: time * Self.second, message: CommandMessage(command: name, actor: "n", reason: "r"))
        }
        let start: Int64 = 1_000_000_000
        let readings = [Self.reading(120, at: start), Self.reading(90, at: start + 10)]
        let result = try RuleReplay.run(rules: rules, readings: readings, commands: [command("acknowledge", at: start + 10)])
        #expect(result.events.map(\.transition) == ["raised", "acknowledged", "cleared"])
        let after = try RuleReplay.run(
            rules: rules, readings: [Self.reading(120, at: start)], commands: [command("acknowledge", at: start + 700)])
        #expect(Self.told(after) == ["raised 1000000000.0", "acknowledged 1000000700.0"])
        #expect(throws: CommandRefusal.self) {
            try RuleReplay.run(rules: rules, readings: [], commands: [command("acknowledge", at: start)])
        }
        #expect(throws: CommandRefusal.self) {
            try RuleReplay.run(rules: rules, readings: readings, commands: [command("acknowledge", at: start + 5, rule: "none")])
        }
        #expect(try RuleReplay.run(rules: rules, readings: [], commands: [command("acknowledge", at: start, rule: "all")]).events.isEmpty)
    }

    @Test("what has the same time keeps its order")
    func sameTime() throws {
        let start: Int64 = 1_000_000_000
        let readings = [(120.0, 5), (90, 6), (130, 7), (80, 8)].map { Self.reading($0.0, at: start + $0.1, received: start + 10) }
        let commands = ["silence", "unsilence", "silence"].map { name in
            var message = CommandMessage(command: name, actor: "n", reason: "r")
            if name == "silence" { message.duration = "1h" }
            return RecordedCommand(participant: "a", rule: "high", time: (start + 20) * Self.second, message: message)
        }
        let result = try RuleReplay.run(rules: try Self.set(Self.high), readings: readings, commands: commands, after: 0)
        #expect(result.events.map(\.transition) == ["raised", "cleared", "raised", "cleared", "silenced", "unsilenced", "silenced"])
    }

    @Test("time begins with whatever comes first, and passes for delays until a command after the last reading")
    func beginning() throws {
        let delayed = try Self.set(Self.high.replacing("above", with: "for: \"1m\", above"))
        func command(_ name: String, at time: Int64) -> RecordedCommand {
            RecordedCommand(
                participant: "a", rule: "high", time: time * Self.second, message: CommandMessage(command: name, actor: "n", reason: "r"))
        }
        let start: Int64 = 1_000_000_000
        // The delay is over a minute and the lateness of ten seconds after its beginning.
        let after = try RuleReplay.run(
            rules: delayed, readings: [Self.reading(120, at: start)], commands: [command("acknowledge", at: start + 100)])
        #expect(Self.told(after) == ["pending 1000000000.0", "raised 1000000070.0", "acknowledged 1000000100.0"])
        let before = try RuleReplay.run(
            rules: delayed, readings: [Self.reading(120, at: start + 100)], commands: [command("unsilence", at: start)])
        #expect(Self.told(before) == ["pending 1000000100.0", "raised 1000000170.0"])
    }

    @Test("counts the time in which each had readings, without gaps of more than five minutes")
    func hours() throws {
        let rules = try Self.set(Self.high)
        let readings = [(0, "a"), (300, "a"), (601, "a"), (0, "b"), (60, "b")].map { Self.reading(90, at: Int64($0.0), of: $0.1) }
        let result = try RuleReplay.run(rules: rules, readings: readings)
        #expect(abs(result.personHours - 0.1) < 1e-9)
        #expect(result.summary == "5 readings, 0.1 person-hours, 0 medical alerts (0.0 a person-hour), 0 technical")
        #expect(result.comparison(result) == "a naive threshold would have raised 0 medical alerts: here none at all")
        var (two, three) = (result, result)
        let raised = try RuleReplay.run(rules: rules, readings: [Self.reading(120, at: 0)]).events
        (two.events, three.events) = (raised + raised, raised + raised + raised)
        #expect(two.comparison(three) == "a naive threshold would have raised 3 medical alerts: factor 1.5")
        #expect(two.summary == "5 readings, 0.1 person-hours, 2 medical alerts (20.0 a person-hour), 0 technical")
    }

    @Test("naive rules have neither delay, dead band, repetition, keeping nor quality")
    func naive() throws {
        let text = #"""
            {id: "a", metric: "heart-rate", levels: [{severity: "notice", above: 100, priority: "high", hysteresis: 5, repeat: {count: 2, within: "1m"}}, {severity: "warning", above: 110}], for: "1m",
              keepFiringFor: "1m", share: 0.8, quality: {metric: "ecg-quality", atLeast: 0.5}}
            """#
        let naive = try Self.set(text).naive
        let levels = naive.levels.prefix(2)
        #expect(levels.allSatisfy { $0.delay == 0 && $0.keepFiring == 0 && $0.share == 1 && $0.repetition == nil })
        #expect(levels.map(\.severity) == [.notice, .warning] && levels.map(\.priority) == [.high, .medium])
        #expect(naive.leaves.prefix(2).allSatisfy { $0.slack == 0 && $0.quality == nil && $0.staleAfter == 300_000_000 })
        #expect(
            naive.plans.prefix(2).allSatisfy { $0.slack == 0 && $0.quality == -1 }
                && naive.levelPlans.prefix(2).allSatisfy { $0.delay == 0 })
    }

    @Test("a table is read by its header, without what no metric or believable value is")
    func table() throws {
        let text = """
            participant-id,timestamp,heart-rate,spo2,remark
            1,10,70,97,x
            1,20.5,500,98,
            1,x,70,97,
            2,30,80
            """
        let recording = try RecordingReader.read(text, path: "r.csv")
        let readings = recording.readings
        #expect(recording.omissions.count == 4 && recording.omissions.allSatisfy { $0.hasPrefix("r.csv:") }, "\(recording.omissions)")
        #expect(
            readings.map { "\($0.participant) \($0.metric) \($0.time)" } == [
                "1 heart-rate 10000000", "1 oxygen-saturation 10000000", "1 oxygen-saturation 20500000",
            ])
        #expect(readings.map(\.value) == [.number(70), .number(97), .number(98)] && readings.allSatisfy { $0.received == $0.time })
        let texts = "participant-id,timestamp,consciousness\n1,1,alert\n1,2,asleep\n1,x,alert"
        let told = try RecordingReader.read(texts, path: "t.csv")
        #expect(told.readings.map(\.value) == [.text("alert")])
        #expect(told.omissions.count == 2 && told.omissions.contains { $0.hasPrefix("t.csv:3: ") }, "\(told.omissions)")
        for nothing in ["participant-id,timestamp,remark\n1,1,2", "participant-id,timestamp,spo2\n1,1,x"] {
            #expect(throws: RecordingError.self) { try RecordingReader.read(nothing, path: "n.csv") }
        }
        #expect(try RecordingReader.read("", path: "r.csv").readings.isEmpty)
        let error = #expect(throws: RecordingError.self) { try RecordingReader.read("a,b\n1,2", path: "r.csv") }
        #expect(error?.description == "r.csv:1: the header needs participant-id and timestamp")
        let broken = #expect(throws: RecordingError.self) { try RecordingReader.read("{}\n", path: "r.json") }
        #expect(broken?.description.hasPrefix("r.json:1: ") == true)
    }
}
