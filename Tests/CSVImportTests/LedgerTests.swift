import Foundation
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import CSVImport

@Suite("the ledger, resumes and rejects")
struct LedgerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("vigil-import") }

    /// Takes batches, and remembers which.
    private final class Recorder: BatchSink {
        private let taken = Mutex<[Int: Int]>([:])
        var indices: [Int] { taken.withLock { $0.keys.sorted() } }
        var observations: Int { taken.withLock { $0.values.reduce(0, +) } }

        func deliver(_ batch: PreparedBatch) async throws(ImportError) -> DeliveryCounts {
            taken.withLock { $0[batch.index] = batch.batch.count }
            return DeliveryCounts(stored: batch.batch.count)
        }
    }

    private func importing(_ path: String, _ sink: Recorder, _ ledger: any Ledger, rejects: RejectFile? = nil, again: Bool = false)
        async throws
        -> ImportSummary
    {
        var policy = Importer.Policy()
        policy.again = again
        let reporter = ProgressReporter(console: Console(), isQuiet: true)
        return try await Importer(
            surveyor: Surveyor(), options: ImportOptions(), policy: policy, sink: sink, ledger: ledger, rejects: rejects, reporter: reporter
        ).run([ImportFile(path: path)])
    }

    private func file(rows: Int, refusing step: Int = .max) throws -> String {
        let lines = (0..<rows).map { "p\($0 % 3),\(1_469_477_616 + $0),\($0 % step == step - 1 ? 999 : 60)\n" }
        return try folder.write("participant-id,timestamp,heart-rate\n" + lines.joined(), to: "data.csv")
    }

    @Test("a resumed import sends every batch behind the confirmed ones, and none before", arguments: [0, 1, 5])
    func resume(confirmed: Int) async throws {
        let path = try file(rows: 12_000), ledger = try SQLiteLedger(path: folder.path("state.sqlite")), whole = Recorder()
        _ = try await importing(path, whole, ledger)
        let all = whole.indices
        #expect(all.count > 8 && all == Array(0..<all.count) && whole.observations == 12_000)
        var entry = try #require(try await ledger.all().first)
        entry.state = .started
        entry.batches = confirmed
        try await ledger.save(entry, by: "test")
        let rest = Recorder()
        _ = try await importing(path, rest, ledger)
        #expect(rest.indices == Array(confirmed..<all.count))
    }

    /// Confirms nothing before as many batches as may be are on their way, and then lets every further one show itself.
    private final class SlowSink: BatchSink {
        private struct State { var (running, peak, taken) = (0, 0, 0) }

        private let state = Mutex(State())
        let bound: Int
        var peak: Int { state.withLock { $0.peak } }
        var taken: Int { state.withLock { $0.taken } }

        init(bound: Int) { self.bound = bound }

        func deliver(_ batch: PreparedBatch) async throws(ImportError) -> DeliveryCounts {
            state.withLock { state in
                (state.running, state.taken) = (state.running + 1, state.taken + 1)
                state.peak = max(state.peak, state.running)
            }
            do {
                try await eventually("\(bound) batches on their way") { peak >= bound }
            } catch {
                throw ImportError(.sink, "\(error)")
            }
            for _ in 0..<200 { await Task.yield() }
            state.withLock { $0.running -= 1 }
            return DeliveryCounts(stored: batch.batch.count)
        }
    }

    @Test("reading waits for a slow sink: at most 96 batches are on their way")
    func slowSink() async throws {
        let path = try file(rows: 160_000), sink = SlowSink(bound: 96)
        let reporter = ProgressReporter(console: Console(), isQuiet: true)
        let summary = try await Importer(
            surveyor: Surveyor(), options: ImportOptions(), policy: Importer.Policy(), sink: sink, ledger: nil, rejects: nil,
            reporter: reporter
        ).run([ImportFile(path: path)])
        #expect(sink.taken > 120 && sink.peak == 96, "\(sink.taken) batches, \(sink.peak) at once")
        #expect(summary.counts.stored == 160_000)
    }

    @Test("a confirmation window goes on behind what is confirmed without a gap")
    func window() {
        var window = ConfirmationWindow(prefix: 3)
        #expect(!window.needs(2) && window.needs(3) && window.needs(4))
        window.confirm(4, DeliveryCounts(stored: 1))
        #expect(window.prefix == 3 && window.needs(3) && !window.needs(4))
        window.confirm(3, DeliveryCounts(stored: 2))
        window.confirm(3, DeliveryCounts(stored: 9))
        #expect(window.prefix == 5 && window.counts.stored == 3)
    }

    @Test("tells all that an import's runs have stored, also after one that found everything known")
    func again() async throws {
        struct Known: BatchSink {
            func deliver(_ batch: PreparedBatch) async throws(ImportError) -> DeliveryCounts {
                DeliveryCounts(duplicates: batch.batch.count)
            }
        }
        let path = try file(rows: 100), ledger = try SQLiteLedger(path: folder.path("state.sqlite"))
        _ = try await importing(path, Recorder(), ledger)
        var policy = Importer.Policy()
        policy.again = true
        _ = try await Importer(
            surveyor: Surveyor(), options: ImportOptions(), policy: policy, sink: Known(), ledger: ledger, rejects: nil,
            reporter: ProgressReporter(console: Console(), isQuiet: true)
        ).run([ImportFile(path: path)])
        let entry = try #require(try await ledger.all().first?.total)
        #expect(entry.stored == 100 && entry.duplicates == 0)
    }

    @Test("keys content by its meaning alone: profiles' other columns do not count, units, names and zones do")
    func recipe() throws {
        func digest(
            _ text: String, name: String = "a.csv", _ change: (inout ImportOptions) -> Void = { _ in },
            profile: (inout Profile) -> Void = { _ in }
        ) throws -> String {
            var options = ImportOptions()
            change(&options)
            let bytes = Array(text.utf8)
            let file = ImportFile(name: name) { () throws(ImportError) in MemorySource(bytes) }
            var survey = try Surveyor(options: options).survey(bytes, path: name)
            profile(&survey.profile)
            return try Recipe(file, survey, options).digest
        }
        let text = "time,pulse,weight (kg),participant\n1469477616,60,70,p\n"
        let plain = try digest(text)
        let same = [
            try digest(text), try digest(text, name: "b.csv"), try digest(text, profile: { $0.title = "other words" }),
            // A column that the file lacks.
            try digest(text, profile: { $0.columns.append(ColumnRule(["new"], metric: "steps")) }),
        ]
        #expect(same.allSatisfy { $0 == plain })
        let others = [
            try digest(text, { $0.units = ["weight (kg)": "[lb_av]"] }), try digest(text, { $0.participant = "q" }),
            try digest(text, { $0.zone = "Europe/Berlin" }),
        ]
        #expect(Set(others + [plain]).count == 4)
        // The same on every machine, compiler and day: what it is made from is spelt out.
        #expect(plain == "2-8a15830da546b7240b376062a22d99796db4046ef63feb75490407864e1368ce")
    }

    @Test("adds rejects to the file that is there, each with its run, once also when an import is gone on with")
    func rejects() async throws {
        let path = try file(rows: 9000, refusing: 1000), ledger = try SQLiteLedger(path: folder.path("state.sqlite"))
        let rejects = folder.path("rejects.csv")
        func lines() throws -> [Substring] { try String(contentsOfFile: rejects, encoding: .utf8).split(separator: "\r\n") }
        _ = try await importing(path, Recorder(), ledger, rejects: RejectFile(path: rejects))
        #expect(try lines().count == 1 + 9)
        var entry = try #require(try await ledger.all().first)
        (entry.state, entry.batches) = (.started, 2)
        try await ledger.save(entry, by: "test")
        _ = try await importing(path, Recorder(), ledger, rejects: RejectFile(path: rejects))
        #expect(try lines().count == 1 + 9, "told before the import was interrupted")
        _ = try await importing(path, Recorder(), ledger, rejects: RejectFile(path: rejects), again: true)
        #expect(try lines().count == 1 + 18)
        #expect(try lines().dropFirst().allSatisfy { $0.contains(",\(entry.id),") })
        let other = try folder.write("a,b\n1,2\n", to: "other.csv")
        #expect(throws: ImportError.self) { try RejectFile(path: other) }
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "a,b\n1,2\n")
    }
}
