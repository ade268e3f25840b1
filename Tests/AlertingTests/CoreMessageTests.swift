import AlertRules
import Foundation
import MessageBus
import Synchronization
import Testing
import VigilSchema

@testable import Alerting

@Suite("Alert core and one message", .timeLimit(.minutes(3)))
struct CoreMessageTests {
    private static let rules = """
        {rules: [{id: "high", title: {en: "High"}, group: "heart", source: "s", metric: "heart-rate", severity: "warning", above: 110, latch: true},
          {id: "gone", kind: "technical", metric: "module-status", severity: "notice", oneOf: ["offline"]}]}
        """

    private static func batch(_ id: String, of participant: String = "12", received: [Int64] = [0], _ observations: [Observation])
        -> [UInt8]
    {
        let groups = received.map {
            ObservationGroup(
                participant: participant, source: "a", received: Timestamp(microseconds: (CoreHarness.start + $0) * 1_000_000),
                observations: observations)
        }
        return BatchEncoder.encode(ObservationBatch(id: id, groups: groups))
    }

    private static func rate(_ value: Double, zone: Int16? = nil) -> Observation {
        var one = Observation(
            metric: "heart-rate", time: Timestamp(microseconds: CoreHarness.start * 1_000_000), content: .value(value), unit: "/min")
        one.zone = zone
        return one
    }

    private static let topic = Topic.readings(Partition(participant: "12")).path

    @Test("readings are counted, those that no rule needs are not, and the lag is that of the oldest of the last batch")
    func counts() async throws {
        let core = try await CoreHarness(Self.rules)
        try await core.run(to: 8)
        let other = Observation(metric: "x-other", time: Timestamp(microseconds: 0), content: .value(1), unit: "1")
        try await core.take(Self.topic, Self.batch("a", received: [5, 2, 7], [Self.rate(70), other]))
        #expect(core.counts.readings.load(ordering: .relaxed) == 3 && core.counts.lag.load(ordering: .relaxed) == 6_000_000)
        try await core.take(Self.topic, Self.batch("b", received: [9], [Self.rate(70)]))
        #expect(
            core.counts.readings.load(ordering: .relaxed) == 4 && core.counts.lag.load(ordering: .relaxed) == 0,
            "no clock is ahead of itself")
        try await core.take(Self.topic, Self.batch("b", received: [9], [Self.rate(70)]))
        #expect(core.counts.repeated.load(ordering: .relaxed) == 1 && core.counts.readings.load(ordering: .relaxed) == 4)
        #expect(core.counts.events.load(ordering: .relaxed) == 0)
        try await core.take(Self.topic, Self.batch("c", received: [8], [Self.rate(120)]))
        #expect(core.counts.events.load(ordering: .relaxed) == 1 && core.counts.ignored.load(ordering: .relaxed) == 0)
        try await core.run(to: 4300)
        try await core.take(Self.topic, Self.batch("d", received: [4300], [Self.rate(120)]))
        #expect(core.counts.ignored.load(ordering: .relaxed) == 1, "of over seventy minutes ago")
    }

    @Test("readings of whom there is no room for are counted")
    func strangers() async throws {
        let core = try await CoreHarness(Self.rules, capacity: 1)
        for (number, name) in ["12", "13", "14"].enumerated() {
            try await core.take(Self.topic, Self.batch("\(number)", of: name, [Self.rate(70), Self.rate(71)]))
        }
        #expect(core.counts.readings.load(ordering: .relaxed) == 2 && core.counts.strangers.load(ordering: .relaxed) == 4)
    }

    @Test("what was retained is no news, as an observation and as the mark of the queue's end")
    func retained() async throws {
        let core = try await CoreHarness(Self.rules)
        try await core.take(Self.topic, Self.batch("a", [Self.rate(120)]), retained: true)
        #expect(core.happened().isEmpty)
        try await core.take(Self.topic, Self.batch("b", [Self.rate(120)]))
        #expect(core.happened() == ["high raised"])
    }

    @Test("a batch that cannot be read is told as a refusal of the whole, and counted")
    func malformed() async throws {
        let core = try await CoreHarness(Self.rules)
        try await core.run(to: 3)
        try await core.take(Self.topic, Array("{".utf8))
        let answer = try #require(core.answers.last)
        #expect(answer.topic == Topic.reject(participant: "unknown", device: "unknown").path)
        let reject = try JSONDecoder().decode(Reject.self, from: Data(answer.payload))
        #expect(reject.participant == "unknown" && reject.device == "unknown" && reject.count == 0 && reject.topic == Self.topic)
        #expect(reject.time == Double(CoreHarness.start + 3))
        #expect(core.counts.malformed.load(ordering: .relaxed) == 1)
    }

    @Test("an event bears the local time's offset that a reading last told, and an erasure forgets it")
    func zone() async throws {
        let core = try await CoreHarness(Self.rules)
        try await core.take(Self.topic, Self.batch("a", [Self.rate(120, zone: 60), Self.rate(121)]))
        func zones() throws -> [Int?] { try core.published("alert-events/").map { try AlertMessage(decoding: $0.payload).zone } }
        #expect(try zones() == [60])
        try await core.take(Self.topic, Self.batch("b", [Self.rate(90)]))
        #expect(try zones() == [60, 60])
        try await core.erase("12")
        try await core.take(Self.topic, Self.batch("c", [Self.rate(120)]))
        #expect(try zones() == [60, 60, nil])
    }

    @Test("a module's retained status is news, by its service and instance; what is no report says nothing")
    func moduleStatus() async throws {
        let core = try await CoreHarness(Self.rules)
        let status = Topic.moduleStatus(service: "vigil-stress", instance: "main").path
        for text in ["x", "{}", #"{"state": 7}"#, #"{"state": "online"}"#] { try await core.take(status, Array(text.utf8), retained: true) }
        #expect(core.happened().isEmpty)
        try await core.take(status, Array(#"{"state": "offline"}"#.utf8), retained: true)
        #expect(core.happened() == ["gone raised"])
        #expect(core.published("alerts/_module.vigil-stress.main/gone").count == 1)
        // Taken away for good.
        try await core.take(status, [], retained: true)
        #expect(core.happened() == ["gone cleared"])
    }

    static let questions: [(String, String, String)] = [
        (#"{"command": "why"}"#, "hihg", #"{"error":"there is no rule \"hihg\"; did you mean \"high\"?","ok":false}"#),
        (#"{"command": "why"}"#, "all", #"{"limits":[{"high":110,"metric":"heart-rate"}],"ok":true}"#),
        (#"{"command": "notify-test"}"#, "all", #"{"error":"\"notifier\" is missing: which one is to be tested","ok":false}"#),
        (
            #"{"command": "notify-test", "notifier": "w"}"#, "all",
            #"{"error":"there is no notifier \"w\"; vigil-alert runs without --notifiers","ok":false}"#
        ),
        // The service answers these, beside the engine.
        (#"{"command": "reload"}"#, "all", ""), (#"{"command": "history"}"#, "all", ""), (#"{"command": "erase"}"#, "all", ""),
        (#"{"command": "export"}"#, "all", ""),
    ]

    @Test("a question is answered", arguments: questions)
    func answer(json: String, rule: String, wanted: String) async throws {
        let core = try await CoreHarness(Self.rules)
        try await core.read(70)
        #expect(try await core.ask(json, rule: rule) == wanted)
    }

    @Test("a question about somebody unknown makes nobody known")
    func stranger() async throws {
        let core = try await CoreHarness(Self.rules)
        for _ in 0..<2 {
            #expect(
                try await core.ask(#"{"command": "why"}"#, of: "13", rule: "high")
                    == #"{"error":"nothing was ever heard of participant \"13\"","ok":false}"#)
            #expect(try await core.ask(#"{"command": "why"}"#, of: "13", rule: "all") == #"{"limits":[],"ok":true}"#)
        }
    }

    @Test("the rules are told with what they are about")
    func described() async throws {
        let core = try await CoreHarness(Self.rules)
        let answer = try await core.ask(#"{"command": "rules"}"#, rule: "all")
        let high =
            #"{"group":"heart","id":"high","kind":"medical","latching":true,"severities":["warning"],"source":"s","title":{"en":"High"}}"#
        let gone =
            #"{"group":"default","id":"gone","kind":"technical","latching":false,"severities":["notice"],"source":"","title":{"en":"gone"}}"#
        #expect(answer.hasPrefix(#"{"ok":true,"rules":[\#(high),\#(gone)"#), "\(answer)")
    }

    @Test("why an alert is as it is, is told in lines")
    func why() async throws {
        let core = try await CoreHarness(Self.rules)
        try await core.read(120)
        let answer = try await core.ask(#"{"command": "why"}"#, rule: "high")
        #expect(answer.hasPrefix(#"{"lines":["#) && answer.hasSuffix(#","ok":true}"#) && answer.contains("heart-rate: 120"))
    }

    private static let silence = #"{"command": "silence", "actor": "a", "reason": "r", "duration": "1h"}"#

    @Test(
        "a command is refused in words",
        arguments: [
            ("all", "high", #"{"error":"the command does not say whose alert: \"participant\" is missing","ok":false}"#),
            ("12", "hihg", #"{"error":"there is no rule \"hihg\"; did you mean \"high\"?","ok":false}"#),
        ])
    func refused(participant: String, rule: String, wanted: String) async throws {
        let core = try await CoreHarness(Self.rules)
        try await core.read(120)
        #expect(try await core.ask(Self.silence, of: participant, rule: rule) == wanted)
        #expect(core.happened() == ["high raised"])
    }

    @Test("of all rules those are silenced that can be, and one that cannot is no refusal; alone it is")
    func all() async throws {
        let core = try await CoreHarness(Self.rules)
        try await core.read(120)
        let clear = #"{"command": "acknowledge", "actor": "a", "id": "1"}"#
        #expect(try await core.ask(clear, rule: "all") == #"{"ok":true}"#)
        #expect(core.happened() == ["high raised", "high acknowledged"])
        #expect(try await core.ask(clear, rule: "gone").contains(#""ok":false"#))
    }

    @Test("somebody whose name is \"all\" and who is known is meant by it")
    func calledAll() async throws {
        let core = try await CoreHarness(Self.rules)
        try await core.read(120, of: "all")
        #expect(try await core.ask(Self.silence, of: "all", rule: "high") == #"{"ok":true}"#)
    }

    @Test("retained commands are not carried out, and the senders on a thousand topics are told, each once")
    func retainedCommands() async throws {
        let core = try await CoreHarness(Self.rules)
        try await core.read(120)
        var told = 0
        for number in (0..<1001) + [0, 5] {
            let topic = "vigil/v1/requests/account-\(number)/alert"
            try await core.take(topic, CommandRequest.payload(Self.silence), retained: true, responseTopic: "vigil/v1/responses/a/1")
            if core.answers.count > told {
                #expect(String(decoding: core.answers[told].payload, as: UTF8.self).contains("a retained command is not"))
            }
            told = core.answers.count
        }
        #expect(told == 1000 && core.happened() == ["high raised"])
    }
}
