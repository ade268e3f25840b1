import Foundation
import HealthModules
import MessageBus
import Observability
import ServiceKit
import SuiteHarness
import TestSupport
import VigilSchema

/// Ten years of one person's data through all health modules: taken in, and every module run once.
struct ModulesDecade: Benchmark {
    let name = "modules-decade"
    let unit = "s"
    let goal = Goal.atMost(2)

    func product(_ bench: Workbench) async throws -> Double {
        let host = try ModuleLoad(folder: try bench.freshFolder())
        let groups = ModuleLoad.decade()
        let start = MonotonicTime.now
        for group in groups { _ = try await host.intake.take([group], isHistory: true, now: ModuleLoad.now) }
        let taken = MonotonicTime.now
        let outcomes = await host.evaluateAll("anna")
        let seconds = Double(MonotonicTime.now - start) / 1e9
        Output.note(
            "\(groups.reduce(0) { $0 + $1.observations.count }) readings taken in \(Double(taken - start) / 1e9) s, \(outcomes.count) modules run"
        )
        guard outcomes.count == ModuleRegistry.standard.modules.count else { throw HarnessError("\(outcomes.count) modules answered") }
        for outcome in outcomes {
            guard case .result = outcome.outcome else { throw HarnessError("\(outcome.module) gave no result: \(outcome.outcome)") }
        }
        return seconds
    }
}

/// A live weight until its value is known, with ten years of the person's data kept; the median of fifty.
struct ModulesLive: Benchmark {
    let name = "modules-live"
    let unit = "ms"
    let goal = Goal.atMost(50)

    func product(_ bench: Workbench) async throws -> Double {
        let host = try ModuleLoad(folder: try bench.freshFolder())
        for group in ModuleLoad.decade() { _ = try await host.intake.take([group], isHistory: true, now: ModuleLoad.now) }
        try await host.host.runDue()
        var times: [Double] = []
        for number in 0..<50 {
            let start = MonotonicTime.now
            let group = ModuleLoad.group("body-weight", [(ModuleLoad.now - 50 + Double(number), 80)])
            _ = try await host.intake.take([group], isHistory: false, now: ModuleLoad.now)
            try await host.host.runDue()
            times.append(Double(MonotonicTime.now - start) / 1e6)
        }
        return times.median
    }
}

/// Memory of the host with 10,000 participants, each with a year of weights and blood pressures and every module run. In a process of its own.
struct ModulesMemory: Benchmark {
    let name = "modules-memory"
    let unit = "MB"
    let goal = Goal.atMost(100)
    let repeats = 1

    /// The only word of the command line by which this program starts itself for the measurement.
    static let word = "measure-modules-memory"

    func product(_ bench: Workbench) async throws -> Double {
        let folder = try bench.freshFolder()
        let child = try ChildProcess(try BuiltCommand.path("vigil-bench"), [Self.word, folder.path("state")], output: folder.path("size"))
        guard try await child.waitForExit(within: .seconds(600)) == 0, let size = Double(child.output.trimmingCharacters(in: .newlines))
        else {
            throw HarnessError("the measurement ended: \(child.output)")
        }
        return size / 1e6
    }

    /// The resident memory of this process once everything is done.
    static func resident(stateFolder: String) async throws -> Int {
        let host = try ModuleLoad(stateFile: "\(stateFolder).sqlite")
        for part in 0..<100 {
            let groups = (0..<100).flatMap { number in
                ModuleLoad.year(participant: "p\(part * 100 + number)")
            }
            _ = try await host.intake.take(groups, isHistory: false, now: ModuleLoad.now)
            try await host.host.runDue()
        }
        guard let usage = ProcessUsage(processID: getpid()) else { throw HarnessError("/proc tells nothing of this process") }
        return withExtendedLifetime(host) { usage.resident }
    }
}
