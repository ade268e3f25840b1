import AlertRules
import Foundation
import Signals
import Testing

@Suite("Alert engine against a reference model", .timeLimit(.minutes(5)))
struct PropertyTests {
    /// How many histories each seed makes; `VIGIL_HISTORIES` asks for more in all.
    private static let rounds = max(8, (ProcessInfo.processInfo.environment["VIGIL_HISTORIES"].flatMap(Int.init) ?? 0) / 100)

    @Test("agrees on every event, over readings in and out of order, silence, commands and restarts", arguments: 0..<100)
    func agreement(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<(Self.rounds) {
            let rule = Self.rule(&random)
            let inputs = (0..<120).map { _ in Self.input(&random) }
            let (found, wanted) = try Self.run(rule, inputs)
            let place = zip(found, wanted).enumerated().first { $1.0 != $1.1 }?.offset
            #expect(
                place == nil && found.count == wanted.count,
                "seed \(seed), \(rule), first difference \(place ?? -1): \(inputs.map(\.description).joined(separator: " "))")
        }
    }

    @Test("keeps its promises whatever comes", arguments: 0..<30)
    func invariants(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) &+ 1000)
        for _ in 0..<(Self.rounds) {
            var engine = try EngineHarness(Self.text(Self.rule(&random, isLatching: true)))
            var clock: Int64 = 0
            for _ in 0..<150 {
                try Self.put(Self.input(&random), &engine, &clock)
                // The machine's clock leaps, far ahead or back; or nobody looks for a while.
                if Int.random(in: 0..<40, using: &random) == 0 { engine.leap = Int64.random(in: -90_000...90_000, using: &random) }
                if Int.random(in: 0..<40, using: &random) == 0 { engine.pause(Int64.random(in: 1...9000, using: &random)) }
                clock = engine.now - EngineHarness.start
            }
            Self.check(engine.events)
        }
    }

    /// A clear never precedes its raise; no number is missing or given twice; a latched alert ends only after an acknowledgement or a command.
    private static func check(_ events: [AlertEvent]) {
        var isActive = false
        var isAcknowledged = false
        for (place, event) in events.enumerated() {
            #expect(event.sequence == UInt32(place + 1))
            switch event.transition {
            case .raised:
                #expect(!isActive)
                (isActive, isAcknowledged) = (true, false)
            case .acknowledged:
                #expect(isActive)
                isAcknowledged = true
            case .recurred: #expect(isActive)
            case .cleared:
                #expect(isActive && (isAcknowledged || event.cause == .command))
                isActive = false
            default: break
            }
            #expect((event.alert.phase == .active) == isActive)
        }
    }

    private static func rule(_ random: inout SeededGenerator, isLatching: Bool? = nil) -> ReferenceModel.Parameters {
        ReferenceModel.Parameters(
            limit: 110, slack: Double([0, 5].randomElement(using: &random) ?? 0), delay: [0, 3, 10].randomElement(using: &random) ?? 0,
            keep: [0, 4, 12].randomElement(using: &random) ?? 0, isLatching: isLatching ?? Bool.random(using: &random),
            lateness: [2, 5].randomElement(using: &random) ?? 2,
            stale: [15, 40].randomElement(using: &random) ?? 15,
            escalations: [[], [5], [8, 30]].randomElement(using: &random) ?? [],
            open: [nil, nil, 80_040..<80_100, 80_160..<80_280].randomElement(using: &random) ?? nil)
    }

    private static func text(_ rule: ReferenceModel.Parameters) -> String {
        let steps = rule.escalations.map { "{after: \"\($0)s\", to: \"nurse\"}" }.joined(separator: ",")
        let open =
            rule.open.map { "schedule: {zone: \"UTC\", from: \"\(minute($0.lowerBound))\", to: \"\(minute($0.upperBound))\"}," } ?? ""
        return """
            {rules: [{id: "high", escalate: [\(steps)], \(open) metric: "heart-rate", severity: "warning", above: \(rule.limit), hysteresis: \(rule.slack), for: "\(rule.delay)s",
              keepFiringFor: "\(rule.keep)s", latch: \(rule.isLatching), lateness: "\(rule.lateness)s", staleAfter: "\(rule.stale)s"}]}
            """
    }

    private static func minute(_ second: Int64) -> String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(second / 3600)):\(two(second / 60 % 60))"
    }

    private static func input(_ random: inout SeededGenerator) -> ReferenceModel.Input {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: .acknowledge
        case 1: .clear(Int64.random(in: 1...100, using: &random))
        case 2: .restart
        case 3: .pass(Int64.random(in: 5...60, using: &random))
        case 4...8: .pass(Int64.random(in: 1...3, using: &random))
        case 9: .reading(Double(Int.random(in: 90...130, using: &random)), late: Int64.random(in: 1...12, using: &random))
        default: .reading(Double(Int.random(in: 95...125, using: &random)), late: 0)
        }
    }

    private static func run(_ rule: ReferenceModel.Parameters, _ inputs: [ReferenceModel.Input]) throws -> ([String], [String]) {
        var engine = try EngineHarness(text(rule))
        var model = ReferenceModel(rule, now: EngineHarness.start)
        var clock: Int64 = 0
        for input in inputs {
            model.take(input)
            try put(input, &engine, &clock)
        }
        return (engine.events.map(\.transition.rawValue), model.log)
    }

    private static func put(_ input: ReferenceModel.Input, _ engine: inout EngineHarness, _ clock: inout Int64) throws {
        switch input {
        case .reading(let value, let late): try engine.read("heart-rate", value, at: clock - late, received: clock)
        case .pass(let seconds):
            clock += seconds
            engine.advance(to: clock)
        case .acknowledge: engine.attempt(.acknowledge, rule: "high")
        case .clear(let seconds): engine.attempt(.clear(until: (engine.now + seconds) * 1_000_000), rule: "high")
        case .restart: try engine.restart()
        }
    }
}

extension EngineHarness {
    /// Gives a command that may be refused.
    mutating func attempt(_ command: AlertCommand, rule: String) {
        do {
            try self.command(command, rule: rule)
        } catch {
            // Nothing is active: the model refuses as well.
        }
    }
}
