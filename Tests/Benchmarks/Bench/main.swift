import Foundation

do {
    if CommandLine.arguments.dropFirst().elementsEqual([AlertEngineMemory.word]) {
        Output.say("\(try AlertEngineMemory.growth())")
        exit(0)
    }
    if CommandLine.arguments.count == 3, CommandLine.arguments[1] == ModulesMemory.word {
        Output.say("\(try await ModulesMemory.resident(stateFolder: CommandLine.arguments[2]))")
        exit(0)
    }
    let request = try Request(Array(CommandLine.arguments.dropFirst()))
    if request.isList {
        for benchmark in Catalogue.all { Output.say(Table.line(benchmark)) }
        exit(0)
    }
    let bench = try Workbench(rows: request.rows, database: request.database)
    if let minutes = request.soakMinutes {
        let isFlat = try await Soak(minutes: minutes).run(bench)
        await bench.close()
        exit(isFlat ? 0 : 1)
    }
    Output.say("\(Machine.description)\n\n\(Table.header)")
    let (outcomes, failures) = await Runner(benchmarks: request.benchmarks, bench: bench).run()
    await bench.close()
    if let file = request.file {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(outcomes).write(to: URL(filePath: file))
    }
    // A row that missed is judged by its second measurement, which stands behind it.
    let last = Dictionary(outcomes.map { ($0.name, $0) }) { $1 }
    exit(failures > 0 || last.values.contains { !$0.met } ? 1 : 0)
} catch {
    Output.note("bench: \(error)")
    exit(64)
}
