import Foundation
import SQLiteDatabase
import ServiceKit

/// Where jobs and their files are kept, so that they survive the process.
///
/// The folder has the files that are worked with. Each change is durable when it returns. Threading: from anywhere; one task at a time changes a job.
protocol JobKeeping: Sendable {
    var folder: UploadFolder { get }

    /// Everything that is kept.
    func load() async throws -> KeptJobs

    /// Keeps a new job, with an empty file.
    func begin(_ job: ImportJob) async throws

    /// Adds bytes at the end of a job's file, and keeps the job.
    func append(_ bytes: Data, at offset: Int, to job: ImportJob) async throws

    func save(_ job: ImportJob) async throws
    func save(_ undo: JobStore.Undo) async throws

    /// Removes a job with all its files.
    func remove(job: String) async throws
    func remove(undo: String) async throws

    /// Removes a file of a job.
    func remove(_ kind: UploadFolder.Kind, of job: String) async throws

    /// Puts a file that is kept, and is not in the folder, there.
    func fetch(_ kind: UploadFolder.Kind, of job: String) async throws

    /// Keeps what was added to a file in the folder.
    func keep(_ kind: UploadFolder.Kind, of job: String) async throws

    /// Overwrites what was removed.
    func wipe() async throws
}

/// Jobs as they were kept.
struct KeptJobs: Sendable {
    var jobs: [ImportJob] = []
    var undos: [JobStore.Undo] = []
    /// The bytes that were received of each job's file.
    var received: [String: Int] = [:]

    /// Reads records that are JSON. One that cannot be read is left out.
    init(jobs: [String], undos: [String]) {
        let decoder = JSONDecoder()
        self.jobs = jobs.compactMap { try? decoder.decode(ImportJob.self, from: Data($0.utf8)) }
        self.undos = undos.compactMap { try? decoder.decode(JobStore.Undo.self, from: Data($0.utf8)) }
    }

    /// A record as JSON.
    static func text(_ record: some Encodable) throws -> String { String(decoding: try JSONEncoder().encode(record), as: UTF8.self) }
}

/// Jobs in a state file of one machine, and their files in its folder alone.
struct LocalJobs: JobKeeping {
    static let migrations = [
        Migration(1, "CREATE TABLE jobs(id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;"),
        Migration(2, "CREATE TABLE undos(id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;"),
    ]

    let folder: UploadFolder
    private let state: ServiceState

    /// - Parameter path: the state file's.
    init(path: String, folder: UploadFolder) throws {
        self.folder = folder
        state = try ServiceState(path: path, migrations: Self.migrations)
    }

    func load() async throws -> KeptJobs {
        var kept = KeptJobs(jobs: try await records("jobs"), undos: try await records("undos"))
        for job in kept.jobs { kept.received[job.id] = folder.size(.data, of: job.id) }
        return kept
    }

    private func records(_ table: String) async throws -> [String] {
        try await state.read { database in try database.rows("SELECT record FROM \(table)") { $0.text(0) } }
    }

    func begin(_ job: ImportJob) async throws {
        try folder.create(.data, of: job.id)
        try await save(job)
    }

    func append(_ bytes: Data, at offset: Int, to job: ImportJob) async throws { try folder.append(bytes, to: job.id) }

    func save(_ job: ImportJob) async throws { try await save("jobs", job.id, KeptJobs.text(job)) }
    func save(_ undo: JobStore.Undo) async throws { try await save("undos", undo.id, KeptJobs.text(undo)) }

    private func save(_ table: String, _ id: String, _ record: String) async throws {
        try await state.transaction { try $0.run("INSERT OR REPLACE INTO \(table) VALUES(?, ?)", [.text(id), .text(record)]) }
    }

    func remove(job: String) async throws {
        folder.removeAll(of: job)
        try await state.transaction { try $0.run("DELETE FROM jobs WHERE id = ?", [.text(job)]) }
    }

    func remove(undo: String) async throws {
        try await state.transaction { try $0.run("DELETE FROM undos WHERE id = ?", [.text(undo)]) }
    }

    func remove(_ kind: UploadFolder.Kind, of job: String) async throws { folder.remove(kind, of: job) }
    func fetch(_ kind: UploadFolder.Kind, of job: String) async throws {}
    func keep(_ kind: UploadFolder.Kind, of job: String) async throws {}
    func wipe() async throws { try await state.wipe() }
}
