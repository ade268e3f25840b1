import Foundation
import SuiteHarness

/// The command line: `[NAME…] [--json FILE] [--rows N] [--database CONNECTION] [--list]`, or `soak [--minutes N]`.
struct Request {
    private(set) var benchmarks: [any Benchmark] = []
    private(set) var file: String?
    /// The number of readings the timeline has that pages are asked of.
    private(set) var rows = 2_000_000
    /// The database that keeps this timeline for another time, as libpq names it.
    private(set) var database: String?
    private(set) var isList = false
    /// The minutes to soak instead; nil: not at all.
    private(set) var soakMinutes: Int?

    init(_ words: [String]) throws {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--list": isList = true
            case "--json":
                guard let path = words.popFirst() else { throw HarnessError("--json takes a file") }
                file = path
            case "--rows":
                guard let count = words.popFirst().flatMap({ Int($0) }), count > 0 else { throw HarnessError("--rows takes a number") }
                rows = count
            case "--database":
                guard let connection = words.popFirst() else { throw HarnessError("--database takes libpq's connection string") }
                database = connection
            case "soak": soakMinutes = soakMinutes ?? 60
            case "--minutes":
                guard let minutes = words.popFirst().flatMap({ Int($0) }), minutes > 1 else {
                    throw HarnessError("--minutes takes 2 or more")
                }
                soakMinutes = minutes
            default: benchmarks.append(try Self.benchmark(word))
            }
        }
        if benchmarks.isEmpty { benchmarks = Catalogue.all }
    }

    private static func benchmark(_ name: String) throws -> any Benchmark {
        if let found = Catalogue.all.first(where: { $0.name == name }) { return found }
        throw HarnessError("no benchmark \(name); there are \(Catalogue.all.map(\.name).joined(separator: ", "))")
    }
}

/// Measures benchmarks one after the other, product and limit in turn, and prints what comes out.
struct Runner {
    let benchmarks: [any Benchmark]
    let bench: Workbench

    func run() async -> (outcomes: [Outcome], failures: Int) {
        var outcomes: [Outcome] = []
        var failures = 0
        for benchmark in benchmarks {
            do {
                let outcome = try await measured(benchmark)
                outcomes.append(outcome)
                if !outcome.met { outcomes.append(try await measured(benchmark, again: true)) }
            } catch {
                failures += 1
                Output.say("\(benchmark.name): failed: \(error)")
            }
        }
        return (outcomes, failures)
    }

    /// Measures and prints a row. A second one is measured like the first, by itself, because something else may have hit the first.
    private func measured(_ benchmark: any Benchmark, again: Bool = false) async throws -> Outcome {
        var outcome = try await measure(benchmark)
        outcome.isRepeated = again
        let explanation = bench.takeExplanation()
        if !outcome.met { outcome.reason = explanation }
        Output.say(Table.row(outcome, benchmark.goal))
        if let reason = outcome.reason { Output.say("    missed: \(reason)") }
        return outcome
    }

    private func measure(_ benchmark: any Benchmark) async throws -> Outcome {
        try bench.settle()
        var values: [Double] = []
        var limits: [Double] = []
        for round in 0..<benchmark.repeats {
            // Whoever goes first finds the machine colder, so they take turns.
            if round % 2 == 0, let limit = try await benchmark.limit(bench) { limits.append(limit) }
            let value = try await benchmark.product(bench)
            values.append(value)
            if round % 2 == 1, let limit = try await benchmark.limit(bench) { limits.append(limit) }
            Output.note("\(benchmark.name), round \(round + 1): \(Table.number(value)), limit \(limits.last.map(Table.number) ?? "none")")
        }
        return Outcome(benchmark, values: values, limits: limits)
    }
}

/// Lines that appear when they are written, also where the output is a file: buffered ones would come after the notes they belong before.
enum Output {
    /// The table.
    static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    /// Progress, apart from the table.
    static func note(_ line: String) { FileHandle.standardError.write(Data("  \(line)\n".utf8)) }
}

/// The printed table.
enum Table {
    static let header = row("benchmark", "value", "limit", "ratio", "goal", "met", "unit")

    static func row(_ outcome: Outcome, _ goal: Goal) -> String {
        row(
            outcome.isRepeated ? "  again" : outcome.name, number(outcome.value), outcome.limit.map(number) ?? "–",
            outcome.ratio.map(number) ?? "–", goal.text, outcome.met ? "yes" : "NO", outcome.unit)
    }

    /// Three significant digits, thousands apart.
    static func number(_ value: Double) -> String {
        guard abs(value) >= 1000 else { return String(format: abs(value) >= 100 ? "%.0f" : "%.3g", value) }
        var digits = String(format: "%.0f", value)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return ([digits] + groups).joined(separator: " ")
    }

    /// A benchmark as `--list` has it: its goal and its yardstick.
    static func line(_ benchmark: any Benchmark) -> String {
        pad(benchmark.name, 28, left: true) + pad(benchmark.goal.text, 12, left: true) + "  " + (benchmark.yardstick ?? "–")
    }

    private static func row(
        _ name: String, _ value: String, _ limit: String, _ ratio: String, _ goal: String, _ met: String, _ unit: String
    ) -> String {
        pad(name, 28, left: true) + pad(value, 12) + pad(limit, 12) + pad(ratio, 7) + pad(goal, 12) + pad(met, 5) + "  " + unit
    }

    private static func pad(_ text: String, _ width: Int, left: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return left ? text + blanks : blanks + text
    }
}
