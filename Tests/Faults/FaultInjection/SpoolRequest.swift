import Foundation
import SuiteHarness

/// The command line of `vigil-faults spool`.
package struct SpoolRequest: Sendable {
    private var readings = 100_000
    private var kills = 5
    private var store = StoreUnderTest.Kind.sqlite

    /// Reads `[--readings N] [--kills N] [--store sqlite|postgres]`.
    package init(_ words: [String]) throws {
        var words = words[...]
        while let word = words.popFirst() {
            let value = words.popFirst() ?? ""
            switch (word, Int(value), StoreUnderTest.Kind(rawValue: value)) {
            case ("--readings", let number?, _) where number > 0: readings = number
            case ("--kills", let number?, _) where number > 0: kills = number
            case ("--store", _, let kind?): store = kind
            default: throw HarnessError("spool takes --readings N, --kills N and --store sqlite|postgres, not \(word) \(value)")
            }
        }
    }

    /// Says whether every reading is stored once.
    package func run() async -> Bool {
        let say: @Sendable (String) -> Void = { FileHandle.standardOutput.write(Data("\($0)\n".utf8)) }
        do {
            let verdict = try await SpoolRun(store: store, count: readings, kills: kills, say: say).run()
            for problem in verdict.problems { say("WRONG: \(problem)") }
            say("\(readings) readings, \(store.rawValue): \(verdict.problems.isEmpty ? "all stored once" : "FAILED"); \(verdict.remarks)")
            return verdict.problems.isEmpty
        } catch {
            say("could not be carried out: \(error)")
            return false
        }
    }
}
