import Testing

@testable import AlertRules

@Suite("A person who is erased")
struct EraseTests {
    private static let second: Int64 = 1_000_000

    /// An engine that is read by the second.
    private struct Ward {
        var engine: AlertEngine

        init() throws {
            let rules = """
                {rules: [{id: "high", metric: "heart-rate", staleAfter: "2h",
                    levels: [{severity: "warning", above: 110}, {severity: "critical", above: 130}]},
                  {id: "low", metric: "oxygen-saturation", severity: "warning", below: 90, staleAfter: "2h"}]}
                """
            engine = AlertEngine(rules: try RuleSetReader.read([RuleFile(name: "r", text: rules)]), now: 0)
        }

        mutating func read(_ name: String, _ value: Double, at time: Int64, metric: String = "heart-rate") throws -> [AlertEvent] {
            var output = EngineOutput()
            let metric = try #require(engine.rules.metric(named: metric))
            let reading = Reading(metric: metric, time: time * second, received: time * second, value: value)
            let index = engine.index(of: name)
            engine.take([reading], of: index, now: time * second, into: &output)
            return output.events
        }

        mutating func advance(to time: Int64) -> EngineOutput {
            var output = EngineOutput()
            engine.advance(to: time * second, now: time * second, into: &output)
            return output
        }

        mutating func command(_ command: AlertCommand, of index: Int) throws {
            var output = EngineOutput()
            let request = AlertRequest(command: command, actor: "nurse", reason: "r", time: second)
            try engine.apply(request, to: index, rule: 0, now: second, into: &output)
        }
    }

    @Test("who comes back under the name is told under numbers that were never told of it, whatever rule counted furthest")
    func numbers() throws {
        var ward = try Ward()
        for (time, value) in [(1, 120.0), (2, 140), (3, 90)] as [(Int64, Double)] { _ = try ward.read("12", value, at: time) }
        _ = try ward.read("12", 80, at: 4, metric: "oxygen-saturation")
        let index = ward.engine.erase("12")
        #expect(index == 0 && ward.engine.sequenceFloor == 3)
        let again = try ward.read("12", 120, at: 5)
        #expect(again.map(\.sequence) == [4])
        // Also after the state was written and read.
        var next = try Ward()
        try next.engine.restore(clock: ward.engine.encodedClock)
        let restored = try next.read("12", 120, at: 6)
        #expect(restored.map(\.sequence) == [4])
        // Somebody of whom nothing was told makes it no less.
        _ = try ward.read("13", 90, at: 7)
        let other = ward.engine.erase("13")
        #expect(other == 1 && ward.engine.sequenceFloor == 3)
    }

    @Test("whoever is heard of next gets the place, and nothing that was anybody's", arguments: [false, true])
    func index(isPacked: Bool) throws {
        var ward = try Ward()
        let index = ward.engine.index(of: "12")
        var facts = PersonFacts()
        (facts.born, facts.usesScale2) = (-1_000_000_000_000_000, true)
        for command in [AlertCommand.setThreshold(.warning, 100), .silence(until: 900 * Self.second, upTo: .critical), .setProfile(facts)] {
            try ward.command(command, of: index)
        }
        let own = try ward.read("12", 105, at: 2)
        #expect(own.map(\.transition) == [.raised])
        if isPacked { _ = ward.advance(to: 10) }
        let (erased, again) = (ward.engine.erase("12"), ward.engine.erase("12"))
        #expect(erased == index && again == nil && ward.engine.knownIndex(of: "12") == nil && ward.engine.names == [""])
        let rest = ward.advance(to: 1000)
        #expect(rest.isEmpty, "nothing runs on")
        let next = ward.engine.index(of: "13")
        #expect(next == index && ward.engine.names == ["13"])
        #expect(ward.engine.ownThresholds(of: index).isEmpty && ward.engine.facts(ofParticipant: index) == PersonFacts())
        let (below, above) = (try ward.read("13", 105, at: 1001), try ward.read("13", 120, at: 1002))
        #expect(below.isEmpty && above.map(\.transition) == [.raised])
        #expect(above.first?.alert.isSilenced == false && above.first?.alert.threshold == 110)
    }

    @Test("others keep their places and what is known of them")
    func others() throws {
        var ward = try Ward()
        for name in ["12", "13"] { _ = try ward.read(name, 120, at: 1) }
        _ = ward.engine.erase("12")
        #expect(ward.engine.names == ["", "13"] && ward.engine.knownIndex(of: "13") == 1)
        let (events, freed) = (try ward.read("13", 90, at: 2), ward.engine.takeFreed())
        #expect(events.map(\.transition) == [.cleared] && freed == [], "nobody else's place is to be written anew")
    }
}
