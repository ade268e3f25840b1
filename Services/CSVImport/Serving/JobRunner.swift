import Dispatch
import Foundation
import Observability
import ServiceKit
import Synchronization
import VigilSchema

/// Runs the jobs one after the other, and undoes imports.
///
/// There are two runners, so that a file can be examined while an import waits for the timeline. After a restart the
/// current step begins again.
struct JobRunner: Service {
    /// The number of starts after which a job fails, because it may be what ends the process.
    private static let mostAttempts = 5
    /// The most files of an archive that are examined.
    private static let mostFiles = 100
    /// How long a database of jobs may be away before a step fails.
    private static let patience = Duration.seconds(600)

    let store: JobStore
    let ledger: any Ledger
    let present: PresentJobs
    /// The sink of observations; nil for the runner that only examines files.
    let sink: (any PatientSink)?
    /// Undoes an import and returns how much was removed.
    let undo: @Sendable (String) async throws -> Int
    let log: Logger

    func run() async throws {
        let executor = BlockingExecutor(label: sink == nil ? "vigil.import.look" : "vigil.import.start")
        for await _ in await store.wakeups() {
            while let job = try await next() {
                // Reading takes long without suspending, so it must not block the threads that answer requests.
                try await withTaskExecutorPreference(executor) { try await perform(job) }
                try Task.checkCancellation()
            }
            while sink != nil, let undo = await store.nextUndo() { try await perform(undo) }
        }
    }

    private func next() async throws -> ImportJob? {
        try await persistently(for: Self.patience) {
            try await store.next(needingTimeline: sink != nil, mostAttempts: Self.mostAttempts, now: Timestamp.now.seconds)
        }
    }

    /// Works on a job until it is finished or removed.
    private func perform(_ job: ImportJob) async throws {
        let removal = await store.removal(of: job.id)
        defer { present.end(job.id) }
        let done: ImportJob?
        do {
            done = try await withThrowingTaskGroup(of: ImportJob?.self) { group in
                group.addTask { try await work(at: job) }
                group.addTask {
                    for await _ in removal {}
                    return nil
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
        } catch is CancellationError {
            // The process ends; the job has not failed.
            try await store.giveBack(job)
            throw CancellationError()
        }
        guard let done else { return store.folder.removeAll(of: job.id) }
        try await store.finish(done)
        log.info("a step of an import is done", ["step": job.wanted?.rawValue ?? "", "outcome": done.failure == nil ? "ok" : "failed"])
    }

    /// Performs the step that a job requests, and returns the changed job.
    private func work(at job: ImportJob) async throws -> ImportJob {
        var done = job
        do {
            switch job.wanted {
            case .survey: done.findings = try await look(at: job)
            case .trial: done.trial = try await read(job, kind: .trialRejects, sink: NoSink(), ledger: nil)
            case .start:
                done.outcome = try await read(job, kind: .rejects, sink: sink.map { $0 as any BatchSink } ?? NoSink(), ledger: ledger)
                try await persistently(for: Self.patience) { try await store.remove(.trialRejects, of: job.id) }
            case nil: break
            }
            try Task.checkCancellation()
            done.end(now: Timestamp.now.seconds, failure: failure(of: done, job.wanted))
        } catch {
            // The end of the process or of the job is no failure.
            try Task.checkCancellation()
            done.end(now: Timestamp.now.seconds, failure: Self.words(error))
        }
        return done
    }

    private func files(of job: ImportJob) async throws -> [ImportFile] {
        try await persistently(for: Self.patience) { try await store.fetch(.data, of: job.id) }
        return try SourceFinder.expand(store.folder.file(.data, of: job.id), name: job.name).map(\.stoppable)
    }

    private func look(at job: ImportJob) async throws -> [FileFinding] {
        let study = FileStudy(try job.answers.options(), chosen: try job.answers.chosenProfile(), now: .now)
        let files = try await files(of: job)
        present.begin(job.id, JobProgress(total: 0, isTrial: true))
        var findings: [FileFinding] = []
        for file in files {
            do throws(ImportError) {
                for part in try FileExpander(options: try options(job)).expand(file) where findings.count < Self.mostFiles {
                    findings.append(study.finding(of: part))
                }
            } catch {
                guard !Task.isCancelled else { throw error }
                findings.append(FileFinding(name: file.name, problem: error.message))
            }
        }
        return findings
    }

    private func options(_ job: ImportJob) throws(ImportError) -> ImportOptions {
        do { return try job.answers.options() } catch { throw ImportError(.usage, error.words) }
    }

    /// Reads a job's files, and sends their observations to the sink, if there is one.
    private func read(_ job: ImportJob, kind: UploadFolder.Kind, sink: any BatchSink, ledger: (any Ledger)?) async throws -> JobOutcome {
        let files = try await files(of: job)
        let progress = JobProgress(total: files.reduce(0) { $0 + ($1.size ?? 0) }, isTrial: ledger == nil)
        present.begin(job.id, progress)
        // A dry run reports its cells only. A continued import does not report a cell again.
        try await persistently(for: Self.patience) {
            if ledger == nil { try await store.remove(kind, of: job.id) } else { try await store.fetch(kind, of: job.id) }
        }
        // An empty file is not a file of rejects yet.
        if store.folder.size(kind, of: job.id) == 0 { store.folder.remove(kind, of: job.id) }
        var policy = Importer.Policy()
        policy.again = job.answers.again ?? false
        policy.parallel = 1
        let watched: any BatchSink = (sink as? any PatientSink).map { WatchedSink(sink: $0, progress: progress) } ?? sink
        let rejects = try RejectFile(path: store.folder.file(kind, of: job.id), isOfOneImport: true) {
            if ledger != nil { try await store.keep(kind, of: job.id) }
        }
        _ = try await Importer(
            surveyor: try job.answers.surveyor(), options: try job.answers.options(), policy: policy, sink: watched, ledger: ledger,
            rejects: rejects, reporter: progress
        ).run(files)
        return progress.outcome
    }

    /// The failure of a job without a readable file.
    private func failure(of job: ImportJob, _ step: ImportJob.Step?) -> String? {
        let outcome = step == .trial ? job.trial : step == .start ? job.outcome : nil
        guard let outcome, outcome.failures > 0, outcome.failures == outcome.count else { return nil }
        return outcome.files.first?.failure
    }

    /// Undoes an import.
    private func perform(_ wanted: JobStore.Undo) async throws {
        var done = wanted
        do {
            guard let (_, removed) = try await ledger.undo(wanted.id, { try await undo(wanted.id) }) else {
                throw JobRefusal(code: "unknown-import", words: "the ledger has no such import")
            }
            done.removed = removed
        } catch {
            try Task.checkCancellation()
            done.failure = Self.words(error)
        }
        try await store.finish(done)
    }

    private static func words(_ error: any Error) -> String {
        (error as? ImportError)?.message ?? (error as? JobRefusal)?.words ?? "\(error)"
    }
}

/// The progress of the running jobs. Threading: callable from any thread.
final class PresentJobs: Sendable {
    private let state = Mutex<[String: JobProgress]>([:])

    func begin(_ job: String, _ progress: JobProgress) { state.withLock { $0[job] = progress } }
    func end(_ job: String) { state.withLock { $0[job] = nil } }
    subscript(_ job: String) -> JobProgress? { state.withLock { $0[job] } }
}

/// Threads for tasks that read long without suspending.
final class BlockingExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label, attributes: .concurrent) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
