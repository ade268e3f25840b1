import Foundation
import ServiceKit
import VigilSchema

/// The folder that keeps what was uploaded: for each job the file, its refused cells and those of a dry run, all readable by the service alone.
///
/// The number of bytes received is the file's own length, so that nothing has to be kept beside it and a killed upload goes on where it was.
/// Threading: each job's files are used by one task at a time.
struct UploadFolder: Sendable {
    /// A kind of file that a job has.
    enum Kind: String, CaseIterable, Sendable {
        case data, rejects
        case trialRejects = "trial-rejects"
    }

    let path: String

    /// Makes the folder where it is missing.
    init(path: String) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// The path of a job's file. An id is of our own making and no path.
    func file(_ kind: Kind, of job: String) -> String { "\(path)/\(job).\(kind.rawValue)" }

    /// Makes a file of a job anew, empty.
    func create(_ kind: Kind, of job: String) throws(JobRefusal) {
        remove(kind, of: job)
        try Self.make(file(kind, of: job))
    }

    private static func make(_ path: String) throws(JobRefusal) {
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw refusal(errno) }
        close(descriptor)
    }

    /// The length of a job's file; 0 where there is none.
    func size(_ kind: Kind, of job: String) -> Int {
        var status = stat()
        return lstat(file(kind, of: job), &status) == 0 ? Int(status.st_size) : 0
    }

    /// Adds bytes at the end of the upload.
    func append(_ bytes: Data, to job: String) throws(JobRefusal) { try Self.append(bytes, to: file(.data, of: job)) }

    fileprivate static func append(_ bytes: Data, to path: String) throws(JobRefusal) {
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw refusal(errno) }
        defer { close(descriptor) }
        let before = lseek(descriptor, 0, SEEK_END)
        var written = 0
        while written < bytes.count {
            let (count, reason) = bytes.withUnsafeBytes { buffer in
                let count = write(descriptor, buffer.baseAddress.map { $0 + written }, bytes.count - written)
                return (count, errno)
            }
            if count < 0, reason == EINTR { continue }
            guard count > 0 else {
                // Half a piece would be as good as none, but its sender counts in pieces.
                ftruncate(descriptor, before)
                throw refusal(reason)
            }
            written += count
        }
    }

    /// A copy of a job's file, to be made from what is kept elsewhere.
    func copy(_ kind: Kind, of job: String) throws(JobRefusal) -> UploadCopy {
        let path = file(kind, of: job)
        let copy = UploadCopy(path: path, temporary: "\(path).\(ULID.make(at: .now))")
        try Self.make(copy.temporary)
        return copy
    }

    /// A part of a job's file, up to so many bytes from an offset on.
    func read(_ kind: Kind, of job: String, from offset: Int, limit: Int) -> Data {
        guard let handle = FileHandle(forReadingAtPath: file(kind, of: job)) else { return Data() }
        defer { try? handle.close() }
        guard (try? handle.seek(toOffset: UInt64(max(0, offset)))) != nil else { return Data() }
        return (try? handle.read(upToCount: limit)) ?? Data()
    }

    func remove(_ kind: Kind, of job: String) { unlink(file(kind, of: job)) }

    /// Removes all of a job's files.
    func removeAll(of job: String) {
        for kind in Kind.allCases { remove(kind, of: job) }
    }

    /// Removes the files that belong to none of these jobs, as a kill between two steps may leave them.
    func sweep(keeping jobs: Set<String>) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            if !jobs.contains(String(name.prefix { $0 != "." })) { unlink("\(path)/\(name)") }
        }
    }

    fileprivate static func refusal(_ reason: Int32) -> JobRefusal {
        JobRefusal(code: "failed", words: "the file cannot be written: \(String(cString: strerror(reason)))")
    }
}

/// A job's file while it is copied; it takes its place in the folder once it is whole.
struct UploadCopy {
    fileprivate let path: String
    fileprivate let temporary: String

    func add(_ bytes: Data) throws(JobRefusal) { try UploadFolder.append(bytes, to: temporary) }

    /// - Parameter replacing: takes the place of a file that is there; else that one stays, as somebody is writing to it.
    func finish(replacing: Bool) throws(JobRefusal) {
        if replacing {
            guard rename(temporary, path) == 0 else { throw UploadFolder.refusal(errno) }
        } else {
            defer { discard() }
            guard link(temporary, path) == 0 || errno == EEXIST else { throw UploadFolder.refusal(errno) }
        }
    }

    func discard() { unlink(temporary) }
}
