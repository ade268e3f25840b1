import Foundation
import ServiceKit
import Shares
import Synchronization
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import CSVImport

/// A ledger as several machines, or processes of one, see it.
enum LedgerKind: String, CaseIterable, Sendable {
    case sqlite, postgres

    /// Ledgers that all have the same entries.
    func ledgers(_ count: Int, in folder: TemporaryFolder) throws -> [any Ledger] {
        switch self {
        case .sqlite: return try (0..<count).map { _ in try SQLiteLedger(path: folder.path("ledger.sqlite")) }
        case .postgres:
            let database = try PostgresServer.shared().makeDatabase()
            return (0..<count).map { _ in PostgresLedger(ImportDatabase.state(database), patience: .zero) }
        }
    }
}

/// The importer's tables in a test's database.
enum ImportDatabase {
    static func state(_ database: String) -> PostgresState {
        PostgresState(PostgresConfiguration(connection: database), ImportState.schema)
    }

    static func ledger(_ database: String) -> PostgresLedger { PostgresLedger(state(database), patience: .zero) }

    /// Claims the work, as a process does that begins or takes another's place.
    static func claim(_ name: String, _ state: PostgresState) async throws -> LeaseHold {
        let (replica, lease) = (ReplicaName(service: "vigil-import", name: name, process: name), LeaseTiming().lease)
        try await state.leases.prepare(service: "vigil-import", shares: 1)
        _ = try await state.leases.beat(replica, held: [], lease: lease)
        return try #require(try await state.leases.claim([0], for: replica, lease: lease).first)
    }
}

extension LedgerEntry {
    /// An import of content that the digest stands for.
    static func sample(_ digest: String, id: String = ULID.make(at: .now), name: String = "a.csv", state: State = .started) -> LedgerEntry {
        var entry = LedgerEntry(
            id: id, name: name, size: 5, digest: digest, profile: "plain", recipe: "2-x", state: state, started: 1_700_000_000_000_000,
            batches: 3, rows: 10, accepted: 9, rejected: 1, empty: 0, stored: 9, duplicates: 0, corrections: 0, refused: 0)
        if state != .started { entry.finished = entry.started + 1_000_000 }
        return entry
    }
}

@Suite("the ledger, whatever keeps it", .timeLimit(.minutes(4)))
struct SharedLedgerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("vigil-ledger") }

    @Test(
        "tells at every place what is written at one, newest name first, and has one import of a content and a way",
        arguments: LedgerKind.allCases)
    func entries(kind: LedgerKind) async throws {
        let ledgers = try kind.ledgers(2, in: folder)
        var first = LedgerEntry.sample("d1")
        #expect(try await ledgers[0].add(first) == first)
        #expect(try await ledgers[1].add(.sample("d1", name: "elsewhere.csv")) == first)
        var other = LedgerEntry.sample("d2", name: "ünï \"'; DROP TABLE imports.csv", state: .done)
        other.started += 5
        #expect(try await ledgers[1].add(other) == other)
        let taken = try await ledgers[1].take(first.id, by: "w")
        #expect(taken == first)
        (first.state, first.finished, first.batches, first.stored, first.storedBefore) = (.done, 1_700_000_009_000_000, 7, 100, 3)
        try await ledgers[1].save(first, by: "w")
        #expect(try await ledgers[0].all() == [first, other])
        #expect(try await ledgers[0].entry(id: first.id) == first)
        #expect(try await ledgers[0].entry(id: "x") == nil)
        #expect(try await ledgers[0].latest(name: other.name) == other)
        await #expect(throws: ImportError.self) { try await ledgers[0].take("nobody's", by: "w") }
    }

    @Test("forgets a participant's files at every place, and no others", arguments: LedgerKind.allCases)
    func erasure(kind: LedgerKind) async throws {
        let ledgers = try kind.ledgers(2, in: folder)
        for (digest, name) in [("1", "/data/anna.csv"), ("2", "/data/annabel.csv"), ("3", "/x/b.csv"), ("4", "/x/c.csv")] {
            _ = try await ledgers[0].add(.sample(digest, id: "I\(digest)", name: name))
        }
        #expect(try await ledgers[1].forget(namesHolding: "anna", imports: ["I3"]) == 2)
        #expect(try await ledgers[0].all().map(\.id) == ["I2", "I4"])
        #expect(try await ledgers[0].forget(namesHolding: "anna", imports: ["I3"]) == 0)
    }

    /// Takes batches as a timeline does: an observation that it has is known.
    private final class Timeline: BatchSink {
        private let taken = Mutex<[String: Set<Int>]>([:])
        private let total = Mutex(0)
        var stored: Int { total.withLock { $0 } }
        var origins: Int { taken.withLock { $0.count } }

        func deliver(_ batch: PreparedBatch) async throws(ImportError) -> DeliveryCounts {
            let isNew = taken.withLock { $0[batch.batch.origin ?? "", default: []].insert(batch.index).inserted }
            guard isNew else { return DeliveryCounts(duplicates: batch.batch.count) }
            total.withLock { $0 += batch.batch.count }
            return DeliveryCounts(stored: batch.batch.count)
        }
    }

    private func importing(_ path: String, _ sink: any BatchSink, _ ledger: any Ledger) async throws -> ImportSummary {
        try await Importer(
            surveyor: Surveyor(), options: ImportOptions(), policy: Importer.Policy(), sink: sink, ledger: ledger, rejects: nil,
            reporter: ProgressReporter(console: Console(), isQuiet: true)
        ).run([ImportFile(path: path)])
    }

    private func file(rows: Int) throws -> String {
        let lines = (0..<rows).map { "p,\(1_469_477_616 + $0),60\n" }
        return try folder.write("participant-id,timestamp,heart-rate\n" + lines.joined(), to: "data.csv")
    }

    @Test(
        "has a file that two bring at the same time in once, under one id, and in the database one brings it and the others know it",
        arguments: LedgerKind.allCases)
    func atOnce(kind: LedgerKind) async throws {
        let path = try file(rows: 20_000), timeline = Timeline()
        let ledgers = try kind.ledgers(4, in: folder)
        let summaries = try await withThrowingTaskGroup(of: ImportSummary.self) { group in
            for ledger in ledgers { group.addTask { try await importing(path, timeline, ledger) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(timeline.stored == 20_000 && timeline.origins == 1)
        let entries = try await ledgers[0].all()
        #expect(entries.count == 1 && entries.first?.state == .done)
        if kind == .postgres {
            #expect(summaries.map(\.imported).sorted() == [0, 0, 0, 1] && summaries.map(\.known).sorted() == [0, 1, 1, 1])
            #expect(entries.first?.stored == 20_000)
        }
    }

    @Test("an import whose process has gone is gone on with at another place, behind what was confirmed")
    func resumesElsewhere() async throws {
        let path = try file(rows: 12_000), database = try PostgresServer.shared().makeDatabase()
        let (here, there) = (ImportDatabase.ledger(database), ImportDatabase.ledger(database))
        _ = try await importing(path, Timeline(), here)
        var entry = try #require(try await here.all().first)
        // As a process that was killed leaves it: taken, and half done.
        _ = try await here.take(entry.id, by: "dead")
        (entry.state, entry.batches) = (.started, 4)
        try await here.save(entry, by: "dead")
        // A busy machine may have taken a minute for it.
        try await here.renew(entry.id, by: "dead")
        #expect(try await there.take(entry.id, by: "other") == nil)
        let timeline = Timeline()
        let summary = try await importing(path, timeline, there)
        #expect(summary.imported == 1 && timeline.stored < 12_000 && timeline.stored > 0)
        #expect(try await here.all().first?.state == .done)
        await #expect(throws: ImportError.self) { try await here.save(entry, by: "dead") }
        await #expect(throws: ImportError.self) { try await here.renew(entry.id, by: "dead") }
        #expect(try await here.all().first?.state == .done)
    }

    @Test("a worker's time that lies far ahead, as after the clock was set back, is shortened to what a new one would have")
    func clockSetBack() async throws {
        let server = try PostgresServer.shared(), database = try server.makeDatabase(), ledger = ImportDatabase.ledger(database)
        let entry = try await ledger.add(.sample("d"))
        _ = try await ledger.take(entry.id, by: "a")
        try server.psql("UPDATE vigil_import.imports SET works_until = now() + interval '1 day'", in: database)
        #expect(try await ledger.take(entry.id, by: "b") == nil)
        #expect(try server.psql("SELECT works_until < now() + interval '1 minute' FROM vigil_import.imports", in: database) == "t")
        try await ledger.release(entry.id, by: "b")
        #expect(try await ledger.take(entry.id, by: "b") == nil)
        try await ledger.release(entry.id, by: "a")
        #expect(try await ledger.take(entry.id, by: "b") == entry)
    }

    @Test("a former ledger goes to the database once: nothing is lost, nothing newer overwritten, and the file holds nothing afterwards")
    func adoption() async throws {
        let ledger = ImportDatabase.ledger(try PostgresServer.shared().makeDatabase())
        let path = folder.path("vigil-import.state.sqlite"), former = try SQLiteLedger(path: path)
        // Undone in the database since; in both by other ids; half done at the first time, and finished since.
        let undone = LedgerEntry.sample("d1", id: "A", state: .undone)
        for entry in [undone, .sample("d2", id: "B", state: .done), .sample("d4", id: "D")] { _ = try await ledger.add(entry) }
        let own = [
            LedgerEntry.sample("d1", id: "A", name: "anna.csv", state: .done), .sample("d2", id: "C", state: .done),
            .sample("d3", id: "E"), .sample("d4", id: "D", state: .done),
        ]
        for entry in own { _ = try await former.add(entry) }
        #expect(try await ImportState.adopt(former, into: ledger) == 4)
        let entries = Dictionary(uniqueKeysWithValues: try await ledger.all().map { ($0.id, $0) })
        #expect(entries.keys.sorted() == ["A", "B", "C", "D", "E"])
        #expect(entries["A"] == undone && entries["E"] == own[2] && entries["D"] == own[3])
        #expect(entries["C"]?.recipe == "2-x@C" && entries["C"]?.stored == 9)
        #expect(try await former.all().isEmpty)
        #expect(FileManager.default.contents(atPath: path)?.range(of: Data("anna".utf8)) == nil)
        // Killed before the file was emptied, the next start changes nothing.
        for entry in own { _ = try await former.add(entry) }
        #expect(try await ImportState.adopt(former, into: ledger) == 4)
        #expect(Dictionary(uniqueKeysWithValues: try await ledger.all().map { ($0.id, $0) }) == entries)
        #expect(try await ImportState.adopt(former, into: ledger) == 0)
    }

    @Test("what is written by a process whose lease another has taken is refused")
    func fenced() async throws {
        let state = ImportDatabase.state(try PostgresServer.shared().makeDatabase())
        let old = PostgresLedger(state, holding: try await ImportDatabase.claim("a", state), patience: .zero)
        let entry = try await old.add(.sample("d"))
        _ = try await old.take(entry.id, by: "w")
        try await state.transaction { connection throws(StoreError) in
            _ = try connection.run("UPDATE lease SET expires = now()", [])
        }
        let new = PostgresLedger(state, holding: try await ImportDatabase.claim("b", state), patience: .seconds(60))
        var later = entry
        later.batches = 9
        let late = later
        await #expect(throws: ImportError.self) { try await old.save(late, by: "w") }
        await #expect(throws: ImportError.self) { _ = try await old.add(.sample("other")) }
        await #expect(throws: ImportError.self) { try await old.remove([entry.id]) }
        #expect(try await new.all().map(\.batches) == [3])
    }

    @Test("an import that is erased while it runs is not written down again")
    func erasedMeanwhile() async throws {
        let database = try PostgresServer.shared().makeDatabase()
        let (ledger, other) = (ImportDatabase.ledger(database), ImportDatabase.ledger(database))
        let entry = try await ledger.add(.sample("d", name: "anna.csv"))
        await #expect(throws: ImportError.self) {
            try await ledger.working(at: entry.id) { entry, hold in
                #expect(try await other.forget(namesHolding: "anna", imports: []) == 1)
                try await hold.save(entry)
            }
        }
        #expect(try await ledger.all().isEmpty)
        await #expect(throws: ImportError.self) { try await ledger.working(at: entry.id) { _, _ in } }
    }
}
