/// Measures benchmarks one after the other, product and limit in turn, and prints what comes out.
struct Runner {
    let benchmarks: [any Benchmark]
    let bench: Workbench

    func run() async -> (outcomes: [Outcome], failures: Int) {
        var outcomes: [Outcome] = []
        var failures = 0
        for benchmark in benchmarks {
            do {
                var outcome = try await measure(benchmark)
                let explanation = bench.takeExplanation()
                if !outcome.met { outcome.reason = explanation }
                outcomes.append(outcome)
                Output.say(Table.row(outcome, benchmark.goal))
                if let reason = outcome.reason { Output.say("    missed: \(reason)") }
            } catch {
                failures += 1
                Output.say("\(benchmark.name): failed: \(error)")
            }
        }
        return (outcomes, failures)
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
