import Foundation
import HealthModules
import MessageBus
import Observability
import ServiceKit
import SuiteHarness
import TestSupport
import VigilSchema

/// Ten years of one person's data through all health modules, taken in, and every module run once: seconds of processor time.
struct ModulesDecade: Benchmark {
    let name = "modules-decade"
    let unit = "s"
    let goal = Goal.atMostRatio(3.1)
    let yardstick: String? = "as many rows into SQLite, and one query that summarizes each day"

    func product(_ bench: Workbench) async throws -> Double {
        let host = try ModuleLoad(folder: try bench.freshFolder())
        let groups = ModuleLoad.decade()
        let start = try Self.processorTime()
        for group in groups { _ = try await host.intake.take([group], isHistory: true, now: ModuleLoad.now) }
        let taken = try Self.processorTime()
        let outcomes = await host.evaluateAll("anna")
        let seconds = try Self.processorTime() - start
        Output.note(
            "\(groups.reduce(0) { $0 + $1.observations.count }) readings taken in \(Table.number(taken - start)) s, \(outcomes.count) modules run"
        )
        guard outcomes.count == ModuleRegistry.standard.modules.count else { throw HarnessError("\(outcomes.count) modules answered") }
        for outcome in outcomes {
            guard case .result = outcome.outcome else { throw HarnessError("\(outcome.module) gave no result: \(outcome.outcome)") }
        }
        return seconds
    }

    func limit(_ bench: Workbench) async throws -> Double? { Double(try await Self.summary(bench).processorTime()) / 1e9 }

    /// Seconds that this process has had of the processors, with all its threads.
    static func processorTime() throws -> Double {
        guard let usage = ProcessUsage(processID: getpid()) else { throw HarnessError("/proc tells nothing of this process") }
        return usage.processor
    }

    /// The same number of readings and metrics, by SQL.
    static func summary(_ bench: Workbench) throws -> LimitProgram {
        let (folder, groups) = (try bench.freshFolder(), ModuleLoad.decade())
        let count = groups.reduce(0) { $0 + $1.observations.count }
        let metrics = Set(groups.compactMap { $0.observations.first?.metric }).count
        let flags = ["--path", folder.path("summary.sqlite"), "--count", "\(count)", "--metrics", "\(metrics)"]
        return try LimitProgram("summary", flags, in: folder)
    }
}

/// A live weight until its value is known, with ten years of the person's data kept: milliseconds of processor time, the mean of fifty.
struct ModulesLive: Benchmark {
    let name = "modules-live"
    let unit = "ms"
    let goal = Goal.atMostRatio(4.8)
    let yardstick: String? = "one row into SQLite, and one query that summarizes each day of its metric"

    func product(_ bench: Workbench) async throws -> Double {
        let host = try ModuleLoad(folder: try bench.freshFolder())
        for group in ModuleLoad.decade() { _ = try await host.intake.take([group], isHistory: true, now: ModuleLoad.now) }
        try await host.host.runDue()
        let start = try ModulesDecade.processorTime()
        for number in 0..<50 {
            let group = ModuleLoad.group("body-weight", [(ModuleLoad.now - 50 + Double(number), 80)])
            _ = try await host.intake.take([group], isHistory: false, now: ModuleLoad.now)
            try await host.host.runDue()
        }
        return (try ModulesDecade.processorTime() - start) * 1000 / 50
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        guard let nanoseconds = try await ModulesDecade.summary(bench).result()["live"] else { throw HarnessError("no time was printed") }
        return Double(nanoseconds) / 1e6
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
