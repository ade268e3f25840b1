import Foundation
import SuiteHarness
import TestSupport
import Testing

@testable import CSVImport

@Suite("vigil-import with a real broker and timeline", .serialized, .timeLimit(.minutes(20)))
struct ImportTests {
    /// Irregular times, some of them shared, three participants, now and then a cell that is refused.
    private static func file(_ rows: Int, in folder: TemporaryFolder) throws -> String {
        var text = "participant-id,timestamp,source,heart-rate,spo2\n"
        for row in 0..<rows {
            text +=
                "p\(row % 3),\(1_469_477_616 + row / 7),ox,\(row % 101 == 0 ? 999 : 50 + row % 80),\(row % 13 == 0 ? "" : "9\(row % 9)")\n"
        }
        return try folder.write(text, to: "data.csv")
    }

    @Test("stores a file once, however often it is imported, and says with its exit code that cells were refused")
    func once() async throws {
        let suite = try await ImportTarget(.sqlite, server: PostgresServer())
        let file = try ImportTests.file(3000, in: suite.folder)
        let rejects = suite.folder.path("rejects.csv")
        #expect(try await suite.importer([file, "--rejects", rejects]).waitForExit(within: .seconds(60)) == 3)
        let expected = try Decoded(ImportFile(path: file))
        #expect(try await suite.count() == expected.rows.count)
        #expect(try String(contentsOfFile: rejects, encoding: .utf8).split(separator: "\r\n").count == 1 + expected.rejects.count)
        let before = try await suite.readings()
        let known = try suite.importer([file])
        #expect(try await known.waitForExit(within: .seconds(60)) == 0)
        #expect(known.output.contains("imported before"))
        let again = try suite.importer([file, "--again"])
        #expect(try await again.waitForExit(within: .seconds(60)) == 3)
        #expect(again.output.contains("0 stored, \(expected.rows.count) known, 0 corrected"))
        let elsewhere = try suite.importer([file], state: "other")
        #expect(try await elsewhere.waitForExit(within: .seconds(60)) == 3)
        #expect(try await suite.readings() == before)
        try await suite.stop()
    }

    @Test("is answered for each batch, and taken out again, at a broker that speaks MQTT 3.1.1, as a cluster's does")
    func formerProtocol() async throws {
        let suite = try await ImportTarget(.sqlite, server: PostgresServer())
        let file = try ImportTests.file(3000, in: suite.folder)
        let own = ["--broker-protocol", "3.1.1"]
        let done = try suite.importer([file] + own)
        #expect(try await done.waitForExit(within: .seconds(60)) == 3, "\(done.output)")
        #expect(try await suite.count() == Decoded(ImportFile(path: file)).rows.count)
        let list = try suite.importer(["list", "--json"], needsBroker: false)
        #expect(try await list.waitForExit(within: .seconds(60)) == 0)
        let entry = try #require(try JSONDecoder().decode([LedgerEntry].self, from: Data(list.output.utf8)).first)
        #expect(try await suite.importer(["undo", entry.id] + own).waitForExit(within: .seconds(60)) == 0)
        #expect(try await suite.count() == 0)
        try await suite.stop()
    }

    @Test("killed at twenty points, and started again after each, stores what an uninterrupted import does")
    func killed() async throws {
        let folder = try TemporaryFolder("vigil-import")
        let file = try ImportTests.file(40_000, in: folder)
        let expected = try Decoded(ImportFile(path: file)).rows.count
        let outcome = try await InterruptedImport(file: file, readings: expected, kills: 20, store: .sqlite).run(server: PostgresServer())
        #expect(outcome.different == 0 && outcome.stored == expected, "killed at \(outcome.killedAt)")
        // Killed after its file was noted as imported, the last run finds nothing to do.
        #expect([[3, 3], [0, 3]].contains(outcome.exitCodes))
        // How many fall into the file's middle is a matter of speed: `deploy/bench import-kills-sqlite` tells.
        #expect(outcome.interrupted > 0)
    }

    @Test("takes out again exactly what an import has added, from a store and over the bus")
    func undo() async throws {
        let suite = try await ImportTarget(.sqlite, server: PostgresServer())
        let direct = StoreUnderTest.sqlite(path: suite.folder.path("direct.sqlite")), store = direct.setting()
        let first = try suite.folder.write("participant-id,timestamp,heart-rate\na,100,60\na,101,61\n", to: "first.csv")
        let second = try suite.folder.write("participant-id,timestamp,heart-rate\na,101,61\na,102,62\n", to: "second.csv")
        for file in [first, second] { #expect(try await suite.importer([file, "--store", store]).waitForExit() == 0) }
        let ledger = try SQLiteLedger(path: suite.folder.path("import/vigil-import.state.sqlite"))
        let entries = try await ledger.all()
        #expect(entries.map(\.stored) == [2, 1] && entries.map(\.duplicates) == [0, 1])
        let undo = try suite.importer(["undo", entries[1].id, "--store", store])
        #expect(try await undo.waitForExit() == 0, "\(undo.output)")
        #expect(!undo.output.contains("--again"), "nothing came after it: \(undo.output)")
        let rows = try await ImportTarget.readings(of: direct)
        #expect(rows.count == 2 && rows.allSatisfy { !$0.contains(" 102000000 ") })
        #expect(try await ledger.entry(id: entries[1].id)?.state == .undone)
        let third = try suite.folder.write("participant-id,timestamp,heart-rate\na,103,61\n", to: "third.csv")
        #expect(try await suite.importer([third]).waitForExit() == 0)
        #expect(try await suite.count() == 1)
        let latest = try #require(try await ledger.latest(name: third))
        let removal = try suite.importer(["undo", latest.id])
        #expect(try await removal.waitForExit() == 0, "\(removal.output)")
        #expect(try await suite.count() == 0)
        let list = try suite.importer(["list", "--json"], needsBroker: false)
        _ = try await list.waitForExit()
        #expect(list.output.contains(entries[0].id))
        try await suite.stop()
    }

    @Test("an undo names the imports that have met what it takes away; done again, they bring it back")
    func leaning() async throws {
        let suite = try await ImportTarget(.sqlite, server: PostgresServer())
        let direct = StoreUnderTest.sqlite(path: suite.folder.path("direct.sqlite")), store = ["--store", direct.setting()]
        let head = "participant-id,timestamp,heart-rate\n"
        let june = try suite.folder.write(head + "a,100,60\na,101,61\n", to: "june.csv")
        let july = try suite.folder.write(head + "a,100,60\na,101,61\na,102,62\n", to: "july.csv")
        let other = try suite.folder.write(head + "b,100,60\n", to: "other.csv")
        for file in [june, july, other] { #expect(try await suite.importer([file] + store).waitForExit() == 0) }
        let ledger = try SQLiteLedger(path: suite.folder.path("import/vigil-import.state.sqlite"))
        let entries = try await ledger.all()
        let undo = try suite.importer(["undo", entries[0].id] + store)
        #expect(try await undo.waitForExit() == 0, "\(undo.output)")
        #expect(undo.output.contains("\(entries[1].id)  \(july): 2 met") && !undo.output.contains(other), "\(undo.output)")
        #expect(try await ImportTarget.readings(of: direct).count == 2)
        #expect(try await suite.importer([july, "--again"] + store).waitForExit() == 0)
        #expect(try await ImportTarget.readings(of: direct).count == 4)
        try await suite.stop()
    }

    @Test("goes on with the other files when one cannot be read, and says so with its exit code")
    func partial() async throws {
        let folder = try TemporaryFolder("vigil-import")
        let good = try folder.write("participant-id,timestamp,heart-rate\na,100,60\n", to: "good.csv")
        let bad = try folder.write("colour,size\nred,1\n", to: "bad.csv")
        let reporter = ProgressReporter(console: Console(), isQuiet: true)
        let importer = Importer(
            surveyor: Surveyor(), options: ImportOptions(), policy: Importer.Policy(), sink: NoSink(), ledger: nil, rejects: nil,
            reporter: reporter)
        let summary = try await importer.run([bad, good].map(ImportFile.init(path:)))
        #expect(summary.failures.map(\.code) == [.format] && summary.account.accepted == 1)
    }

    @Test("asks no broker where no file can be had, and says so with its exit code")
    func missing() async throws {
        let folder = try TemporaryFolder("vigil-import")
        // Nobody listens at port 1.
        let importer = try ChildProcess(
            try BuiltCommand.path("vigil-import"),
            [folder.path("no-such.csv"), "--broker-port", "1", "--state-folder", folder.path("import")], output: folder.path("import.log"))
        #expect(try await importer.waitForExit() == 4)
        #expect(importer.output.contains("there is no \(folder.path("no-such.csv"))"), "\(importer.output)")
        #expect(!importer.output.contains("audit"), "\(importer.output)")
    }
}
