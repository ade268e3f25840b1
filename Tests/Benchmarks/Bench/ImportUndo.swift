import Foundation
import SuiteHarness
import TestSupport

/// 27,000 corrections by `vigil-import`, straight into PostgreSQL: rows a second, by the side of the same into SQLite.
struct ImportCorrections: Benchmark {
    let name = "import-corrections"
    let unit = "rows/s"
    let goal = Goal.ratio(0.3)
    let yardstick: String? = "the same into SQLite"
    private let load = ImportLoad(rows: 27_000)

    func product(_ bench: Workbench) async throws -> Double { try await rate(.postgres, bench) }

    func limit(_ bench: Workbench) async throws -> Double? { try await rate(.sqlite, bench) }

    private func rate(_ kind: StoreUnderTest.Kind, _ bench: Workbench) async throws -> Double {
        let direct = try DirectImport(kind, bench)
        let file = try load.file(in: bench.folder)
        _ = try await direct.seconds([file, "--quiet"])
        // Another last digit for every value.
        let corrected = direct.folder.path("corrected.csv")
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        try lines.enumerated().map { $0 == 0 ? "\($1)\n" : "\($1)1\n" }.joined().write(
            toFile: corrected, atomically: false, encoding: .utf8)
        let seconds = try await direct.seconds([corrected, "--quiet"])
        guard try await direct.run(["list"]).contains("\(load.rows) corrected") else { throw HarnessError("not everything was corrected") }
        return Double(load.rows) / seconds
    }
}

/// Undoing an import of a million rows, straight in the store: its time as a share of the import's.
struct ImportUndo: Benchmark {
    let store: StoreUnderTest.Kind
    var name: String { "import-undo-\(store.rawValue)" }
    let unit = "of the import's time"
    let goal = Goal.atMost(0.5)
    let repeats = 1
    private let load = ImportLoad(rows: 1_000_000)

    func product(_ bench: Workbench) async throws -> Double {
        let direct = try DirectImport(store, bench)
        let imported = try await direct.seconds([try load.file(in: bench.folder), "--quiet"])
        let id = String(try await direct.run(["list"]).prefix { !$0.isWhitespace })
        let undone = try await direct.seconds(["undo", id])
        guard try await direct.run(["list"]).contains("undone") else { throw HarnessError("the import was not undone") }
        Output.note("imported in \(Table.number(imported)) s, undone in \(Table.number(undone)) s")
        return undone / imported
    }
}

/// `vigil-import` on a store of its own, without broker and timeline.
private struct DirectImport {
    let folder: TemporaryFolder
    private let setting: String

    init(_ kind: StoreUnderTest.Kind, _ bench: Workbench) throws {
        folder = try bench.freshFolder()
        setting = try bench.store(kind, in: folder).setting()
    }

    /// The time that a call takes.
    func seconds(_ arguments: [String]) async throws -> Double {
        let start = MonotonicTime.now
        _ = try await run(arguments + ["--store", setting])
        return Double(MonotonicTime.now - start) / 1e9
    }

    /// What a call prints.
    func run(_ arguments: [String]) async throws -> String {
        let child = try ChildProcess(
            try BuiltCommand.path("vigil-import"), arguments + ["--state-folder", folder.path("state")],
            output: folder.path("\(UUID().uuidString).log"))
        guard try await child.waitForExit(within: .seconds(1800)) == 0 else { throw HarnessError(child.output) }
        return child.output
    }
}
