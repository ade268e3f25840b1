import Foundation
import ServiceKit
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import CSVImport

@Suite("Files of one folder")
struct FolderImportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("vigil-import-folder") }

    private func summary(_ files: [String], rejects: RejectFile? = nil, parallel: Int, run: String = "a") async throws -> ImportSummary {
        let store = try #require(StoreAddress("sqlite:\(folder.path("\(run).sqlite"))")).store(password: nil)
        var policy = Importer.Policy()
        policy.parallel = parallel
        let importer = Importer(
            surveyor: Surveyor(options: .ofParticipant()), options: .ofParticipant(), policy: policy,
            sink: StoreSink(store, patience: .zero),
            ledger: try SQLiteLedger(path: folder.path("\(run).state.sqlite")), rejects: rejects,
            reporter: ProgressReporter(console: Console(), isQuiet: true))
        let summary = try await importer.run(files.map(ImportFile.init(path:)))
        await store.close()
        return summary
    }

    @Test("whose columns say nothing: Withings' days are each their own, in any order", arguments: [1, 2])
    func withings(parallel: Int) async throws {
        let text = "date,value\n2024-03-25,4200\n2024-03-26,5100\n"
        let names = ["calories_earned", "distance", "steps"]
        let files = try names.map { try folder.write(text, to: "aggregates_\($0).csv") }
        for (number, order) in [files, files.reversed()].enumerated() {
            let summary = try await summary(order, parallel: parallel, run: "w\(parallel)\(number)")
            #expect(summary.counts == DeliveryCounts(stored: 6) && summary.failures.isEmpty)
        }
    }

    @Test("whose sensors nobody named: a second value of one moment is refused in words, in any order", arguments: [1, 2])
    func sensors(parallel: Int) async throws {
        let head = "timestamp,heart rate\n"
        let chest = try folder.write(head + "2024-03-25 08:00,61\n2024-03-25 08:01,62\n2024-03-25 08:02,63\n", to: "chest.csv")
        let wrist = try folder.write(head + "2024-03-25 08:00,71\n2024-03-25 08:01,72\n2024-03-25 08:02,63\n", to: "wrist.csv")
        for (number, files) in [[chest, wrist], [wrist, chest]].enumerated() {
            let run = "s\(parallel)\(number)"
            let path = folder.path("\(run).csv")
            let summary = try await summary(files, rejects: try RejectFile(path: path), parallel: parallel, run: run)
            #expect(summary.counts == DeliveryCounts(stored: 3, duplicates: 1), "\(summary.counts)")
            #expect(summary.account.rejected == 2 && summary.account.accepted == 4)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.contains("--source") && text.split(separator: "\r\n").count == 3, "\(text)")
        }
    }

    @Test("of one maker, with a column that no rule knows: a second value of one moment is refused in words", arguments: [1, 2])
    func unknownColumns(parallel: Int) async throws {
        let head = "day,timestamp,contributors.recovery_index,quux\n2026-03-05,2026-03-05T00:00:00+00:00,90,"
        let files = [try folder.write(head + "81\n", to: "a.csv"), try folder.write(head + "72\n", to: "b.csv")]
        let summary = try await summary(files, parallel: parallel, run: "u\(parallel)")
        #expect(summary.account.rejected == 1, "\(summary.account)")
    }

    @Test("that were exported twice and overlap are no contradiction: what is the same is known")
    func overlapping() async throws {
        let head = "timestamp,heart rate\n"
        let june = try folder.write(head + "2024-03-25 08:00,61\n2024-03-25 08:01,62\n", to: "june.csv")
        let july = try folder.write(head + "2024-03-25 08:01,62\n2024-03-25 08:02,63\n", to: "july.csv")
        let copy = try folder.write(head + "2024-03-25 08:00,61\n2024-03-25 08:01,62\n", to: "june (1).csv")
        let summary = try await summary([june, july, copy], parallel: 2, run: "o")
        #expect(summary.counts.stored == 3 && summary.counts.corrections == 0 && summary.account.rejected == 0)
    }

    @Test("of which one is in already: what it says is not replaced by another's, which is refused in words", arguments: [1, 2])
    func known(parallel: Int) async throws {
        let head = "timestamp,heart rate\n"
        let chest = try folder.write(head + "2024-03-25 08:00,61\n2024-03-25 08:01,62\n", to: "chest.csv")
        let wrist = try folder.write(head + "2024-03-25 08:00,71\n2024-03-25 08:01,62\n2024-03-25 08:02,63\n", to: "wrist.csv")
        let run = "k\(parallel)"
        _ = try await summary([chest], parallel: 1, run: run)
        let both = try await summary(parallel == 1 ? [chest, wrist] : [chest, chest, wrist], parallel: 1, run: run)
        #expect(both.counts == DeliveryCounts(stored: 1, duplicates: 1) && both.account.rejected == 1 && both.replaced == 0)
        // Once both are in, neither contradicts the other any more.
        let again = try await summary([wrist, chest], parallel: parallel, run: run)
        #expect(again.known == 2 && again.account.rejected == 0 && again.counts == DeliveryCounts())
    }

    @Test("of which one that is in already comes behind a new one: that its readings were replaced ends the run as refused cells do")
    func knownBehind() async throws {
        let head = "timestamp,heart rate\n"
        let chest = try folder.write(head + "2024-03-25 08:00,61\n", to: "chest.csv")
        let wrist = try folder.write(head + "2024-03-25 08:00,71\n", to: "wrist.csv")
        _ = try await summary([wrist], parallel: 1, run: "b")
        let both = try await summary([chest, wrist], parallel: 1, run: "b")
        #expect(both.counts.corrections == 1 && both.replaced == 1)
        #expect(Refusals(both, rejects: nil).words.hasPrefix("1 readings took the place of others"))
        // A file by itself may be the corrected one, and one of the same name is.
        let corrected = try folder.write(head + "2024-03-25 08:00,65\n", to: "corrected.csv")
        let alone = try await summary([corrected], parallel: 1, run: "b")
        #expect(alone.counts.corrections == 1 && alone.replaced == 0)
        try folder.write(head + "2024-03-25 08:00,66\n2024-03-25 08:05,67\n", to: "chest.csv")
        let other = try folder.write(head + "2024-03-26 08:00,71\n", to: "other.csv")
        let grown = try await summary([chest, other], parallel: 1, run: "b")
        #expect(grown.counts.corrections == 1 && grown.counts.stored == 2 && grown.replaced == 0)
    }

    @Test("that come one after the other: what replaces another file's readings of an unnamed source is told")
    func later() async throws {
        let head = "timestamp,heart rate\n"
        let chest = try folder.write(head + "2024-03-25 08:00,61\n", to: "chest.csv")
        let wrist = try folder.write(head + "2024-03-25 08:00,71\n", to: "wrist.csv")
        _ = try await summary([chest], parallel: 1, run: "l")
        let store = try #require(StoreAddress("sqlite:\(folder.path("l.sqlite"))")).store(password: nil)
        let survey = try Surveyor(options: .ofParticipant()).study(ImportFile(path: wrist), now: .now)
        let entry = LedgerEntry(name: wrist, .none, profile: "generic", recipe: "", now: .now)
        let outcome = try await FileImporter(
            file: ImportFile(path: wrist), survey: survey, options: .ofParticipant(), sink: StoreSink(store, patience: .zero), ledger: nil,
            rejects: nil, limit: nil, reporter: ProgressReporter(console: Console(), isQuiet: true)
        ).run(entry)
        await store.close()
        #expect(outcome.entry.corrections == 1 && outcome.notes.contains { $0.contains("--source") })
    }

    @Test("of which the store refuses a reading: nobody says that it is in the file of rejects, and why is told")
    func refusedByStore() async throws {
        let first = try folder.write("timestamp,grip (kg)\n2024-03-25 08:00,41\n", to: "first.csv")
        let second = try folder.write("timestamp,grip (lb),heart rate\n2024-03-26 08:00,90,999\n", to: "second.csv")
        let path = folder.path("rejects.csv")
        let summary = try await summary([first, second], rejects: try RejectFile(path: path), parallel: 1, run: "r")
        #expect(summary.counts.stored == 1 && summary.counts.refused == 1 && summary.account.rejected == 1)
        #expect(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\r\n").count == 1 + summary.account.rejected)
        #expect(
            Refusals(summary, rejects: path).words
                == "1 cells were refused; they are in \(path); the timeline refused 1 readings, which are in no file: the unit is not kg, which the metric is stored in"
        )
    }

    @Test("a text or a name that no store keeps is refused with its place")
    func tooLong() throws {
        let text =
            "timestamp,device,note,heart rate\n2024-03-25 08:00,a,\(String(repeating: "x", count: 5000)),61\n2024-03-25 08:01,a\u{0}b,,62\n"
        let decoded = try Decoded(text, options: .ofParticipant())
        #expect(decoded.values("heart-rate") == [61] && decoded.rows.count == 1)
        #expect(decoded.rejects.map(\.reason) == ["the text is longer than 4096 bytes", "the source or the session contains a NUL"])
    }
}
