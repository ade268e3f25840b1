import Foundation
import Observability
import ServiceKit
import Shares
import Synchronization
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import CSVImport

@Suite("Files that wait to be imported, in the database", .timeLimit(.minutes(4)))
struct SharedJobTests {
    private static let start = 1_700_000_000.0

    /// A process at work, with a folder of its own, and the lease.
    private struct Process {
        let folder: TemporaryFolder
        let state: PostgresState
        let store: JobStore
        let ledger: PostgresLedger

        /// - Parameter name: whoever has had the lease before has died.
        init(_ name: String, _ database: String) async throws {
            folder = try TemporaryFolder("jobs-\(name)")
            state = ImportDatabase.state(database)
            try await state.transaction { connection throws(StoreError) in _ = try connection.run("UPDATE lease SET expires = now()", []) }
            let hold = try await ImportDatabase.claim(name, state)
            store = try await JobStore(
                SharedJobs(state, folder: UploadFolder(path: folder.path("uploads")), holding: hold))
            ledger = PostgresLedger(ImportDatabase.state(database), holding: hold, patience: .zero)
        }

        /// The names of the files that it has on its disk.
        var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path("uploads")).sorted()) ?? [] }

        func send(_ bytes: Data, name: String = "a.csv") async throws -> String {
            let job = try await store.begin(name: name, size: bytes.count, account: "nora", actor: "nora", now: SharedJobTests.start)
            try await append(bytes, from: 0, to: job.id)
            return job.id
        }

        func append(_ bytes: Data, from start: Int, to job: String) async throws {
            for offset in stride(from: start, to: bytes.count, by: 100_000) {
                let piece = bytes[offset..<min(bytes.count, offset + 100_000)]
                _ = try await store.append(Data(piece), at: offset, to: job, account: "nora", now: SharedJobTests.start)
            }
        }

        func want(_ step: ImportJob.Step, of job: String, participant: String? = "anna") async throws {
            var answers = ImportAnswers()
            answers.participant = participant
            _ = try await store.want(step, answers, of: job, account: "nora", now: SharedJobTests.start)
        }

        func job(_ id: String) async throws -> ImportJob { try await store.job(id, of: "nora") }

        func rejects(_ kind: UploadFolder.Kind, of job: String) async throws -> String {
            try await store.fetch(kind, of: job)
            return String(decoding: store.folder.read(kind, of: job, from: 0, limit: 1 << 20), as: UTF8.self)
        }

        /// Works until the condition holds.
        func work(_ sink: (any PatientSink)?, until condition: @escaping @Sendable () async throws -> Bool) async throws {
            let runner = JobRunner(
                store: store, ledger: ledger, present: PresentJobs(), sink: sink, undo: { _ in 0 },
                log: Logger(service: "test", level: .error, sink: { _ in }))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await runner.run() }
                group.addTask { try await eventually("the work") { try await condition() } }
                defer { group.cancelAll() }
                _ = try await group.next()
            }
        }
    }

    /// A timeline that keeps batches, and confirms none after so many.
    private final class Timeline: PatientSink {
        private let taken = Mutex<[String: Int]>([:])
        private let most: Int
        var stored: Int { taken.withLock { $0.values.reduce(0, +) } }
        var keys: Set<String> { taken.withLock { Set($0.keys) } }

        init(most: Int = .max) { self.most = most }

        func deliver(_ batch: PreparedBatch) async throws(ImportError) -> DeliveryCounts {
            let key = "\(batch.batch.origin ?? "") \(batch.index)"
            let isMore = taken.withLock { taken -> Bool in
                guard taken.count < most else { return true }
                taken[key] = batch.batch.count
                return false
            }
            guard isMore else { return DeliveryCounts(stored: batch.batch.count) }
            do { try await Task.sleep(for: .seconds(600)) } catch {}
            throw ImportError(.sink, "the process has ended")
        }

        func profile(of participant: String) async throws -> ParticipantProfile { ParticipantProfile() }
        func set(_ profile: ParticipantProfile, of participant: String) async throws {}
        func add(_ entries: [TimelineEntry], of participant: String, origin: String) async throws {}
        func restore(_ records: [TimelineRecord], of participant: String, origin: String) async throws {}
    }

    private let database: String

    init() async throws {
        database = try PostgresServer.shared().makeDatabase()
        try await ImportDatabase.state(database).leases.prepare(service: "vigil-import", shares: 1)
    }

    private func table(_ rows: Int, from start: Int = 1_469_477_616, bad: Int = .max) -> Data {
        Data(("timestamp,heart-rate\n" + (0..<rows).map { "\(start + $0),\($0 % bad == bad - 1 ? 999 : 60 + $0 % 20)\n" }.joined()).utf8)
    }

    @Test("half an upload goes on at another process, which takes the next piece and no other, and looks at the whole")
    func halfUpload() async throws {
        let bytes = table(30_000), half = 200_000
        let a = try await Process("a", database)
        let job = try await a.store.begin(name: "a.csv", size: bytes.count, account: "nora", actor: "nora", now: Self.start).id
        try await a.append(bytes[..<half], from: 0, to: job)
        #expect(a.files == [], "what is sent is in the database alone")
        let b = try await Process("b", database)
        #expect(await b.store.received(of: job) == half)
        let refusal = await #expect(throws: JobRefusal.self) {
            _ = try await b.store.append(Data([1]), at: half + 1, to: job, account: "nora", now: Self.start)
        }
        #expect(refusal?.code == "wrong-offset" && refusal?.received == half)
        // The answer to the last piece was lost with the process.
        #expect(try await b.store.append(Data(bytes[100_000..<half]), at: 100_000, to: job, account: "nora", now: Self.start) == half)
        try await b.append(bytes, from: half, to: job)
        try await b.want(.survey, of: job, participant: nil)
        try await b.work(nil) { try await b.job(job).findings != nil }
        #expect(try await b.job(job).findings?.first?.rows == 30_000)
        #expect(FileManager.default.contents(atPath: b.store.folder.file(.data, of: job)) == bytes)
    }

    @Test("a piece whose sender heard nothing of it, written and then sent again in another length, is there once")
    func uncertainPiece() async throws {
        let bytes = Data("timestamp,heart-rate\n1469477616,60\n".utf8)
        let a = try await Process("a", database)
        let job = try await a.store.begin(name: "a.csv", size: bytes.count, account: "nora", actor: "nora", now: Self.start)
        let keeping = SharedJobs(a.state, folder: a.store.folder, holding: nil)
        try await keeping.append(bytes, at: 0, to: job)
        #expect(await a.store.received(of: job.id) == 0)
        for (start, end) in [(0, 10), (10, bytes.count)] {
            #expect(try await a.store.append(bytes[start..<end], at: start, to: job.id, account: "nora", now: Self.start) == end)
        }
        try await a.store.fetch(.data, of: job.id)
        #expect(FileManager.default.contents(atPath: a.store.folder.file(.data, of: job.id)) == bytes)
    }

    @Test(
        "an import is brought to its end by another process, nothing lost or twice, refused cells whole, also those of a file that was done before"
    )
    func takesOver() async throws {
        // The first is done when its process dies, the second is half in.
        let archive = try await zipped(["1.csv": table(3_000, bad: 100), "2.csv": table(20_000, from: 1_500_000_000, bad: 500)])
        let a = try await Process("a", database)
        let job = try await a.send(archive, name: "all.zip")
        try await a.want(.trial, of: job)
        try await a.work(nil) { try await a.job(job).trial != nil }
        let (dying, whole) = (Timeline(most: 7), Timeline())
        try await a.want(.start, of: job)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Its lease is lost in the middle: that is what it ends with, and what it leaves is as it was.
                await #expect(throws: (any Error).self) { try await a.work(dying) { false } }
            }
            try await eventually("seven batches") { dying.stored > 0 && dying.keys.count == 7 }
            try await eventually("the first file") { try await a.ledger.all().contains { $0.state == .done } }
            let b = try await Process("b", database)
            #expect(try await b.rejects(.trialRejects, of: job).split(separator: "\r\n").count == 1 + 30 + 40)
            #expect(try await b.job(job).trial?.total.rejected == 70)
            try await b.work(whole) { try await b.job(job).wanted == nil }
            let done = try await b.job(job)
            #expect(done.failure == nil && done.outcome?.total.rejected == 70 && done.outcome?.total.rows == 23_000, "\(done)")
            let lines = try await b.rejects(.rejects, of: job).split(separator: "\r\n")
            #expect(lines.count == 1 + 70 && Set(lines).count == 71)
            #expect(b.files == ["\(job).rejects"])
            try await group.waitForAll()
            #expect(try await b.ledger.all().map(\.state) == [.done, .done])
        }
        // Each batch came at least once, and of those that came twice the timeline knows one.
        #expect(dying.keys.union(whole.keys).count >= 12 && dying.stored + whole.stored >= 22_930)
        let c = try await Process("c", database)
        #expect(try await c.job(job).outcome?.total.rejected == 70)
        #expect(try await c.rejects(.rejects, of: job).split(separator: "\r\n").count == 71)
    }

    @Test("whoever has lost the lease changes nothing, and says so to whoever asks")
    func fenced() async throws {
        let bytes = table(10)
        let a = try await Process("a", database)
        let job = try await a.send(bytes)
        let b = try await Process("b", database)
        await #expect(throws: StoreError.self) {
            _ = try await a.store.begin(name: "b.csv", size: 5, account: "nora", actor: "nora", now: Self.start)
        }
        await #expect(throws: StoreError.self) { try await a.want(.start, of: job) }
        await #expect(throws: StoreError.self) { try await a.store.discard(job, account: "nora") }
        await #expect(throws: StoreError.self) { try await a.store.undo("x", actor: "nora", now: Self.start) }
        #expect(await a.store.undos.isEmpty, "what is not kept has not happened")
        try await b.store.takeUp()
        #expect(await b.store.everything.map(\.id) == [job])
        #expect(await b.store.undos.isEmpty)
        #expect(try await b.job(job).wanted == nil)
        #expect(await b.store.received(of: job) == bytes.count)
    }

    @Test("an erased participant's files go from the database and the disk, found by what is in them, also when none of it is on the disk")
    func erasure() async throws {
        let server = try PostgresServer.shared()
        let a = try await Process("a", database)
        let content = try await a.send(Data("participant-id,timestamp,heart-rate\nanna,1469477616,60\n".utf8))
        let other = try await a.send(Data("participant-id,timestamp,heart-rate\nben,1469477616,60\n".utf8))
        let half = try await a.store.begin(name: "half.csv", size: 500, account: "nora", actor: "nora", now: Self.start).id
        try await a.append(Data("timestamp,note\n1,anna was here".utf8), from: 0, to: half)
        let answered = try await a.send(Data("timestamp,heart-rate\n1469477616,999\n".utf8))
        try await a.want(.trial, of: answered)
        try await a.work(nil) { try await a.job(answered).trial != nil }
        let b = try await Process("b", database)
        let polls = try await PollRecords([], b.store.keeping, now: Self.start)
        let erasure = JobErasure(store: b.store, ledger: b.ledger, polls: polls)
        #expect(try await erasure.erase("anna", imports: [])["uploads"] == 3)
        for job in [content, half, answered] { await #expect(throws: JobRefusal.unknown) { try await b.job(job) } }
        #expect(await b.store.received(of: other) > 0)
        #expect(try server.psql("SELECT count(*), count(DISTINCT job) FROM vigil_import.piece", in: database) == "1|1")
        #expect(try server.psql("SELECT count(*) FROM vigil_import.job WHERE record LIKE '%anna%'", in: database) == "0")
        #expect(b.files.allSatisfy { $0.hasPrefix(other) }, "\(b.files)")
    }

    @Test("what waited at one process without replicas goes to the database, once, and from its disk; whoever is at work takes it up")
    func adoption() async throws {
        let folder = try TemporaryFolder("jobs-former"), bytes = table(5_000, bad: 50)
        let uploads = try UploadFolder(path: folder.path("uploads"))
        let former = try LocalJobs(path: folder.path("jobs.sqlite"), folder: uploads)
        let store = try await JobStore(former)
        let job = try await store.begin(name: "a.csv", size: bytes.count, account: "nora", actor: "nora", now: Self.start).id
        _ = try await store.append(bytes, at: 0, to: job, account: "nora", now: Self.start)
        let empty = try await store.begin(name: "b.csv", size: 5, account: "nora", actor: "nora", now: Self.start).id
        try await store.undo("I1", actor: "nora", now: Self.start)
        let b = try await Process("b", database)
        let shared = SharedJobs(b.state, folder: b.store.folder, holding: nil)
        #expect(try await shared.adopt(former) == 2)
        #expect(try await shared.adopt(former) == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: uploads.path) == [])
        try await b.store.takeUp()
        #expect(await b.store.received(of: job) == bytes.count)
        #expect(await b.store.undos.keys.sorted() == ["I1"])
        #expect(try await b.store.append(Data("a,b\n1".utf8), at: 0, to: empty, account: "nora", now: Self.start) == 5)
        try await b.want(.trial, of: job)
        try await b.work(nil) { try await b.job(job).trial != nil }
        #expect(try await b.job(job).trial?.total.rejected == 100)
    }

    /// A ZIP archive of these files.
    private func zipped(_ files: [String: Data]) async throws -> Data {
        let folder = try TemporaryFolder("zip")
        for (name, content) in files { try content.write(to: URL(filePath: folder.path(name))) }
        let script =
            "import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], 'w') as z:\n for n in sys.argv[2:]: z.write(n, n.split('/')[-1])"
        let paths = files.keys.sorted().map { folder.path($0) }
        _ = try await ChildProcess.run("/usr/bin/env", ["python3", "-c", script, folder.path("all.zip")] + paths, in: folder)
        return try #require(FileManager.default.contents(atPath: folder.path("all.zip")))
    }
}
