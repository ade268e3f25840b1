import Foundation
import HTTPClient
import Observability
import Synchronization

/// Shows the progress of an import: on a terminal a bar with rate and remaining time, else a line from time to time.
final class ProgressReporter: ImportReporter {
    private struct State {
        var total = 0
        var hasUnknownSizes = false
        var offsets: [String: Int] = [:]
        var cells: [String: Int] = [:]
        var shown = ContinuousClock.now
        /// The warnings, with the number of files of each.
        var warnings: [String: Int] = [:]
    }

    private let console: Console
    private let isQuiet: Bool
    private let isDryRun: Bool
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    init(console: Console, isQuiet: Bool, isDryRun: Bool = false) {
        self.console = console
        self.isQuiet = isQuiet
        self.isDryRun = isDryRun
    }

    /// Announces the run.
    func expect(_ files: [ImportFile]) {
        state.withLock { state in
            state.total = files.reduce(0) { $0 + ($1.size ?? 0) }
            state.hasUnknownSizes = files.contains { $0.size == nil }
        }
    }

    /// Writes a line, unless it is quiet.
    @Sendable func say(_ line: String) {
        if !isQuiet { write(line) }
    }

    func began(_ file: ImportFile, survey: FileSurvey, entry: LedgerEntry) {
        if entry.batches > 0 { say("\(file.name): going on behind \(entry.batches) confirmed batches") }
        for warning in survey.warnings {
            // Equal warnings of many files are shown once, with their number.
            let count = state.withLock { state -> Int in
                state.warnings[warning, default: 0] += 1
                return state.warnings[warning] ?? 1
            }
            if count == 1 { write("\(file.name): \(warning)") }
        }
    }

    func waits(for file: ImportFile) { say("\(file.name): another vigil-import is at it; waiting for its end") }

    /// Shows the progress of a download.
    @Sendable func fetched(_ url: String, _ progress: HTTPProgress) {
        show { _ in
        } line: { _, _ in
            ProgressText.download(of: url, received: Int(progress.received), total: progress.total.map(Int.init))
        }
    }

    func advanced(_ file: ImportFile, offset: Int, account: CellCounts) {
        show {
            $0.offsets[file.name] = offset
            $0.cells[file.name] = account.cells
        } line: {
            line($0, $1)
        }
    }

    /// Processes an event, and redraws the line when it is time.
    private func show(_ update: (inout State) -> Void, line: (State, Duration) -> String) {
        let line = state.withLock { state -> String? in
            update(&state)
            let now = ContinuousClock.now
            guard now - state.shown >= (console.isTerminal ? .milliseconds(200) : .seconds(10)) else { return nil }
            state.shown = now
            return line(state, now - start)
        }
        guard let line, !isQuiet else { return }
        console.write(console.isTerminal ? "\r\u{1B}[K\(line.printable)" : "\(line.printable)\n")
    }

    func finished(_ file: ImportFile, outcome: FileOutcome) {
        state.withLock { $0.offsets[file.name] = file.size ?? $0.offsets[file.name] ?? 0 }
        let entry = outcome.entry
        for note in outcome.notes { write("\(file.name): \(note)") }
        if outcome.isKnown { return say("\(file.name): imported before (\(entry.id)); --again imports it again") }
        let sent = isDryRun ? ProgressReporter.wouldBe(outcome.account) : ProgressReporter.text(entry.counts)
        say(
            "\(file.name): \(Self.count(outcome.account.rows, "row")) by \(entry.profile): \(sent), "
                + (outcome.entries > 0 ? "\(Self.count(outcome.entries, "entries", one: "entry")), " : "")
                + "\(outcome.account.rejected) cells refused, \(outcome.account.empty) empty, \(outcome.account.ignored) left out")
    }

    func failed(_ file: ImportFile, error: ImportError) {
        let text = error.description
        write(text.contains(file.name) ? text : "\(file.name): \(text)")
    }

    /// Shows the outcome.
    func conclude(_ summary: ImportSummary) {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        for (warning, count) in state.withLock({ $0.warnings }).sorted(by: { $0.key < $1.key }) where count > 1 {
            write("also of \(Self.count(count - 1, "other file")): \(warning)")
        }
        let account = summary.account
        let done = isDryRun ? ProgressReporter.wouldBe(account) : ProgressReporter.text(summary.counts)
        write(
            "\(Self.count(summary.imported, "file")) in \(seconds.rounded(toPlaces: 1)) s (\(summary.known) were known, \(summary.failures.count) failed): "
                + "\(Self.count(account.rows, "row")), \(done), \(account.rejected) cells refused, \(account.empty) empty, \(account.ignored) left out"
        )
    }

    private func line(_ state: State, _ elapsed: Duration) -> String {
        let bytes = state.offsets.values.reduce(0, +), cells = state.cells.values.reduce(0, +)
        return ProgressText(
            bytes: bytes, total: state.hasUnknownSizes ? nil : state.total, cells: cells, seconds: elapsed / .seconds(1)
        ).line
    }

    private func write(_ text: String) {
        let line = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
        console.write(console.isTerminal ? "\r\u{1B}[K\(line)\n" : "\(line)\n")
    }

    private static func count(_ number: Int, _ thing: String) -> String { "\(number) \(thing)\(number == 1 ? "" : "s")" }

    private static func count(_ number: Int, _ things: String, one: String) -> String { "\(number) \(number == 1 ? one : things)" }

    private static func wouldBe(_ account: CellCounts) -> String { "\(account.accepted) observations would be sent" }

    private static func text(_ counts: DeliveryCounts) -> String {
        "\(counts.stored) stored, \(counts.duplicates) known, \(counts.corrections) corrected"
            + (counts.refused > 0 ? ", \(counts.refused) refused by the store" : "")
    }
}

extension Double {
    fileprivate func rounded(toPlaces places: Int) -> Double {
        let scale = places == 1 ? 10.0 : 1
        return (self * scale).rounded() / scale
    }
}

/// A progress line: a bar, amount, rate, time.
struct ProgressText {
    private static let width = 30

    /// The bytes read, and the total if it is known.
    let bytes: Int
    let total: Int?
    /// The cells read.
    let cells: Int
    /// The time since the start.
    let seconds: Double

    var line: String {
        let rate = seconds > 0 ? Int(Double(cells) / seconds) : 0
        let amount = "\(ProgressText.megabytes(bytes)) MB, \(cells) cells, \(rate) cells/s"
        guard let total, total > 0, bytes > 0 else { return amount }
        let share = min(1, Double(bytes) / Double(total))
        let filled = Int(share * Double(ProgressText.width))
        let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: ProgressText.width - filled)
        let remaining = Int((seconds / share - seconds).rounded(.up))
        return "[\(bar)] \(Int(share * 100)) % \(amount), \(remaining / 60) min \(remaining % 60) s left"
    }

    /// The progress of a download.
    static func download(of url: String, received: Int, total: Int?) -> String {
        let whole = total.map { " of \(megabytes($0)) MB, \(received * 100 / max($0, 1)) %" } ?? ""
        return "fetching \(url): \(megabytes(received)) MB\(whole)"
    }

    private static func megabytes(_ bytes: Int) -> Double { (Double(bytes) / 100_000).rounded() / 10 }
}

/// Standard error for progress: a terminal, whose last line can be rewritten, or not.
struct Console: Sendable {
    /// Whether it is a terminal.
    let isTerminal = isatty(FileHandle.standardError.fileDescriptor) == 1

    /// Writes text. A closed standard error does not stop an import.
    func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
