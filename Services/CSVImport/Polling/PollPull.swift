import Foundation
import HTTPClient
import ServiceKit
import VigilSchema

/// One round of a source: asks it for what is new, imports that, and keeps how far it came after each piece.
struct PollPull: Sendable {
    /// A content is fetched again after this time even if the server says that it is unchanged.
    private static let longestTrust = 86_400.0
    /// A file that changed less than this many seconds ago may still be written.
    private static let settling = 3.0
    private static let mostFiles = 10_000
    /// The record is kept after so many files: it names all of them.
    private static let filesAtOnce = 100

    let source: PolledSource
    let client: PollClient
    let delivery: PollDelivery
    let records: PollRecords
    /// The folder for downloaded content.
    let folder: String

    /// - Throws: `PollFailure` or `ImportError`; what was imported until then is noted in the record.
    func run(_ record: inout PollRecord) async throws {
        switch source.kind {
        case .addresses(let addresses): try await fetch(addresses, &record)
        case .folder(let path, let patterns): try await look(at: path, patterns, &record)
        case .fhir(let base, let patient, let types):
            for type in types { try await FHIRPull(pull: self, base: base, type: type, patient: patient).run(&record) }
        case .nightscout(let base):
            for list in NightscoutPull.lists { try await NightscoutPull(pull: self, base: base, list: list).run(&record) }
        }
    }

    // MARK: Addresses

    private func fetch(_ addresses: [String], _ record: inout PollRecord) async throws {
        var failure: PollFailure?
        for address in addresses {
            try Task.checkCancellation()
            do {
                try await fetch(address, &record)
            } catch let error as PollFailure {
                failure = failure ?? error
                // The server wants a pause, from all of its addresses.
                if error.retryAfter != nil { break }
            }
        }
        if let failure { throw failure }
    }

    private func fetch(_ address: String, _ record: inout PollRecord) async throws {
        let key = String(ContentDigest.of(address).prefix(16))
        var cursor = record.cursors[key] ?? .init()
        let now = Timestamp.now.seconds
        var headers: [HTTPHeader] = []
        if let fetched = cursor.fetched, abs(now - fetched) < Self.longestTrust {
            if let etag = cursor.etag { headers.append(HTTPHeader("If-None-Match", etag)) }
            if let modified = cursor.modified { headers.append(HTTPHeader("If-Modified-Since", modified)) }
        }
        let response = try await client.get(address, headers)
        guard response.status != 304, response.status != 204 else { return }
        guard !response.body.isEmpty else { throw PollFailure("the server's answer is empty") }
        let digest = ContentDigest.of(bytes: response.body)
        if digest != cursor.digest { try await importContent(response.body, PublicURL.text(address), &record) }
        (cursor.digest, cursor.fetched) = (digest, now)
        (cursor.etag, cursor.modified) = (kept(response.headers["ETag"]), kept(response.headers["Last-Modified"]))
        record.cursors[key] = cursor
        try await records.save(record)
    }

    /// A header's value that is short enough to be kept.
    private func kept(_ value: String?) -> String? { value.flatMap { $0.utf8.count <= 512 ? $0 : nil } }

    private func importContent(_ body: [UInt8], _ name: String, _ record: inout PollRecord) async throws {
        let path = "\(folder)/\(source.name)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: path) }
        let isWritten = FileManager.default.createFile(atPath: path, contents: Data(body), attributes: [.posixPermissions: 0o600])
        guard isWritten else { throw PollFailure("the state folder cannot be written") }
        try await importFile(path, name, &record)
    }

    private func importFile(_ path: String, _ name: String, _ record: inout PollRecord) async throws {
        let outcome: JobOutcome
        do { outcome = try await delivery.deliver(try SourceFinder.expand(path, name: name)) } catch let error as ImportError {
            throw PollFailure(error.message)
        }
        let new = outcome.files.filter { !$0.isKnown }
        record.stored += new.reduce(0) { $0 + $1.stored + $1.entries }
        record.refused += new.reduce(0) { $0 + $1.rejected + $1.refused }
        if outcome.failures > 0 {
            throw PollFailure(outcome.files.lazy.compactMap(\.failure).first ?? "\(outcome.failures) files could not be imported")
        }
    }

    // MARK: Folders

    private func look(at path: String, _ patterns: [String], _ record: inout PollRecord) async throws {
        var failure: PollFailure?
        let found = try stamps(path, patterns, &failure)
        record.files = record.files.filter { found[$0.key] != nil }
        var unsaved = 0
        for (path, stamp) in found.sorted(by: { $0.key < $1.key }) where record.files[path] != stamp {
            try Task.checkCancellation()
            do {
                try await importFile(path, path, &record)
                record.files[path] = stamp
                unsaved += 1
                // One that is imported again after a kill is known by its content.
                if unsaved.isMultiple(of: Self.filesAtOnce) { try await records.save(record) }
            } catch let error as PollFailure {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Size and time of change of the files that are not being written, by path. A link is none: whoever puts it there may point it at anything
    /// that the service can read.
    private func stamps(_ path: String, _ patterns: [String], _ failure: inout PollFailure?) throws -> [String: String] {
        guard FileKind(path) == .folder, let names = FileManager.default.enumerator(atPath: path) else {
            throw PollFailure("the folder cannot be read")
        }
        var stamps: [String: String] = [:]
        while let name = names.nextObject() as? String {
            let last = (name as NSString).lastPathComponent
            if last.hasPrefix(".") { names.skipDescendants() }
            guard !last.hasPrefix("."), patterns.contains(where: { Wildcard.fits(last, $0) }) else { continue }
            let file = "\(path)/\(name)"
            guard !FileKind.isLink(file) else {
                failure = failure ?? PollFailure("\(name) is a symbolic link, which is not followed")
                continue
            }
            guard FileKind(file) == .file, let attributes = try? FileManager.default.attributesOfItem(atPath: file),
                let changed = attributes[.modificationDate] as? Date, abs(changed.timeIntervalSinceNow) > Self.settling
            else { continue }
            stamps[file] = "\(attributes[.size] ?? 0) \(changed.timeIntervalSince1970)"
            if stamps.count > Self.mostFiles { throw PollFailure("the folder has more than \(Self.mostFiles) files") }
        }
        return stamps
    }
}
