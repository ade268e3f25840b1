import Foundation
import SuiteHarness

/// The command line of `vigil-faults`.
package struct FaultRequest: Sendable {
    private var seed: UInt64 = 1
    private var count = 1
    private var stores = StoreUnderTest.Kind.allCases
    private var plan = FaultPlan(seed: 1, store: .sqlite)

    /// Reads `[SEED] [--count N] [--store sqlite|postgres] [--readings N] [--seconds S] [--interval S] [--longest S] [--kinds A,B] [--others A,B]`.
    package init(_ words: [String]) throws {
        plan.others = ["vigil-stress", "vigil-alert"]
        if geteuid() != 0 { plan.kinds.removeAll { $0 == .fillDisk } }
        var words = words[...]
        while let word = words.popFirst() {
            if let number = UInt64(word) {
                seed = number
            } else {
                try set(word, words.popFirst() ?? "")
            }
        }
    }

    private mutating func set(_ name: String, _ value: String) throws {
        switch name {
        case "--count": count = try Self.number(name, value)
        case "--readings": plan.readings = try Self.number(name, value)
        case "--per-message": plan.perMessage = try Self.number(name, value)
        case "--seconds": plan.seconds = try Self.number(name, value)
        case "--interval": plan.interval = try Self.number(name, value)
        case "--longest": plan.longest = try Self.number(name, value)
        case "--store":
            guard let store = StoreUnderTest.Kind(rawValue: value) else { throw HarnessError("--store takes sqlite or postgres") }
            stores = [store]
        case "--kinds": plan.kinds = try value.split(separator: ",").map(Self.kind)
        case "--others": plan.others = value.split(separator: ",").map(String.init)
        default: throw HarnessError("\(name) is no option")
        }
    }

    /// Runs each seed over each store; says whether every promise was kept.
    package func run() async -> Bool {
        var kept = true
        for seed in seed..<seed + UInt64(count) {
            for store in stores {
                var plan = plan
                plan.seed = seed
                plan.store = store
                kept = await run(plan) && kept
            }
        }
        return kept
    }

    private func run(_ plan: FaultPlan) async -> Bool {
        Self.say("seed \(plan.seed), \(plan.store.rawValue)")
        do {
            let verdict = try await FaultRun(plan) { Self.say("  \($0)") }.run()
            for problem in verdict.problems { Self.say("  WRONG: \(problem)") }
            Self.say("seed \(plan.seed), \(plan.store.rawValue): \(verdict.problems.isEmpty ? "passed" : "FAILED"); \(verdict.remarks)")
            return verdict.problems.isEmpty
        } catch {
            Self.say("seed \(plan.seed), \(plan.store.rawValue): could not be carried out: \(error)")
            return false
        }
    }

    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    private static func number<Number: LosslessStringConvertible>(_ name: String, _ value: String) throws -> Number {
        guard let number = Number(value) else { throw HarnessError("\(name) takes a number, not \(value)") }
        return number
    }

    private static func kind(_ name: Substring) throws -> FaultKind {
        if let kind = FaultKind(rawValue: String(name)) { return kind }
        throw HarnessError("--kinds takes \(FaultKind.allCases.map(\.rawValue).joined(separator: ", "))")
    }
}
