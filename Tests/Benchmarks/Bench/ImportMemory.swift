import SuiteHarness
import TestSupport

/// The most memory that `vigil-import` takes for a file of any size, through broker and timeline into SQLite.
struct ImportMemory: Benchmark {
    /// What is imported.
    enum Content: String, Sendable, CaseIterable {
        case csv, health, archive
    }

    let content: Content
    var name: String { "import-memory-\(content.rawValue)" }
    let unit = "MB"
    let goal = Goal.atMost(100)
    let repeats = 1
    private static let rows = 5_000_000
    private static let records = 2_000_000

    func product(_ bench: Workbench) async throws -> Double {
        let file = try await file(bench)
        let target = try await ImportTarget(.sqlite, server: bench.postgres)
        let start = MonotonicTime.now
        let importer = try target.importer([file, "--participant", "anna", "--quiet"])
        var usage: ProcessUsage?
        try await eventually(within: .seconds(900), "the import's end") {
            usage = ProcessUsage(processID: importer.processID).flatMap { $0.peak > 0 ? $0 : nil } ?? usage
            return importer.hasEnded
        }
        let seconds = Double(MonotonicTime.now - start) / 1e9
        let expected = content == .csv ? Self.rows : Self.records
        let stored = try await target.count()
        guard try await importer.waitForExit() == 0, stored == expected else {
            throw HarnessError("stored \(stored) of \(expected): \(importer.output)")
        }
        try await target.stop()
        Output.note("\(expected) readings in \(Table.number(seconds)) s, \(Table.number(usage?.processor ?? .nan)) s of processor time")
        return usage.map { Double($0.peak) / 1e6 } ?? .nan
    }

    private func file(_ bench: Workbench) async throws -> String {
        switch content {
        case .csv: try ImportLoad(rows: Self.rows).file(in: bench.folder)
        case .health: try HealthLoad(records: Self.records).file(in: bench.folder)
        case .archive: try await HealthLoad(records: Self.records).archive(in: bench.folder)
        }
    }
}
