import ServiceKit
import VigilSchema

/// Imports one file: reads it, sends its batches, and keeps the ledger.
///
/// Reading and sending overlap; at most `largestWindow` batches are unconfirmed, so that a slow store slows the reading.
/// The ledger's entry moves on as batches are confirmed: a killed import goes on behind the last of them.
struct FileImporter: Sendable {
    /// Batches that may be unconfirmed: with batches of 64 KB, 6 MB.
    private static let largestWindow = 96
    /// The ledger is written at most so often while a file is read; what is confirmed since is sent again after a kill.
    private static let checkpointInterval = Duration.seconds(1)

    let file: ImportFile
    let survey: FileSurvey
    let options: ImportOptions
    let sink: any BatchSink
    let ledger: LedgerHold?
    let rejects: RejectFile?
    let limit: RejectLimit?
    let reporter: any ImportReporter
    /// What other files of the run have said; nil where there are none.
    var claims: RunClaims?

    /// Imports the file behind what the entry says is confirmed.
    func run(_ entry: LedgerEntry) async throws -> FileOutcome {
        let received = Timestamp(microseconds: entry.started)
        var reader = try ContentReader(file, survey: survey, options: options, now: received, claims: claims?.file(file.name))
        var builder = BatchBuilder(origin: entry.id, received: received)
        var progress = ImportProgress(entry: entry, window: ConfirmationWindow(prefix: entry.batches, counts: entry.counts))
        try await withThrowingTaskGroup(of: (index: Int, counts: DeliveryCounts).self) { group in
            var block = ReadingBlock()
            var more = true
            while more {
                more = try reader.fill(&block)
                try await keep(block.rejects, entry)
                try check(reader.account, isAtEnd: !more)
                reporter.advanced(file, offset: reader.offset, account: reader.account)
                progress.entries += block.entries.count + block.records.count
                guard sink.wantsBatches else { continue }
                try await deliver(block, entry)
                var batches = builder.add(block, subjects: reader.subjects, metrics: reader.metrics)
                if !more { batches += builder.finish() }
                for batch in batches where progress.window.needs(batch.index) {
                    while progress.inFlight >= FileImporter.largestWindow { try await confirm(&group, &progress, reader.account) }
                    progress.inFlight += 1
                    group.addTask { (batch.index, batch.isEmpty ? DeliveryCounts() : try await sink.deliver(batch)) }
                }
            }
            while progress.inFlight > 0 { try await confirm(&group, &progress, reader.account) }
        }
        progress.notes = reader.notes
        return try await finish(&progress, reader.account, resumedAt: entry.batches)
    }

    /// Brings what a block has besides readings: persons and entries. Doing so again changes nothing.
    private func deliver(_ block: ReadingBlock, _ entry: LedgerEntry) async throws {
        guard !block.entries.isEmpty || !block.profiles.isEmpty || !block.records.isEmpty else { return }
        guard let people = sink as? any PatientSink else {
            throw ImportError(.usage, "\(file.name) has entries, which cannot be brought this way")
        }
        for (participant, profile) in block.profiles {
            let known = try await people.profile(of: participant)
            let merged = PatientImport.merged(profile, into: known)
            if merged != known { try await people.set(merged, of: participant) }
        }
        for (participant, entries) in Dictionary(grouping: block.entries, by: \.participant).sorted(by: { $0.key < $1.key }) {
            try await people.add(entries.map(\.entry), of: participant, origin: entry.id)
        }
        for (participant, records) in Dictionary(grouping: block.records, by: \.participant).sorted(by: { $0.key < $1.key }) {
            try await people.restore(records.map(\.record), of: participant, origin: entry.id)
        }
    }

    private func confirm(
        _ group: inout ThrowingTaskGroup<(index: Int, counts: DeliveryCounts), any Error>, _ progress: inout ImportProgress,
        _ account: CellCounts
    ) async throws {
        guard let (index, counts) = try await group.next() else { return }
        progress.inFlight -= 1
        progress.window.confirm(index, counts)
        guard progress.isDue(after: FileImporter.checkpointInterval) else { return }
        progress.entry.update(account, progress.window)
        try await ledger?.save(progress.entry)
    }

    private func finish(_ progress: inout ImportProgress, _ account: CellCounts, resumedAt: Int) async throws -> FileOutcome {
        progress.entry.update(account, progress.window)
        progress.entry.stored += sink.wantsBatches ? progress.entries : 0
        let isUnnamed = survey.hasUnnamedSource && options.source == nil
        let replaced = isUnnamed ? progress.entry.corrections : 0
        if replaced > 0 { progress.notes.append(FileImporter.replaced(progress.entry)) }
        progress.entry.state = .done
        progress.entry.finished = Timestamp.now.microseconds
        // What is done is not read again: from here on nobody else can tell which cells were refused.
        try await rejects?.keep()
        try await ledger?.save(progress.entry)
        return FileOutcome(
            entry: progress.entry, account: account, notes: progress.notes, reasons: progress.window.counts.reasons,
            entries: progress.entries, replaced: claims == nil ? 0 : replaced, resumedAt: resumedAt)
    }

    /// Nobody but the user knows if a file without a source is of the sensor that an earlier one was of.
    private static func replaced(_ entry: LedgerEntry) -> String {
        "\(entry.corrections) of its readings took the place of others of the same moments, as neither names its sensor: if it is another one, "
            + "`vigil-import undo \(entry.id)` brings those back, and --source tells the two apart"
    }

    private func keep(_ cells: [RejectedCell], _ entry: LedgerEntry) async throws {
        guard !cells.isEmpty else { return }
        try await rejects?.add(cells, of: file, survey: survey, entry: sink.wantsBatches ? entry : nil)
    }

    private func check(_ account: CellCounts, isAtEnd: Bool) throws(ImportError) {
        guard let limit, limit.isExceeded(by: account, isAtEnd: isAtEnd) else { return }
        throw ImportError(
            .tooManyRejects,
            "\(file.name): \(account.rejected) of \(account.accepted + account.rejected) cells were refused, more than --max-errors allows")
    }
}

/// A file's import while it runs.
struct ImportProgress {
    var entry: LedgerEntry
    var window: ConfirmationWindow
    /// Entries that were brought, and what the user should know of the content.
    var entries = 0
    var notes: [String] = []
    /// Batches that are sent and unconfirmed.
    var inFlight = 0
    private var written = ContinuousClock.now

    init(entry: LedgerEntry, window: ConfirmationWindow) {
        self.entry = entry
        self.window = window
    }

    /// Returns whether the ledger should be written again; if so, it counts as written now.
    mutating func isDue(after interval: Duration) -> Bool {
        let now = ContinuousClock.now
        guard now - written >= interval else { return false }
        written = now
        return true
    }
}

/// The batches of a file that are confirmed, and the point up to which all of them are: an interrupted import resumes there.
///
/// A value without I/O: batches are sent in order and confirmed in any.
struct ConfirmationWindow: Hashable, Sendable {
    /// Batches before this one are all confirmed.
    private(set) var prefix: Int
    /// The outcome for the observations of the batches in the prefix.
    private(set) var counts: DeliveryCounts
    private var early: [Int: DeliveryCounts] = [:]

    /// - Parameters:
    ///   - prefix: batches that an earlier run has confirmed.
    ///   - counts: what became of them.
    init(prefix: Int = 0, counts: DeliveryCounts = DeliveryCounts()) {
        self.prefix = prefix
        self.counts = counts
    }

    /// Returns whether the batch has to be sent.
    func needs(_ index: Int) -> Bool { index >= prefix && early[index] == nil }

    /// Takes a confirmation; one that is known already changes nothing.
    mutating func confirm(_ index: Int, _ delivered: DeliveryCounts) {
        guard needs(index) else { return }
        early[index] = delivered
        while let next = early.removeValue(forKey: prefix) {
            counts = counts + next
            prefix += 1
        }
    }
}
