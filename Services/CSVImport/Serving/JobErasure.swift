import Access
import Foundation
import VigilSchema

/// Forgets a participant: every job whose answers, findings, name or file's content name the person, and the ledger's imports.
struct JobErasure: Sendable {
    let store: JobStore
    let ledger: any Ledger
    let polls: PollRecords

    /// - Parameter imports: the ids of imports that brought something of the participant, where the timeline has told them.
    /// - Returns: the number of things that were removed, by what they are.
    func erase(_ participant: String, imports: Set<String>) async throws -> [String: Int] {
        // A source would bring the person back.
        let stopped = try await polls.stop(participant)
        // Where it cannot be found out whom a job is about, it goes rather than stay.
        let concerned = try await jobs(about: participant).map(\.id)
        try await store.erase(concerned)
        let forgotten = try await ledger.forget(namesHolding: participant, imports: imports)
        return ["uploads": concerned.count, "imports": forgotten, "sources": stopped]
    }

    /// Everything that `erase` would remove, but for the bytes of uploaded files, which may be about others too: a job tells which file it is.
    func personalData(of participant: String, imports: Set<String>) async throws -> PersonalData {
        var data = try PersonalData("uploads", encoding: try await jobs(about: participant))
        data.merge(try PersonalData("imports", encoding: try await ledger.entries(namesHolding: participant, imports: imports)))
        return data
    }

    private func jobs(about participant: String) async throws -> [ImportJob] {
        try await store.takeUp()
        var concerned: [ImportJob] = []
        for job in await store.everything where try await concerns(participant, job) { concerned.append(job) }
        return concerned
    }

    private func concerns(_ participant: String, _ job: ImportJob) async throws -> Bool {
        if job.answers.participant == participant || job.name.contains(participant) { return true }
        let record = try JSONEncoder().encode(job)
        if record.range(of: Data(participant.utf8)) != nil { return true }
        for kind in [UploadFolder.Kind.rejects, .trialRejects] {
            try await store.fetch(kind, of: job.id)
            if try holds(participant, ImportFile(path: store.folder.file(kind, of: job.id)), kind, job) { return true }
        }
        try await store.fetch(.data, of: job.id)
        guard store.folder.size(.data, of: job.id) > 0 else { return false }
        return try holdsUpload(participant, job)
    }

    private func holds(_ participant: String, _ file: ImportFile, _ kind: UploadFolder.Kind, _ job: ImportJob) throws(ImportError) -> Bool {
        guard store.folder.size(kind, of: job.id) > 0 else { return false }
        return try Self.holds(participant, try file.open())
    }

    /// Searches what was uploaded, unpacked and as text. What cannot be read so is taken to hold the name.
    private func holdsUpload(_ participant: String, _ job: ImportJob) throws -> Bool {
        do throws(ImportError) {
            for file in try SourceFinder.expand(store.folder.file(.data, of: job.id), name: job.name) {
                var source = try file.open()
                let (encoding, mark, _) = TextEncoding.detect(try source.readStart(Surveyor.startLength))
                if try Self.holds(participant, try FileExpander.text(file, mark: mark, encoding)) { return true }
            }
            return false
        } catch {
            return true
        }
    }

    private static func holds(_ participant: String, _ source: any ByteSource) throws(ImportError) -> Bool {
        var source = source
        let word = Data(participant.utf8)
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        var rest = Data()
        while true {
            let count = try source.read(into: &buffer, at: 0, limit: buffer.count)
            if count == 0 { return false }
            rest.append(contentsOf: buffer[..<count])
            if rest.range(of: word) != nil { return true }
            rest = Data(rest.suffix(word.count - 1))
        }
    }
}
