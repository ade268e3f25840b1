import ServiceKit
import VigilSchema

/// Imports files, several at once.
package struct Importer: Sendable {
    /// The treatment of files that are known already, and of refused cells.
    package struct Policy: Sendable {
        /// Imports again what the ledger says is in.
        package var again = false
        /// Files at once.
        package var parallel = 2
        /// Refused cells that a file may have.
        package var limit: RejectLimit?

        /// As `vigil-import` does without options.
        package init() {}
    }

    private let surveyor: Surveyor
    private let options: ImportOptions
    private let policy: Policy
    private let sink: any BatchSink
    private let ledger: (any Ledger)?
    private let rejects: RejectFile?
    private let reporter: any ImportReporter

    /// Makes an importer.
    /// - Parameters:
    ///   - ledger: nil for a dry run: nothing is remembered.
    ///   - rejects: takes the refused cells; nil: they are only counted.
    package init(
        surveyor: Surveyor, options: ImportOptions, policy: Policy, sink: any BatchSink, ledger: (any Ledger)?, rejects: RejectFile?,
        reporter: any ImportReporter
    ) {
        self.surveyor = surveyor
        self.options = options
        self.policy = policy
        self.sink = sink
        self.ledger = ledger
        self.rejects = rejects
        self.reporter = reporter
    }

    /// Imports the files. One that cannot be read is reported, and the others go on; what the bus or the ledger refuses ends all.
    package func run(_ files: [ImportFile]) async throws -> ImportSummary {
        var summary = ImportSummary()
        let claims = RunClaims(), isAlone = files.count == 1
        try await withThrowingTaskGroup(of: [FileResult].self) { group in
            var rest = files[...]
            for _ in 0..<policy.parallel { start(rest.popFirst(), isAlone, claims, in: &group) }
            while let results = try await group.next() {
                for result in results { summary.add(result) }
                start(rest.popFirst(), isAlone, claims, in: &group)
            }
        }
        return summary
    }

    private func start(
        _ file: ImportFile?, _ isAlone: Bool, _ claims: RunClaims, in group: inout ThrowingTaskGroup<[FileResult], any Error>
    ) {
        guard let file else { return }
        group.addTask {
            var results: [FileResult] = []
            do {
                let parts = try FileExpander(options: options).expand(file)
                // A file that is all there is has nobody to contradict it.
                let claims = isAlone && parts.count == 1 ? nil : claims
                for part in parts { results.append(try await importing(part, claims)) }
            } catch let error as ImportError where error.isOfOneFile {
                reporter.failed(file, error: error)
                results.append(.failed(error))
            }
            return results
        }
    }

    private func importing(_ file: ImportFile, _ claims: RunClaims?) async throws -> FileResult {
        do {
            let outcome = try await importFile(file, claims)
            reporter.finished(file, outcome: outcome)
            return .finished(outcome)
        } catch let error as ImportError where error.isOfOneFile {
            reporter.failed(file, error: error)
            return .failed(error)
        }
    }

    private func importFile(_ file: ImportFile, _ claims: RunClaims?) async throws -> FileOutcome {
        let survey = try surveyor.study(file, now: .now)
        // Nothing is looked up for a dry run, so that nothing has to be read twice.
        let content = ledger == nil ? ContentDigest.none : try ContentDigest(file)
        let recipe = try Recipe(file, survey, options).digest
        let new = LedgerEntry(name: file.name, content, profile: survey.profile.name, recipe: recipe, now: .now)
        guard let ledger else { return try await read(file, survey, new, nil, claims) }
        let former = try await ledger.latest(name: file.name)
        let entry = try await ledger.add(new)
        if let known = known(entry, file, survey, claims) { return known }
        return try await ledger.working(at: entry.id, onWait: { reporter.waits(for: file) }) { entry, hold in
            // Whoever was at it may have brought it to its end.
            if let known = known(entry, file, survey, claims) { return known }
            var outcome = try await read(file, survey, entry, hold, claims)
            // What a file has grown to, or was corrected to, is of the same sensor.
            if let former, former.id != entry.id { outcome.replaced = 0 }
            return outcome
        }
    }

    /// The outcome of an import that is in; nil for one that is to be worked at.
    private func known(_ entry: LedgerEntry, _ file: ImportFile, _ survey: FileSurvey, _ claims: RunClaims?) -> FileOutcome? {
        guard entry.state == .done && !policy.again else { return nil }
        if survey.hasUnnamedSource, options.source == nil {
            claims?.add { [options] claims in
                var block = ReadingBlock()
                var reader = try ContentReader(
                    file, survey: survey, options: options, now: Timestamp(microseconds: entry.started),
                    claims: claims.file(file.name, isKnown: true))
                while try claims.hasRoomForKnown && reader.fill(&block) {}
            }
        }
        return FileOutcome(entry: entry, account: entry.account, isKnown: true)
    }

    private func read(
        _ file: ImportFile, _ survey: FileSurvey, _ entry: LedgerEntry, _ hold: LedgerHold?, _ claims: RunClaims?
    ) async throws -> FileOutcome {
        if survey.hasUnnamedSource, options.source == nil { try claims?.readKnown() }
        let begun = entry.restarted()
        reporter.began(file, survey: survey, entry: begun)
        let importer = FileImporter(
            file: file, survey: survey, options: options, sink: sink, ledger: hold, rejects: rejects, limit: policy.limit,
            reporter: reporter, claims: claims)
        return try await importer.run(begun)
    }
}

extension ImportError {
    /// A Boolean value that indicates whether other files can go on.
    fileprivate var isOfOneFile: Bool {
        switch code {
        case .source, .format, .usage, .ambiguous, .tooManyRejects: true
        case .ledger, .sink: false
        }
    }
}

extension LedgerEntry {
    /// The outcome for its cells, for an import that is done.
    fileprivate var account: CellCounts {
        var account = CellCounts()
        (account.rows, account.accepted, account.rejected, account.empty) = (rows, accepted, rejected, empty)
        return account
    }
}

/// Is told how an import goes on. Called from several tasks, for several files at once.
package protocol ImportReporter: Sendable {
    /// A file is going to be read by a profile; or, with `isKnown`, is not, as it was imported before.
    func began(_ file: ImportFile, survey: FileSurvey, entry: LedgerEntry)
    /// Another process works at it: its end is waited for.
    func waits(for file: ImportFile)
    /// So far.
    func advanced(_ file: ImportFile, offset: Int, account: CellCounts)
    /// All of it is in.
    func finished(_ file: ImportFile, outcome: FileOutcome)
    /// It could not be imported, or not to its end.
    func failed(_ file: ImportFile, error: ImportError)
}

extension ImportReporter {
    package func waits(for file: ImportFile) {}
}

/// The end of one file.
enum FileResult: Sendable {
    case finished(FileOutcome)
    case failed(ImportError)
}

/// The outcome so far for all files of a run.
package struct ImportSummary: Sendable {
    /// Files that were read to their ends.
    package private(set) var imported = 0
    /// Files that were imported before.
    package private(set) var known = 0
    /// Files that could not be imported, or not to their ends.
    package private(set) var failures: [ImportError] = []
    /// The cells of the files that were read.
    package private(set) var account = CellCounts()
    /// The number of observations by what the store did with them.
    package private(set) var counts = DeliveryCounts()
    /// Readings that took the place of others of a sensor that may be another.
    package private(set) var replaced = 0

    mutating func add(_ result: FileResult) {
        switch result {
        case .failed(let error): failures.append(error)
        case .finished(let outcome) where outcome.isKnown: known += 1
        case .finished(let outcome):
            imported += 1
            account = account + outcome.account
            replaced += outcome.replaced
            counts = counts + outcome.entry.counts + DeliveryCounts(reasons: outcome.reasons)
        }
    }
}

/// The outcome so far for one file.
package struct FileOutcome: Hashable, Sendable {
    /// Its entry in the ledger.
    package var entry: LedgerEntry
    /// The outcome so far for its cells.
    package var account: CellCounts
    /// Remarks on its content for the user.
    package var notes: [String] = []
    /// Why the store refused what it did.
    package var reasons: [String] = []
    /// Entries that it put into timelines.
    package var entries = 0
    /// Readings that took the place of others, as neither names its sensor, where there are other files that may be of another.
    package var replaced = 0
    /// It was imported before, and has not been read again.
    package var isKnown = false
    /// The number of batches an earlier, interrupted run had confirmed.
    package var resumedAt = 0
}
