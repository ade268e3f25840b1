import ServiceKit
import VigilSchema

/// Imports files, several at once.
package struct Importer: Sendable {
    /// The treatment of known files and refused cells.
    package struct Policy: Sendable {
        /// Imports files again that the ledger has.
        package var again = false
        /// The number of files at once.
        package var parallel = 2
        /// The tolerated refused cells of a file.
        package var limit: RejectLimit?

        /// The defaults of `vigil-import`.
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
    ///   - ledger: nil for a dry run, which stores nothing.
    ///   - rejects: receives the refused cells; nil: they are only counted.
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

    /// Imports the files. An unreadable file is reported, and the others continue; a failure of the bus or the ledger
    /// ends all.
    package func run(_ files: [ImportFile]) async throws -> ImportSummary {
        var summary = ImportSummary()
        let claims = RunClaims(), isAlone = files.count == 1
        try await withThrowingTaskGroup(of: [FileResult].self) { group in
            var rest = ImportFile.withBins(files)[...]
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
                // A single file cannot contradict another.
                let claims = isAlone && parts.count == 1 ? nil : claims
                for var part in parts {
                    part.hasBins = file.hasBins
                    results.append(try await importing(part, claims))
                }
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
        // A dry run looks nothing up, so that nothing must be read twice.
        let content = ledger == nil ? ContentDigest.none : try ContentDigest(file)
        let recipe = try Recipe(file, survey, options).digest
        let new = LedgerEntry(name: file.name, content, profile: survey.profile.name, recipe: recipe, now: .now)
        guard let ledger else { return try await read(file, survey, new, nil, claims) }
        let former = try await ledger.latest(name: file.name)
        let entry = try await ledger.add(new)
        if let known = known(entry, file, survey, claims) { return known }
        return try await ledger.working(at: entry.id, onWait: { reporter.waits(for: file) }) { entry, hold in
            // The previous owner may have finished it.
            if let known = known(entry, file, survey, claims) { return known }
            var outcome = try await read(file, survey, entry, hold, claims)
            // A file that has grown or was corrected is of the same sensor.
            if let former, former.id != entry.id { outcome.replaced = 0 }
            return outcome
        }
    }

    /// The outcome of a finished import; nil: it must be run.
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
    /// Whether other files can continue.
    fileprivate var isOfOneFile: Bool {
        switch code {
        case .source, .format, .usage, .ambiguous, .tooManyRejects: true
        case .ledger, .sink: false
        }
    }
}

extension LedgerEntry {
    /// The outcome for the cells of a finished import.
    fileprivate var account: CellCounts {
        var account = CellCounts()
        (account.rows, account.accepted, account.rejected, account.empty) = (rows, accepted, rejected, empty)
        return account
    }
}

/// Receives the progress of an import. Called from several tasks, for several files at once.
package protocol ImportReporter: Sendable {
    /// A file will be read with a profile or, with `isKnown`, is skipped because it was imported before.
    func began(_ file: ImportFile, survey: FileSurvey, entry: LedgerEntry)
    /// Another process is importing it, so its end is awaited.
    func waits(for file: ImportFile)
    /// The progress so far.
    func advanced(_ file: ImportFile, offset: Int, account: CellCounts)
    /// The file was imported.
    func finished(_ file: ImportFile, outcome: FileOutcome)
    /// The file could not be imported completely.
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

/// The outcome of a run so far.
package struct ImportSummary: Sendable {
    /// Files that were read to the end.
    package private(set) var imported = 0
    /// Files that were imported before.
    package private(set) var known = 0
    /// Files that could not be imported completely.
    package private(set) var failures: [ImportError] = []
    /// The cells of the files that were read.
    package private(set) var account = CellCounts()
    /// The number of observations by outcome in the store.
    package private(set) var counts = DeliveryCounts()
    /// Readings that replaced others of a possibly different sensor.
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

/// The outcome of one file so far.
package struct FileOutcome: Hashable, Sendable {
    /// Its entry in the ledger.
    package var entry: LedgerEntry
    /// The outcome of its cells so far.
    package var account: CellCounts
    /// Remarks for the user.
    package var notes: [String] = []
    /// The store's reasons for refusals.
    package var reasons: [String] = []
    /// The imported entries.
    package var entries = 0
    /// Readings that replaced others without a named sensor, if other files may be of a different one.
    package var replaced = 0
    /// Whether it was imported before and not read again.
    package var isKnown = false
    /// The number of batches that an earlier, interrupted run had confirmed.
    package var resumedAt = 0
}
