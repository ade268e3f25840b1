import Foundation
import Observability
import ServiceKit
import VigilSchema

/// The jobs of `vigil-import serve`, in memory and on disk, with their files.
///
/// A job's row is durable before its request is answered. An actor: one change at a time.
actor JobStore {
    /// The bounds of what clients may make the service store.
    struct Limits: Sendable {
        /// The bytes of one file, and of all together.
        var file = 256 << 20
        var folder = 1 << 30
        /// The unfinished jobs, and all stored jobs.
        var open = 32
        /// The unfinished jobs of one actor.
        var openOfActor = 12
        var jobs = 200
        /// The pending undo requests.
        var undos = 16
        /// The age in seconds at which an untouched job is removed with its files.
        static let life = 86_400.0
        /// The time after a start in which nothing is removed, because the machine's clock may be decades ahead until
        /// it is set.
        static let settling = Duration.seconds(3600)
    }

    /// A pending undo of an import.
    struct Undo: Codable, Hashable, Sendable {
        let id: String
        let actor: String
        let asked: Double
        var removed: Int?
        var failure: String?
    }

    /// How long a database may be away when a job's outcome is stored.
    private static let patience = Duration.seconds(Int(Limits.life))

    nonisolated let keeping: any JobKeeping
    nonisolated let folder: UploadFolder
    private let limits: Limits
    private let now: @Sendable () -> ContinuousClock.Instant
    private let opened: ContinuousClock.Instant
    private var jobs: [String: ImportJob] = [:]
    private(set) var undos: [String: Undo] = [:]
    /// The stored bytes of each job's file.
    private var received: [String: Int] = [:]
    /// Jobs that were removed since stored jobs were last read.
    private var removed: Set<String> = []
    /// Signals of new work, one for each lane.
    private var wakers: [AsyncStream<Void>.Continuation] = []
    /// Opens when the job is removed.
    private var stops: [String: AsyncStream<Void>.Continuation] = [:]

    /// Reads the stored jobs.
    init(
        _ keeping: any JobKeeping, limits: Limits = Limits(), now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) async throws {
        (self.keeping, folder, self.limits, self.now, opened) = (keeping, keeping.folder, limits, now, now())
        try await takeUp()
        folder.sweep(keeping: Set(jobs.keys))
    }

    /// Reads stored jobs that are not known yet: at first all, later those of a process that had been alone on its
    /// machine.
    func takeUp() async throws {
        removed = []
        let kept = try await keeping.load()
        for job in kept.jobs where jobs[job.id] == nil && !removed.contains(job.id) {
            (jobs[job.id], received[job.id]) = (job, kept.received[job.id])
        }
        for undo in kept.undos where undos[undo.id] == nil { undos[undo.id] = undo }
        wake()
    }

    // MARK: Requests

    /// Creates a job for a file of that name and length.
    func begin(name: String, size: Int, account: String, actor: String, now: Double) async throws -> ImportJob {
        let plain = try Self.plainName(name)
        guard size > 0 else { throw JobRefusal.malformed("the file is empty") }
        guard size <= limits.file else {
            throw JobRefusal.full(
                "the file has \(size) bytes, and \(limits.file) are the most that are taken; use vigil-import at the command line")
        }
        try await expire(now: now)
        let open = jobs.values.filter { $0.outcome == nil || $0.wanted != nil || $0.failure != nil }
        guard open.count < limits.open, jobs.count < limits.jobs else {
            throw JobRefusal.full("\(open.count) files wait to be imported: import or discard some first")
        }
        let own = open.filter { $0.actor == actor }
        guard own.count < limits.openOfActor else {
            throw JobRefusal.full("\(own.count) of your files wait to be imported: import or discard some first")
        }
        let kept = open.reduce(0) { $0 + $1.size }
        guard kept + size <= limits.folder else {
            throw JobRefusal.full("the files that wait have \(kept) bytes, and \(limits.folder) are the most: import or discard some first")
        }
        let job = ImportJob(id: ULID.make(at: .now), name: plain, size: size, account: account, actor: actor, begun: now, touched: now)
        try await keeping.begin(job)
        jobs[job.id] = job
        return job
    }

    /// Appends a piece to a job's file.
    /// - Returns: the stored bytes.
    func append(_ bytes: Data, at offset: Int, to id: String, account: String, now: Double) async throws -> Int {
        var job = try job(id, of: account)
        guard !bytes.isEmpty, bytes.count <= ImportRequest.mostBytes else {
            throw JobRefusal.malformed("a piece has 1 to \(ImportRequest.mostBytes) bytes")
        }
        let received = received[id] ?? 0
        guard job.wanted == nil, job.outcome == nil else { throw JobRefusal.busy("the file is complete") }
        // A repeated piece whose answer was lost.
        if offset >= 0, offset < received, bytes.count <= received - offset { return received }
        guard offset == received else {
            throw JobRefusal(
                code: "wrong-offset", words: "\(received) bytes are there: the next piece begins behind them", received: received)
        }
        guard bytes.count <= job.size - received else { throw JobRefusal.malformed("the file would be longer than was said") }
        job.touched = now
        try await keeping.append(bytes, at: received, to: job)
        // The job may have been removed during the write.
        guard jobs[id] != nil else {
            try await remove([id])
            throw JobRefusal.unknown
        }
        (jobs[id], self.received[id]) = (job, received + bytes.count)
        return received + bytes.count
    }

    /// Requests a step of a job.
    func want(_ step: ImportJob.Step, _ answers: ImportAnswers, of id: String, account: String, now: Double) async throws -> ImportJob {
        var job = try job(id, of: account)
        _ = try answers.surveyor()
        guard job.wanted == nil else { throw JobRefusal.busy("the job is at work already") }
        guard job.outcome == nil || job.failure != nil else { throw JobRefusal.busy("the file is imported") }
        let received = received[id] ?? 0
        guard received == job.size else { throw JobRefusal.busy("\(received) of \(job.size) bytes are there: send the rest first") }
        job.want(step, answers, now: now)
        try await save(job)
        wake()
        return job
    }

    /// Removes a job and its files, even while it is running.
    func discard(_ id: String, account: String) async throws {
        _ = try job(id, of: account)
        try await remove([id])
    }

    /// Requests the undo of an import.
    func undo(_ id: String, actor: String, now: Double) async throws {
        guard undos.values.count(where: { $0.removed == nil && $0.failure == nil }) < limits.undos else {
            throw JobRefusal.full("\(limits.undos) imports wait to be undone: wait for these first")
        }
        try await save(Undo(id: id, actor: actor, asked: now))
        wake()
    }

    /// The account's jobs, newest first.
    func all(of account: String) -> [ImportJob] {
        jobs.values.filter { $0.account == account }.sorted { ($0.begun, $0.id) > ($1.begun, $1.id) }
    }

    /// The stored bytes of a job's file.
    func received(of id: String) -> Int { received[id] ?? 0 }

    /// The account's job with that id.
    /// - Throws: `JobRefusal`. For other accounts it does not exist.
    func job(_ id: String, of account: String) throws(JobRefusal) -> ImportJob {
        guard let job = jobs[id], job.account == account else { throw .unknown }
        return job
    }

    // MARK: Work

    /// Sets the signals of new work.
    func wakeups() -> AsyncStream<Void> {
        let (stream, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wakers.append(waker)
        waker.yield()
        return stream
    }

    /// The next job among those that need the timeline, or among the others. A job that was started too often fails,
    /// because it may be what ends the process.
    func next(needingTimeline: Bool, mostAttempts: Int, now: Double) async throws -> ImportJob? {
        let waiting = jobs.values.filter { $0.wanted?.needsTimeline == needingTimeline }
        guard var job = waiting.min(by: { ($0.asked, $0.id) < ($1.asked, $1.id) }) else { return nil }
        job.attempts += 1
        if job.attempts > mostAttempts {
            job.end(
                now: now,
                failure: "the import service ended \(mostAttempts) times while it was at this file; it is not tried again by itself")
            try await save(job)
            return try await next(needingTimeline: needingTimeline, mostAttempts: mostAttempts, now: now)
        }
        try await save(job)
        return job
    }

    /// The next undo.
    func nextUndo() -> Undo? { undos.values.filter { $0.removed == nil && $0.failure == nil }.min { $0.asked < $1.asked } }

    /// Returns when the job is removed. To be called before work on it begins.
    func removal(of id: String) -> AsyncStream<Void> {
        let (stream, stop) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        if jobs[id] == nil { stop.finish() } else { stops[id] = stop }
        return stream
    }

    /// Stores the outcome of a job, unless it was removed meanwhile. The file of a finished job is no longer needed.
    func finish(_ job: ImportJob) async throws {
        stops[job.id] = nil
        guard jobs[job.id] != nil else { return folder.removeAll(of: job.id) }
        try await persistently(for: Self.patience) {
            for kind in [UploadFolder.Kind.rejects, .trialRejects] { try await keeping.keep(kind, of: job.id) }
            try await save(job)
        }
        guard job.outcome != nil, job.failure == nil else { return }
        received[job.id] = nil
        try await persistently(for: Self.patience) { try await keeping.remove(.data, of: job.id) }
    }

    /// Returns an unfinished job because the process ends.
    func giveBack(_ job: ImportJob) async throws {
        guard var kept = jobs[job.id] else { return }
        kept.attempts -= 1
        try await save(kept)
    }

    /// Stores the outcome of an undo.
    func finish(_ undo: Undo) async throws { try await persistently(for: Self.patience) { try await save(undo) } }

    /// Removes jobs that were not touched for a day, and earlier outcomes of undos.
    ///
    /// A time in the future, from before the clock was set back, counts as now.
    func expire(now: Double) async throws {
        guard opened.duration(to: self.now()) >= Limits.settling else { return }
        for var job in jobs.values where job.touched > now {
            job.touched = now
            try await save(job)
        }
        let old = jobs.values.filter { $0.wanted == nil && now - $0.touched > Limits.life }.map(\.id)
        if !old.isEmpty { try await remove(old) }
        let told = undos.values.filter { ($0.removed != nil || $0.failure != nil) && abs(now - $0.asked) > Limits.life }.map(\.id)
        for id in told { try await forget(undo: id) }
    }

    /// Removes jobs with their data, and overwrites their rows.
    func erase(_ ids: [String]) async throws {
        guard !ids.isEmpty else { return }
        try await remove(ids)
        try await keeping.wipe()
    }

    /// All jobs of all accounts.
    var everything: [ImportJob] { Array(jobs.values) }

    // MARK: Files

    /// Copies a job's file into the folder, if it exists.
    func fetch(_ kind: UploadFolder.Kind, of id: String) async throws {
        try await keeping.fetch(kind, of: id)
        // It may have been removed during the copy.
        if jobs[id] == nil { folder.removeAll(of: id) }
    }

    /// Stores new refused cells of a job, however long that takes.
    func keep(_ kind: UploadFolder.Kind, of id: String) async throws {
        guard jobs[id] != nil else { return }
        try await persistently(for: Self.patience) { try await keeping.keep(kind, of: id) }
    }

    func remove(_ kind: UploadFolder.Kind, of id: String) async throws { try await keeping.remove(kind, of: id) }

    // MARK: Keeping

    private func remove(_ ids: [String]) async throws {
        for id in ids {
            (jobs[id], received[id]) = (nil, nil)
            removed.insert(id)
            stops.removeValue(forKey: id)?.finish()
        }
        for id in ids { try await keeping.remove(job: id) }
    }

    private func forget(undo id: String) async throws {
        undos[id] = nil
        try await keeping.remove(undo: id)
    }

    private func save(_ job: ImportJob) async throws {
        let former = jobs[job.id]
        jobs[job.id] = job
        do { try await keeping.save(job) } catch {
            // What is not stored has not happened.
            if jobs[job.id] == job { jobs[job.id] = former }
            throw error
        }
        // It may have been removed during the write.
        if jobs[job.id] == nil { try await remove([job.id]) }
    }

    private func save(_ undo: Undo) async throws {
        let former = undos[undo.id]
        undos[undo.id] = undo
        do { try await keeping.save(undo) } catch {
            undos[undo.id] = former
            throw error
        }
    }

    private func wake() { for waker in wakers { waker.yield() } }

    /// The last component of a path, in printable characters.
    private static func plainName(_ name: String) throws(JobRefusal) -> String {
        let last = String(name.split { $0 == "/" || $0 == "\\" }.last ?? "")
        guard !last.isEmpty, last != ".", last != "..", last.utf8.count <= 200 else {
            throw .malformed("the file's name has 1 to 200 bytes")
        }
        return last.printable
    }
}
