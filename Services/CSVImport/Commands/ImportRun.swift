import Foundation
import ServiceKit
import TimelineStore

/// One call of `vigil-import` with files to import.
struct ImportRun {
    private let configuration: Configuration
    private let operands: [String]

    init(_ invocation: Invocation) {
        configuration = invocation.configuration
        operands = invocation.operands
    }

    func run() async throws {
        BackgroundPriority.take()
        let options = try ImportOptions(configuration)
        let surveyor = try ProfileChoice(configuration).surveyor(options)
        let downloads = "\(try configuration[CommonSettings.stateFolder])/downloads"
        let isDryRun = try configuration[ImportSettings.dryRun]
        let board = ProgressBoard(console: Console(), isQuiet: try configuration[ImportSettings.quiet], isDryRun: isDryRun)
        let ledger = isDryRun ? nil : try ImportCommand.ledger(configuration)
        let again = try configuration[ImportSettings.again]
        let files = try await SourceList(
            finder: SourceFinder(patterns: try configuration[ImportSettings.patterns]), downloads: downloads,
            isKnown: { url in again ? false : try await ledger?.latest(name: url)?.state == .done }, report: board.say,
            progress: board.fetched
        ).files(operands)
        board.expect(files)
        let summary = try await summary(files, surveyor, options, board, ledger)
        // What was fetched is kept only as long as it may be needed again.
        if ledger != nil, summary.failures.isEmpty { try? FileManager.default.removeItem(atPath: downloads) }
        board.conclude(summary)
        try check(summary)
    }

    private func summary(
        _ files: [ImportFile], _ surveyor: Surveyor, _ options: ImportOptions, _ board: ProgressBoard, _ ledger: Ledger?
    ) async throws -> ImportSummary {
        let policy = try policy()
        let rejects = try rejectFile()
        let importing = { @Sendable (sink: any BatchSink, ledger: Ledger?) async throws -> ImportSummary in
            try await Importer(
                surveyor: surveyor, options: options, policy: policy, sink: sink, ledger: ledger, rejects: rejects, reporter: board
            ).run(files)
        }
        guard let ledger else { return try await importing(NoSink(), nil) }
        let patience = try configuration[ImportSettings.patience]
        if let address = try configuration[ImportSettings.store] {
            let store = try StoreSink.store(address, password: configuration[CommonSettings.storePassword])
            let summary = try await importing(StoreSink(store, patience: patience), ledger)
            await store.close()
            return summary
        }
        return try await BusSession(configuration).run { requester in
            try await importing(BusSink(requester, patience: patience), ledger)
        }
    }

    private func rejectFile() throws -> RejectFile? {
        guard let path = try configuration[ImportSettings.rejects] else { return nil }
        return try RejectFile(path: path)
    }

    private func policy() throws -> Importer.Policy {
        var policy = Importer.Policy()
        policy.again = try configuration[ImportSettings.again]
        policy.parallel = try configuration[ImportSettings.parallel]
        policy.limit = try configuration[ImportSettings.maximumErrors].flatMap(RejectLimit.init)
        return policy
    }

    /// Turns what was not imported into the exit code.
    private func check(_ summary: ImportSummary) throws {
        if summary.failures.contains(where: { $0.code == .tooManyRejects }) {
            throw CommandError(.tooManyRefused, "stopped: too many cells were refused")
        }
        if !summary.failures.isEmpty {
            throw CommandError(.someFailed, "\(summary.failures.count) of \(operandsText(summary)) could not be imported")
        }
        let refused = summary.account.rejected + summary.counts.refused
        if refused > 0 { throw CommandError(.someRefused, "\(refused) cells were refused\(try rejectsHint())") }
    }

    private func operandsText(_ summary: ImportSummary) -> String {
        "\(summary.failures.count + summary.imported + summary.known) files"
    }

    private func rejectsHint() throws -> String {
        try configuration[ImportSettings.rejects].map { "; they are in \($0)" } ?? "; --rejects FILE shows each"
    }
}
