import Foundation
import SuiteHarness

/// Reads `--seed N`, `--seconds S`, `--only A-B` and `--artifacts FOLDER`.
func fuzzer(_ words: [String]) throws -> PacketFuzzer {
    var (seed, seconds, artifacts) = (UInt64(0), 60.0, ".build/fuzz")
    var only: ClosedRange<UInt64>?
    var rest = words[...]
    while let word = rest.popFirst() {
        let value = rest.popFirst() ?? ""
        let ends = value.split(separator: "-").compactMap { UInt64($0) }
        switch (word, Double(value)) {
        case ("--seed", _?): seed = UInt64(value) ?? 0
        case ("--seconds", let number?): seconds = number
        case ("--only", _) where ends.count == 2 && ends[0] <= ends[1]: only = ends[0]...ends[1]
        case ("--artifacts", _): artifacts = value
        default: throw HarnessError("takes --seed N, --seconds S, --only A-B and --artifacts FOLDER, not \(word) \(value)")
        }
    }
    // Without a seed another one each time, as libFuzzer has it.
    if seed == 0 { seed = UInt64.random(in: 1...1_000_000) }
    return PacketFuzzer(seed: seed, seconds: seconds, only: only, artifacts: artifacts) { line in
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}

do {
    let fuzzer = try fuzzer(Array(CommandLine.arguments.dropFirst()))
    fuzzer.say("seed \(fuzzer.seed)")
    if let finding = try await fuzzer.run() {
        fuzzer.say("FOUND \(finding)")
        exit(1)
    }
    exit(0)
} catch {
    FileHandle.standardError.write(Data("vigil-packets: \(error)\n".utf8))
    exit(64)
}
