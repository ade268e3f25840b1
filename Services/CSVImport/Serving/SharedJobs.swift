import Foundation
import Shares
import TimelineStore

/// Jobs and their files in PostgreSQL, where another process finds them that takes this one's place. The folder has copies of what is worked with.
///
/// What was sent is there piece by piece before its sender is answered; refused cells are once a file is read. Everything is written under the lease.
struct SharedJobs: JobKeeping {
    /// The most bytes of a piece, and the most pieces that are written or read at once.
    private static let (piece, portion) = (256 << 10, 16)
    private static let file = "job = $1 AND kind = $2"

    let folder: UploadFolder
    private let state: PostgresState
    /// Nil for what is new, and so nobody's yet.
    private let hold: LeaseHold?

    init(_ state: PostgresState, folder: UploadFolder, holding hold: LeaseHold?) {
        (self.state, self.folder, self.hold) = (state, folder, hold)
    }

    // MARK: Jobs

    func load() async throws -> KeptJobs {
        try await state.transaction { connection throws(StoreError) in
            var kept = KeptJobs(
                jobs: try connection.rows("SELECT record FROM job").map { $0.text(0) },
                undos: try connection.rows("SELECT record FROM undo").map { $0.text(0) })
            for row in try connection.rows("SELECT job, length FROM job_file WHERE kind = $1", [.text(UploadFolder.Kind.data.rawValue)]) {
                kept.received[row.text(0)] = Int(row.integer(1))
            }
            return kept
        }
    }

    func begin(_ job: ImportJob) async throws { try await write([try saving(job), length(0, .data, job.id)]) }

    func append(_ bytes: Data, at offset: Int, to job: ImportJob) async throws {
        try await write([
            length(offset + bytes.count, .data, job.id), piece(bytes, at: offset, .data, job.id), try saving(job),
        ])
    }

    func save(_ job: ImportJob) async throws { try await write([try saving(job)]) }

    func save(_ undo: JobStore.Undo) async throws {
        let sql = "INSERT INTO undo VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET record = excluded.record"
        try await write([(sql, [.text(undo.id), .text(try KeptJobs.text(undo))])])
    }

    func remove(job: String) async throws {
        folder.removeAll(of: job)
        try await write([("DELETE FROM job WHERE id = $1", [.text(job)])])
    }

    func remove(undo: String) async throws { try await write([("DELETE FROM undo WHERE id = $1", [.text(undo)])]) }

    func polls() async throws -> [String] {
        try await state.transaction { connection throws(StoreError) in
            try connection.rows("SELECT record FROM poll").map { $0.text(0) }
        }
    }

    func save(poll name: String, _ record: String) async throws {
        let sql = "INSERT INTO poll VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET record = excluded.record"
        try await write([(sql, [.text(name), .text(record)])])
    }

    func remove(poll name: String) async throws { try await write([("DELETE FROM poll WHERE name = $1", [.text(name)])]) }

    func wipe() async throws { try await state.wipe() }

    // MARK: Files

    func remove(_ kind: UploadFolder.Kind, of job: String) async throws {
        folder.remove(kind, of: job)
        try await write([("DELETE FROM job_file WHERE \(Self.file)", key(kind, job))])
    }

    /// A copy of refused cells may be ahead of what is kept, and one of an upload is whole or behind.
    func fetch(_ kind: UploadFolder.Kind, of job: String) async throws {
        let (length, there) = (try await length(kind, job), folder.size(kind, of: job))
        guard kind == .data ? there != length : there == 0 && length > 0 else { return }
        let copy = try folder.copy(kind, of: job)
        do {
            var start = 0
            while start < length {
                for bytes in try await pieces(from: start, to: length, kind, job) {
                    try copy.add(Data(bytes))
                    start += bytes.count
                }
            }
            try copy.finish(replacing: kind == .data)
        } catch {
            copy.discard()
            throw error
        }
    }

    func keep(_ kind: UploadFolder.Kind, of job: String) async throws {
        let (length, end) = (try await length(kind, job), folder.size(kind, of: job))
        guard end > length else { return }
        // What was begun behind what is whole, and not finished, goes.
        let leftover = ("DELETE FROM piece WHERE \(Self.file) AND start >= $3", key(kind, job) + [.integer(Int64(length))])
        try await write([self.length(length, kind, job), leftover])
        var start = length
        while start < end {
            var pieces: [Statement] = []
            while pieces.count < Self.portion, start < end {
                let bytes = folder.read(kind, of: job, from: start, limit: min(Self.piece, end - start))
                guard !bytes.isEmpty else { throw JobRefusal(code: "failed", words: "a file of the job cannot be read") }
                pieces.append(piece(bytes, at: start, kind, job))
                start += bytes.count
            }
            if start >= end { pieces.append(self.length(end, kind, job)) }
            try await write(pieces)
        }
    }

    /// The bytes of a file that are whole; 0 where there is none.
    private func length(_ kind: UploadFolder.Kind, _ job: String) async throws -> Int {
        let key = key(kind, job)
        return try await state.transaction { connection throws(StoreError) in
            Int(try connection.rows("SELECT length FROM job_file WHERE \(Self.file)", key).first?.integer(0) ?? 0)
        }
    }

    private func pieces(from start: Int, to end: Int, _ kind: UploadFolder.Kind, _ job: String) async throws -> [[UInt8]] {
        let values = key(kind, job) + [.integer(Int64(start)), .integer(Int64(end))]
        let rows = try await state.transaction { connection throws(StoreError) in
            try connection.rows(
                "SELECT start, bytes FROM piece WHERE \(Self.file) AND start >= $3 AND start < $4 ORDER BY start LIMIT \(Self.portion)",
                values)
        }
        var next = start
        for row in rows {
            guard Int(row.integer(0)) == next else { break }
            next += row.blob(1).count
        }
        guard next > start, rows.last.map({ Int($0.integer(0)) < next }) ?? false else {
            throw JobRefusal(code: "failed", words: "a part of the file is missing in the database")
        }
        return rows.map { $0.blob(1) }
    }

    // MARK: Statements

    private typealias Statement = (sql: String, values: [SQLValue])

    private func key(_ kind: UploadFolder.Kind, _ job: String) -> [SQLValue] { [.text(job), .text(kind.rawValue)] }

    private func saving(_ job: ImportJob) throws -> Statement {
        let sql = "INSERT INTO job VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET record = excluded.record"
        return (sql, [.text(job.id), .text(try KeptJobs.text(job))])
    }

    private func length(_ length: Int, _ kind: UploadFolder.Kind, _ job: String) -> Statement {
        let sql = "INSERT INTO job_file VALUES ($1, $2, $3) ON CONFLICT (job, kind) DO UPDATE SET length = excluded.length"
        return (sql, key(kind, job) + [.integer(Int64(length))])
    }

    /// One that was written before, whose sender heard nothing of it, is replaced.
    private func piece(_ bytes: Data, at start: Int, _ kind: UploadFolder.Kind, _ job: String) -> Statement {
        let sql = "INSERT INTO piece VALUES ($1, $2, $3, $4) ON CONFLICT (job, kind, start) DO UPDATE SET bytes = excluded.bytes"
        return (sql, key(kind, job) + [.integer(Int64(start)), .blob([UInt8](bytes))])
    }

    private func write(_ statements: [Statement]) async throws {
        if let hold {
            return try await state.commit(statements.map { SQLStatement($0.sql, $0.values) }, holding: hold)
        }
        try await state.transaction { connection throws(StoreError) in
            for statement in statements { try connection.run(statement.sql, statement.values) }
        }
    }
}

extension SharedJobs {
    /// Takes over the jobs that one process has kept on this machine, with their files, which then go from here.
    /// - Returns: how many there were.
    func adopt(_ former: LocalJobs) async throws -> Int {
        let kept = try await former.load()
        for job in kept.jobs {
            try await begin(job)
            for kind in UploadFolder.Kind.allCases {
                try await SharedJobs(state, folder: former.folder, holding: hold).keep(kind, of: job.id)
            }
            try await former.remove(job: job.id)
        }
        for undo in kept.undos {
            try await save(undo)
            try await former.remove(undo: undo.id)
        }
        for record in try await former.polls() {
            guard let name = (try? JSONDecoder().decode(PollRecord.self, from: Data(record.utf8)))?.name else { continue }
            try await save(poll: name, record)
            try await former.remove(poll: name)
        }
        former.folder.sweep(keeping: [])
        if !kept.jobs.isEmpty || !kept.undos.isEmpty { try await former.wipe() }
        return kept.jobs.count
    }
}
