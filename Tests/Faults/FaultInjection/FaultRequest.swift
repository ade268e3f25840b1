import Foundation
import SuiteHarness

/// The command line of `vigil-faults`.
package struct FaultRequest: Sendable {
    private var seeds: ClosedRange<UInt64> = 1...1
    private var isSeries = false
    private var stores = StoreUnderTest.Kind.allCases
    private var plan = FaultPlan(seed: 1, store: .sqlite)

    /// Reads `[SEED] [--seeds A-B] [--store sqlite|postgres] [--readings N] [--seconds S] [--interval S] [--longest S] [--memory MB] [--kinds A,B] [--others A,B]`.
    package init(_ words: [String]) throws {
        leaveOut(.fillDisk, unless: geteuid() == 0, "mounting a small file system needs root")
        leaveOut(.fillDiskLong, unless: geteuid() == 0, "mounting a small file system needs root")
        leaveOut(.stepClock, unless: FakeClock.isAvailable, "the library of Tests/Faults/Clock is not built; deploy/faults builds it")
        var words = words[...]
        while let word = words.popFirst() {
            if let number = UInt64(word) {
                seeds = number...number
            } else {
                try set(word, words.popFirst() ?? "")
            }
        }
    }

    private mutating func leaveOut(_ kind: FaultKind, unless isPossible: Bool, _ reason: String) {
        guard !isPossible else { return }
        plan.kinds.removeAll { $0 == kind }
        Self.say("left out: \(kind.rawValue): \(reason)")
    }

    /// Many seeds: each over one store, in turn, and in half a minute.
    private mutating func setSeeds(_ value: String) throws {
        let ends = value.split(separator: "-").compactMap { UInt64($0) }
        guard ends.count == 2, ends[0] <= ends[1] else { throw HarnessError("--seeds takes two numbers, for example 1-50") }
        seeds = ends[0]...ends[1]
        isSeries = true
        (plan.readings, plan.seconds, plan.interval, plan.longest, plan.longestFreeze, plan.longFullDisk) = (60_000, 20, 1.5, 3, 6, 15)
    }

    private mutating func set(_ name: String, _ value: String) throws {
        switch name {
        case "--seeds": try setSeeds(value)
        case "--readings": plan.readings = try Self.number(name, value)
        case "--per-message": plan.perMessage = try Self.number(name, value)
        case "--seconds": plan.seconds = try Self.number(name, value)
        case "--memory": plan.memory = try Self.number(name, value)
        case "--interval": plan.interval = try Self.number(name, value)
        case "--longest": plan.longest = try Self.number(name, value)
        case "--longest-freeze": plan.longestFreeze = try Self.number(name, value)
        case "--store":
            guard let store = StoreUnderTest.Kind(rawValue: value) else { throw HarnessError("--store takes sqlite or postgres") }
            stores = [store]
        case "--kinds": plan.kinds = try value.split(separator: ",").flatMap(Self.kind)
        case "--others": plan.others = value.split(separator: ",").map(String.init)
        default: throw HarnessError("\(name) is no option")
        }
    }

    /// Runs the seeds; says whether every promise was kept.
    package func run() async -> Bool {
        var failed: [String] = []
        for seed in seeds {
            // In a series the stores take turns.
            for store in isSeries && stores.count > 1 ? [stores[Int(seed % 2)]] : stores {
                var plan = plan
                plan.seed = seed
                plan.store = store
                if await !run(plan) { failed.append("\(seed) (\(store.rawValue))") }
            }
        }
        Self.say(failed.isEmpty ? "all passed" : "FAILED: \(failed.joined(separator: ", "))")
        return failed.isEmpty
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

    private static func kind(_ name: Substring) throws -> [FaultKind] {
        if name == "hostile" { return FaultKind.hostile }
        if let kind = FaultKind(rawValue: String(name)) { return [kind] }
        throw HarnessError("--kinds takes hostile, \(FaultKind.allCases.map(\.rawValue).joined(separator: ", "))")
    }
}
