import Foundation
import SQLiteDatabase
import ServiceKit

/// Durable storage of jobs and their files.
///
/// The folder has the working copies. Each change is durable when it returns. Threading: callable from any task; one
/// task at a time changes a job.
protocol JobKeeping: Sendable {
    var folder: UploadFolder { get }

    /// Everything that is stored.
    func load() async throws -> KeptJobs

    /// Stores a new job with an empty file.
    func begin(_ job: ImportJob) async throws

    /// Appends bytes to a job's file, and stores the job.
    func append(_ bytes: Data, at offset: Int, to job: ImportJob) async throws

    func save(_ job: ImportJob) async throws
    func save(_ undo: JobStore.Undo) async throws

    /// Removes a job with all its files.
    func remove(job: String) async throws
    func remove(undo: String) async throws

    /// Removes a file of a job.
    func remove(_ kind: UploadFolder.Kind, of job: String) async throws

    /// Copies a stored file to the folder, if it is missing there.
    func fetch(_ kind: UploadFolder.Kind, of job: String) async throws

    /// Stores what was appended to a file in the folder.
    func keep(_ kind: UploadFolder.Kind, of job: String) async throws

    /// The records of polled sources, as JSON.
    func polls() async throws -> [String]
    func save(poll name: String, _ record: String) async throws
    func remove(poll name: String) async throws

    /// Overwrites removed data.
    func wipe() async throws
}

/// Jobs as stored.
struct KeptJobs: Sendable {
    var jobs: [ImportJob] = []
    var undos: [JobStore.Undo] = []
    /// The received bytes of each job's file.
    var received: [String: Int] = [:]

    /// Reads records from JSON, without unreadable ones.
    init(jobs: [String], undos: [String]) {
        let decoder = JSONDecoder()
        self.jobs = jobs.compactMap { try? decoder.decode(ImportJob.self, from: Data($0.utf8)) }
        self.undos = undos.compactMap { try? decoder.decode(JobStore.Undo.self, from: Data($0.utf8)) }
    }

    /// A record as JSON.
    static func text(_ record: some Encodable) throws -> String { String(decoding: try JSONEncoder().encode(record), as: UTF8.self) }
}

/// Jobs in a state file of one machine, with their files in its folder.
struct LocalJobs: JobKeeping {
    static let migrations = [
        Migration(1, "CREATE TABLE jobs(id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;"),
        Migration(2, "CREATE TABLE undos(id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;"),
        Migration(3, "CREATE TABLE polls(id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;"),
    ]

    let folder: UploadFolder
    private let state: ServiceState

    /// - Parameter path: the path of the state file.
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

    func polls() async throws -> [String] { try await records("polls") }
    func save(poll name: String, _ record: String) async throws { try await save("polls", name, record) }
    func remove(poll name: String) async throws {
        try await state.transaction { try $0.run("DELETE FROM polls WHERE id = ?", [.text(name)]) }
    }

    func remove(_ kind: UploadFolder.Kind, of job: String) async throws { folder.remove(kind, of: job) }
    func fetch(_ kind: UploadFolder.Kind, of job: String) async throws {}
    func keep(_ kind: UploadFolder.Kind, of job: String) async throws {}
    func wipe() async throws { try await state.wipe() }
}
