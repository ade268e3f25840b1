import Foundation
import Synchronization
import VigilSchema

/// The progress of the step that a job is at. Threading: from anywhere.
final class JobProgress: ImportReporter {
    /// The present figures.
    struct Figures: Encodable, Hashable, Sendable {
        /// Bytes read, and to be read.
        var read = 0
        var total = 0
        /// Cells read.
        var cells = 0
        /// Seconds for which the timeline has confirmed nothing that it was sent; nil while it does.
        var silent: Double?
    }

    private struct State {
        var figures = Figures()
        var offsets: [String: Int] = [:]
        var cells: [String: Int] = [:]
        var outcome = JobOutcome()
        var sent = 0
        var confirmed = ContinuousClock.now
    }

    /// The time that the timeline takes at most as a rule.
    private static let usual = Duration.seconds(5)

    private let state = Mutex(State())
    private let isTrial: Bool

    init(total: Int, isTrial: Bool) {
        self.isTrial = isTrial
        state.withLock { $0.figures.total = total }
    }

    var figures: Figures {
        state.withLock { state in
            var figures = state.figures
            figures.read = min(figures.total, state.offsets.values.reduce(0, +))
            figures.cells = state.cells.values.reduce(0, +)
            let silence = state.confirmed.duration(to: .now)
            figures.silent = state.sent > 0 && silence > Self.usual ? (silence / .seconds(1)).rounded() : nil
            return figures
        }
    }

    /// The outcome for the files so far.
    var outcome: JobOutcome { state.withLock { $0.outcome } }

    func began(_ file: ImportFile, survey: FileSurvey, entry: LedgerEntry) {}

    func advanced(_ file: ImportFile, offset: Int, account: CellCounts) {
        state.withLock { state in
            // One entry a file; of very many only the first.
            guard state.offsets.count < 10_000 || state.offsets[file.name] != nil else { return }
            state.offsets[file.name] = offset
            state.cells[file.name] = account.cells
        }
    }

    func finished(_ file: ImportFile, outcome: FileOutcome) {
        let entry = outcome.entry.total
        let line = JobOutcome.File(
            name: file.name, id: isTrial ? nil : entry.id, rows: outcome.account.rows, accepted: outcome.account.accepted,
            rejected: outcome.account.rejected, empty: outcome.account.empty, ignored: outcome.account.ignored, stored: entry.stored,
            duplicates: entry.duplicates, corrections: entry.corrections, refused: entry.refused, entries: outcome.entries,
            isKnown: outcome.isKnown, notes: Array(outcome.notes.prefix(20)))
        state.withLock { $0.outcome.add(line) }
    }

    func failed(_ file: ImportFile, error: ImportError) {
        state.withLock { $0.outcome.add(JobOutcome.File(name: file.name, failure: error.message)) }
    }

    fileprivate func sent() {
        state.withLock { state in
            if state.sent == 0 { state.confirmed = .now }
            state.sent += 1
        }
    }

    fileprivate func confirmed() {
        state.withLock { state in
            state.sent -= 1
            state.confirmed = .now
        }
    }
}

/// A sink that tells a job's progress how long the timeline is silent.
struct WatchedSink: PatientSink {
    let sink: any PatientSink
    let progress: JobProgress

    func deliver(_ batch: PreparedBatch) async throws(ImportError) -> DeliveryCounts {
        progress.sent()
        defer { progress.confirmed() }
        return try await sink.deliver(batch)
    }

    func profile(of participant: String) async throws -> ParticipantProfile {
        progress.sent()
        defer { progress.confirmed() }
        return try await sink.profile(of: participant)
    }

    func set(_ profile: ParticipantProfile, of participant: String) async throws {
        progress.sent()
        defer { progress.confirmed() }
        try await sink.set(profile, of: participant)
    }

    func add(_ entries: [TimelineEntry], of participant: String, origin: String) async throws {
        progress.sent()
        defer { progress.confirmed() }
        try await sink.add(entries, of: participant, origin: origin)
    }

    func restore(_ records: [TimelineRecord], of participant: String, origin: String) async throws {
        progress.sent()
        defer { progress.confirmed() }
        try await sink.restore(records, of: participant, origin: origin)
    }
}

/// A source that ends with an error once its task is cancelled, so that reading a large file can be stopped.
struct StoppableSource: ByteSource {
    var source: any ByteSource

    mutating func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        guard !Task.isCancelled else { throw ImportError(.source, "stopped") }
        return try source.read(into: &buffer, at: offset, limit: limit)
    }
}

extension ImportFile {
    /// The same, so that reading it ends when the task is cancelled.
    var stoppable: ImportFile {
        let open = open
        var file = ImportFile(name: name, size: size) { () throws(ImportError) in StoppableSource(source: try open()) }
        file.start = start
        return file
    }
}
