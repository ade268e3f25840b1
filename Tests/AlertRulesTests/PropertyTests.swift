import AlertRules
import Foundation
import SignalSynthesis
import Testing

@Suite("Alert engine against a reference model", .timeLimit(.minutes(60)))
struct PropertyTests {
    /// The number of histories of each kind that a seed makes; `VIGIL_HISTORIES` asks for more, over three kinds and a hundred seeds.
    private static let rounds = max(3, ((ProcessInfo.processInfo.environment["VIGIL_HISTORIES"].flatMap(Int.init) ?? 0) + 299) / 300)

    @Test("agrees on every event, over readings in and out of order, silence, commands and restarts", arguments: 0..<100)
    func agreement(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<(Self.rounds) {
            let rule = Self.rule(&random)
            let inputs = (0..<120).map { _ in Self.input(&random) }
            let (engine, wanted) = try Self.run(rule, inputs)
            Self.compare(engine, wanted, "seed \(seed), \(rule)", inputs)
        }
    }

    @Test("agrees on every event of a score over vital signs that come one by one, late, or not at all", arguments: 0..<100)
    func scores(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) &+ 2000)
        for _ in 0..<(Self.rounds) {
            let stale = [60, 300].randomElement(using: &random) ?? 60 as Int64
            var rule = Self.rule(&random)
            rule.limit = 4
            rule.slack = [0, 1].randomElement(using: &random) ?? 0
            let inputs = (0..<120).map { _ in Self.vital(&random) }
            var engine = try EngineHarness(
                "{scores: {news2: {staleAfter: \"\(stale)s\"}}, rules: [\(Self.text(rule, metric: "news2-at-least", "maximumAge: \"1h\","))]}"
            )
            var model = ReferenceScore(rule, staleAfter: stale, maximumAge: 3600, now: EngineHarness.start)
            var clock: Int64 = 0
            for input in inputs {
                model.take(input)
                switch input {
                case .vital(let sign, let value, let late): try engine.read(sign.rawValue, value, at: clock - late, received: clock)
                case .other(let other): try Self.put(other, &engine, &clock)
                }
            }
            Self.compare(engine, model.log, "seed \(seed), \(rule), stale after \(stale) s", inputs)
        }
    }

    @Test("agrees on every event of the two numbers of a blood pressure, whole, half, in any order, and apart", arguments: 0..<100)
    func pairs(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) &+ 3000)
        for _ in 0..<(Self.rounds) {
            let rule = Self.pair(&random)
            let inputs = (0..<40).flatMap { _ in Self.pressure(&random) }
            var engine = try EngineHarness(Self.text(rule))
            var model = ReferencePair(rule, now: EngineHarness.start)
            var clock: Int64 = 0
            for input in inputs {
                model.take(input)
                switch input {
                case .number(let kind, let value, let late):
                    let metric = ["systolic-pressure", "diastolic-pressure"][kind]
                    try engine.read(metric, value, at: clock - late, received: clock)
                case .other(let other): try Self.put(other, &engine, &clock)
                }
            }
            Self.compare(engine, model.log, "seed \(seed), \(rule)", inputs)
        }
    }

    private static func compare(_ engine: EngineHarness, _ wanted: [String], _ what: String, _ inputs: [some CustomStringConvertible]) {
        let found = engine.log
        let index = zip(found, wanted).enumerated().first { $1.0 != $1.1 }?.offset ?? min(found.count, wanted.count)
        #expect(
            found == wanted,
            """
            \(what), first difference \(index): engine \
            \(found.dropFirst(index).first ?? "nothing"), model \(wanted.dropFirst(index).first ?? "nothing"): \
            \(inputs.map(\.description).joined(separator: " "))
            """)
    }

    @Test("keeps its promises whatever comes", arguments: 0..<30)
    func invariants(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) &+ 1000)
        for _ in 0..<(Self.rounds) {
            var engine = try EngineHarness("{rules: [\(Self.text(Self.rule(&random, isLatching: true)))]}")
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
        for (index, event) in events.enumerated() {
            #expect(event.sequence == UInt32(index + 1))
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

    /// A rule whose condition is one comparison.
    private static func text(_ rule: ReferenceModel.Parameters, metric: String = "heart-rate", _ more: String = "") -> String {
        """
        {id: "high", escalate: \(steps(rule.escalations)), \(hours(rule.open)) metric: "\(metric)", severity: "warning", above: \(rule.limit), \(more)
          hysteresis: \(rule.slack), for: "\(rule.delay)s", keepFiringFor: "\(rule.keep)s", latch: \(rule.isLatching), lateness: "\(rule.lateness)s",
          staleAfter: "\(rule.stale)s"}
        """
    }

    private static func text(_ rule: ReferencePair.Parameters) -> String {
        """
        {rules: [{id: "high", escalate: \(steps(rule.escalations)), \(hours(rule.open)) severity: "critical",
          any: [{metric: "systolic-pressure", above: 180, hysteresis: 5}, {metric: "diastolic-pressure", above: 120, hysteresis: 5}],
          repeat: {count: \(rule.count), within: "\(rule.within)s"}, keepFiringFor: "\(rule.keep)s", latch: \(rule.isLatching),
          staleAfter: "\(rule.stale)s"}]}
        """
    }

    private static func steps(_ escalations: [Int64]) -> String {
        "[\(escalations.map { "{after: \"\($0)s\", to: \"nurse\"}" }.joined(separator: ","))]"
    }

    private static func hours(_ open: Range<Int64>?) -> String {
        open.map { "schedule: {zone: \"UTC\", from: \"\(minute($0.lowerBound))\", to: \"\(minute($0.upperBound))\"}," } ?? ""
    }

    private static func minute(_ second: Int64) -> String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(second / 3600)):\(two(second / 60 % 60))"
    }

    private static func input(_ random: inout SeededGenerator, withReadings: Bool = true) -> ReferenceModel.Input {
        switch Int.random(in: 0..<(withReadings ? 20 : 9), using: &random) {
        case 0: .acknowledge
        case 1: .clear(Int64.random(in: 1...100, using: &random))
        case 2: .restart
        case 3:
            // Now and then nothing comes for so long that another episode begins.
            .pass(Int64.random(in: Int.random(in: 0..<6, using: &random) == 0 ? 900...1200 : 5...60, using: &random))
        case 4...8: .pass(Int64.random(in: 1...3, using: &random))
        case 9: .reading(Double(Int.random(in: 90...130, using: &random)), late: Int64.random(in: 1...12, using: &random))
        default: .reading(Double(Int.random(in: 95...125, using: &random)), late: 0)
        }
    }

    private static func pair(_ random: inout SeededGenerator) -> ReferencePair.Parameters {
        ReferencePair.Parameters(
            count: [2, 3].randomElement(using: &random) ?? 2, within: [100, 300].randomElement(using: &random) ?? 100,
            keep: [0, 15].randomElement(using: &random) ?? 0, isLatching: Bool.random(using: &random),
            stale: [150, 700].randomElement(using: &random) ?? 150, escalations: [[], [60, 200]].randomElement(using: &random) ?? [],
            open: [nil, nil, 80_040..<82_800].randomElement(using: &random) ?? nil)
    }

    private static func vital(_ random: inout SeededGenerator) -> ReferenceScore.Input {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<9: .other(input(&random, withReadings: false))
        case 9: .vital(sign(&random), 0, late: Int64.random(in: 1...400, using: &random)).drawn(&random)
        default: .vital(sign(&random), 0, late: 0).drawn(&random)
        }
    }

    private static func sign(_ random: inout SeededGenerator) -> ReferenceScore.Sign {
        ReferenceScore.Sign.allCases.randomElement(using: &random) ?? .pulse
    }

    /// Some time passes, then a cuff is read: both numbers, in either order, some seconds apart, or only one of them.
    private static func pressure(_ random: inout SeededGenerator) -> [ReferencePair.Input] {
        var inputs: [ReferencePair.Input] = [.other(.pass(Int64.random(in: 1...90, using: &random)))]
        if Int.random(in: 0..<3, using: &random) == 0 { inputs.append(.other(input(&random, withReadings: false))) }
        let first = Int.random(in: 0...1, using: &random)
        let late = Int.random(in: 0..<6, using: &random) == 0 ? Int64.random(in: 1...300, using: &random) : 0
        inputs.append(number(first, late, &random))
        guard Int.random(in: 0..<5, using: &random) > 0 else { return inputs }
        let apart = Int.random(in: 0..<4, using: &random) == 0 ? Int64.random(in: 1...90, using: &random) : 0
        if apart > 0 { inputs.append(.other(.pass(apart))) }
        return inputs + [number(1 - first, late, &random)]
    }

    private static func number(_ kind: Int, _ late: Int64, _ random: inout SeededGenerator) -> ReferencePair.Input {
        .number(kind, Double(kind == 0 ? Int.random(in: 165...195, using: &random) : Int.random(in: 110...130, using: &random)), late: late)
    }

    private static func run(_ rule: ReferenceModel.Parameters, _ inputs: [ReferenceModel.Input]) throws -> (EngineHarness, [String]) {
        var engine = try EngineHarness("{rules: [\(text(rule))]}")
        var model = ReferenceModel(rule, now: EngineHarness.start)
        var clock: Int64 = 0
        for input in inputs {
            model.take(input)
            try put(input, &engine, &clock)
        }
        return (engine, model.log)
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

extension ReferenceScore.Input {
    /// The same vital sign with a value out of all of its bands.
    fileprivate func drawn(_ random: inout SeededGenerator) -> ReferenceScore.Input {
        guard case .vital(let sign, _, let late) = self else { return self }
        let range =
            switch sign {
            case .pulse: 35...135
            case .breathing: 6...28
            case .pressure: 85...225
            }
        return .vital(sign, Double(Int.random(in: range, using: &random)), late: late)
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
