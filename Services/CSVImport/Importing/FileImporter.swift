import ServiceKit
import VigilSchema

/// Imports one file: reads it, sends its batches, and updates the ledger.
///
/// Reading and sending overlap. At most `largestWindow` batches are unconfirmed, so that a slow store slows the
/// reading. The ledger advances as batches are confirmed; a killed import continues after the last of them.
struct FileImporter: Sendable {
    /// The most unconfirmed batches: 6 MB with batches of 64 KB.
    private static let largestWindow = 96
    /// The shortest time between updates of the ledger. Later confirmations are sent again after a kill.
    private static let checkpointInterval = Duration.seconds(1)

    let file: ImportFile
    let survey: FileSurvey
    let options: ImportOptions
    let sink: any BatchSink
    let ledger: LedgerHold?
    let rejects: RejectFile?
    let limit: RejectLimit?
    let reporter: any ImportReporter
    /// The findings of other files of the run; nil: there are none.
    var claims: RunClaims?

    /// Imports the file from the first unconfirmed batch on.
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

    /// Delivers a block's people and entries; a repetition changes nothing.
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
        // A finished file is not read again, so this is the last chance to record its refused cells.
        try await rejects?.keep()
        try await ledger?.save(progress.entry)
        return FileOutcome(
            entry: progress.entry, account: account, notes: progress.notes, reasons: progress.window.counts.reasons,
            entries: progress.entries, replaced: claims == nil ? 0 : replaced, resumedAt: resumedAt)
    }

    /// If a file names no sensor, only the user knows whether an earlier one was of the same sensor.
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

/// A running import of a file.
struct ImportProgress {
    var entry: LedgerEntry
    var window: ConfirmationWindow
    /// The imported entries, and remarks for the user.
    var entries = 0
    var notes: [String] = []
    /// Batches that were sent and not confirmed.
    var inFlight = 0
    private var written = ContinuousClock.now

    init(entry: LedgerEntry, window: ConfirmationWindow) {
        self.entry = entry
        self.window = window
    }

    /// Returns whether the ledger must be updated; if so, it counts as updated now.
    mutating func isDue(after interval: Duration) -> Bool {
        let now = ContinuousClock.now
        guard now - written >= interval else { return false }
        written = now
        return true
    }
}

/// The confirmed batches of a file, and the index up to which all are confirmed, where an interrupted import resumes.
///
/// A value without I/O: batches are sent in order and confirmed in any.
struct ConfirmationWindow: Hashable, Sendable {
    /// All batches before this index are confirmed.
    private(set) var prefix: Int
    /// The outcome of the observations in the prefix.
    private(set) var counts: DeliveryCounts
    private var early: [Int: DeliveryCounts] = [:]

    /// - Parameters:
    ///   - prefix: the number of batches that an earlier run has confirmed.
    ///   - counts: their outcome.
    init(prefix: Int = 0, counts: DeliveryCounts = DeliveryCounts()) {
        self.prefix = prefix
        self.counts = counts
    }

    /// Returns whether the batch must be sent.
    func needs(_ index: Int) -> Bool { index >= prefix && early[index] == nil }

    /// Processes a confirmation; a repetition changes nothing.
    mutating func confirm(_ index: Int, _ delivered: DeliveryCounts) {
        guard needs(index) else { return }
        early[index] = delivered
        while let next = early.removeValue(forKey: prefix) {
            counts = counts + next
            prefix += 1
        }
    }
}
