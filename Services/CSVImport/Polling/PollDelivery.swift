import Foundation
import ServiceKit
import VigilSchema

/// Brings what a source answered into the timeline.
///
/// A file has an entry of its own in the ledger, as if a person had imported it. The pages of a server share one, the source's, by which all that
/// it brought can be undone; a reading that comes again is a duplicate in the store.
struct PollDelivery: Sendable {
    let source: PolledSource
    let sink: any PatientSink
    let ledger: any Ledger

    /// Imports a file, each content once.
    func deliver(_ files: [ImportFile]) async throws -> JobOutcome {
        let progress = JobProgress(total: 0, isTrial: false)
        var policy = Importer.Policy()
        policy.parallel = 1
        for file in files {
            // Each by itself: another's values are corrections here, not contradictions.
            _ = try await Importer(
                surveyor: try source.answers.surveyor(), options: try source.answers.options(), policy: policy, sink: sink, ledger: ledger,
                rejects: nil, reporter: progress
            ).run([file.stoppable])
        }
        return progress.outcome
    }

    /// Imports a page of a server's answer.
    /// - Parameters:
    ///   - name: of the list.
    ///   - profile: the name of a built-in one.
    /// - Returns: the readings and entries that were new, and the values that were refused.
    func deliver(page: [UInt8], of name: String, profile: String) async throws -> (stored: Int, refused: Int) {
        var answers = source.answers
        answers.profile = profile
        let options = try source.options(answers)
        let surveyor = Surveyor(chosen: try answers.chosenProfile(), options: options)
        let file = ImportFile(name: "\(source.name) \(name)", size: page.count) { () throws(ImportError) in MemorySource(page) }.stoppable
        let parts = try FileExpander(options: options).expand(file)
        let digest = ContentDigest.of("source \(source.name) \(source.fingerprint)")
        let known = try await ledger.add(LedgerEntry(polled: source.name, digest: digest, profile: profile, now: .now))
        return try await ledger.working(at: known.id) { entry, hold in
            var total = entry
            for part in parts {
                let importer = FileImporter(
                    file: part, survey: try surveyor.study(part, now: .now), options: options, sink: sink, ledger: nil, rejects: nil,
                    limit: nil, reporter: JobProgress(total: 0, isTrial: false))
                total.add(try await importer.run(LedgerEntry(page: entry, now: .now)))
            }
            total.state = .done
            total.finished = Timestamp.now.microseconds
            try await hold.save(total)
            return (total.stored - entry.stored, total.rejected + total.refused - entry.rejected - entry.refused)
        }
    }
}

extension PolledSource {
    /// The options for a page: of one patient's server nobody else's is taken.
    fileprivate func options(_ answers: ImportAnswers) throws -> ImportOptions {
        var options = try answers.options()
        if case .fhir(_, let patient, _) = kind { options.patient = patient }
        return options
    }
}

extension LedgerEntry {
    /// The entry of all that a server brings.
    fileprivate init(polled name: String, digest: String, profile: String, now: Timestamp) {
        self.init(
            id: ULID.make(at: now), name: "source \(name)", size: 0, digest: digest, profile: profile, recipe: "source", state: .started,
            started: now.microseconds, batches: 0, rows: 0, accepted: 0, rejected: 0, empty: 0, stored: 0, duplicates: 0, corrections: 0,
            refused: 0, storedBefore: 0)
    }

    /// One page of it, received now: a server's later word about a moment is a correction.
    fileprivate init(page entry: LedgerEntry, now: Timestamp) {
        self.init(
            id: entry.id, name: entry.name, size: 0, digest: entry.digest, profile: entry.profile, recipe: entry.recipe, state: .started,
            started: now.microseconds, batches: 0, rows: 0, accepted: 0, rejected: 0, empty: 0, stored: 0, duplicates: 0, corrections: 0,
            refused: 0, storedBefore: 0)
    }

    /// Adds a page's outcome.
    fileprivate mutating func add(_ page: FileOutcome) {
        rows += page.account.rows
        accepted += page.account.accepted
        rejected += page.account.rejected
        empty += page.account.empty
        stored += page.entry.stored
        duplicates += page.entry.duplicates
        corrections += page.entry.corrections
        refused += page.entry.refused
    }
}
