import Foundation
import MessageBus
import ServiceKit
import Settings
import TimelineStore

/// One run of `vigil-import` with files.
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
        let reporter = ProgressReporter(console: Console(), isQuiet: try configuration[ImportSettings.quiet], isDryRun: isDryRun)
        let patience = try configuration[ImportSettings.patience]
        let ledger = isDryRun ? nil : try await ImportState.ledger(configuration, patience: patience)
        let again = try configuration[ImportSettings.again]
        let found = try await SourceList(
            finder: SourceFinder(patterns: try configuration[ImportSettings.patterns], report: reporter.say), downloads: downloads,
            isKnown: { url in again ? false : try await ledger?.latest(name: url)?.state == .done }, report: reporter.say,
            progress: reporter.fetched
        ).files(operands)
        let files = try configuration.opened(found)
        reporter.expect(files)
        let summary = try await summary(files, surveyor, options, reporter, ledger)
        // Downloads are kept only as long as they may be needed again.
        if ledger != nil, summary.failures.isEmpty { try? FileManager.default.removeItem(atPath: downloads) }
        reporter.conclude(summary)
        try check(summary)
    }

    private func summary(
        _ files: [ImportFile], _ surveyor: Surveyor, _ options: ImportOptions, _ reporter: ProgressReporter, _ ledger: (any Ledger)?
    ) async throws -> ImportSummary {
        let policy = try policy()
        let rejects = try rejectFile()
        let importing = { @Sendable (sink: any BatchSink, ledger: (any Ledger)?) async throws -> ImportSummary in
            try await Importer(
                surveyor: surveyor, options: options, policy: policy, sink: sink, ledger: ledger, rejects: rejects, reporter: reporter
            ).run(files)
        }
        // Missing files fail before a store or broker is contacted.
        guard let ledger, files.contains(where: { !$0.isMissing }) else { return try await importing(NoSink(), nil) }
        let (patience, shares) = (try configuration[ImportSettings.patience], try configuration[ShareSettings.shares])
        if let address = try configuration[ImportSettings.store] {
            let store = try address.store(password: configuration[CommonSettings.storePassword]?.exposed)
            let summary = try await importing(StoreSink(store, patience: patience), ledger)
            await ImportAudit(summary).tell(store)
            await store.close()
            return summary
        }
        return try await BusSession(configuration).run { requester in
            let summary = try await importing(BusSink(requester, patience: patience, shares: shares), ledger)
            await ImportAudit(summary).tell(requester)
            return summary
        }
    }

    private func rejectFile() throws -> RejectFile? {
        guard let path = try configuration[ImportSettings.rejects] else { return nil }
        // The run must not read its own output.
        let isInput = operands.contains { URL(filePath: $0).resolvingSymlinksInPath() == URL(filePath: path).resolvingSymlinksInPath() }
        if isInput { throw CommandError(.usage, "--rejects \(path) is one of the files to import: give it another name") }
        return try RejectFile(path: path)
    }

    private func policy() throws -> Importer.Policy {
        var policy = Importer.Policy()
        policy.again = try configuration[ImportSettings.again]
        policy.parallel = try configuration[ImportSettings.parallel]
        policy.limit = try configuration[ImportSettings.maximumErrors].flatMap(RejectLimit.init)
        return policy
    }

    /// Turns failures into the exit code.
    private func check(_ summary: ImportSummary) throws {
        if summary.failures.contains(where: { $0.code == .tooManyRejects }) {
            throw CommandError(.tooManyRefused, "stopped: too many cells were refused")
        }
        if summary.failures.contains(where: { $0.code == .ambiguous }), summary.failures.allSatisfy({ $0.code == .ambiguous }) {
            throw CommandError(
                .ambiguous, "\(summary.failures.count) of \(operandsText(summary)) can be read in more than one way and were not imported")
        }
        if !summary.failures.isEmpty {
            throw CommandError(.someFailed, "\(summary.failures.count) of \(operandsText(summary)) could not be imported")
        }
        let words = Refusals(summary, rejects: try configuration[ImportSettings.rejects]).words
        if !words.isEmpty { throw CommandError(.someRefused, words) }
    }

    private func operandsText(_ summary: ImportSummary) -> String {
        "\(summary.failures.count + summary.imported + summary.known) files"
    }
}

/// The messages about cells that were not imported.
struct Refusals {
    let words: String

    /// - Parameter rejects: the file of cells that were refused while reading. Cells that the store refused later are
    ///   in no file, because their row is gone.
    init(_ summary: ImportSummary, rejects: String?) {
        var parts: [String] = []
        if summary.account.rejected > 0 {
            let place = rejects.map { "they are in \($0)" } ?? "--rejects FILE shows each"
            parts.append("\(summary.account.rejected) cells were refused; \(place)")
        }
        if summary.counts.refused > 0 {
            let reasons = summary.counts.reasons.joined(separator: "; ")
            parts.append(
                "the timeline refused \(summary.counts.refused) readings, which are in no file: \(reasons.isEmpty ? "it did not say why" : reasons)"
            )
        }
        if summary.replaced > 0 {
            parts.append(
                "\(summary.replaced) readings took the place of others, of a sensor that may be another: see above how to bring those back")
        }
        words = parts.joined(separator: "; ")
    }
}

/// The profiles that are tried.
struct ProfileChoice {
    private let chosen: String?

    init(_ configuration: Configuration) throws(ConfigurationError) {
        chosen = try configuration[ImportSettings.profile]
    }

    /// A surveyor with the chosen profile, else the built-in ones.
    func surveyor(_ options: ImportOptions) throws -> Surveyor {
        try BuiltIn.check()
        guard let chosen else { return Surveyor(options: options) }
        if let builtIn = BuiltIn.profiles.first(where: { $0.name == chosen }) { return Surveyor(chosen: builtIn, options: options) }
        guard FileManager.default.fileExists(atPath: chosen) else {
            let names = BuiltIn.profiles.map(\.name).joined(separator: ", ")
            throw ImportError(.usage, "\(chosen) is neither a profile's file nor a built-in profile (\(names))")
        }
        return Surveyor(chosen: try ProfileFile.read(path: chosen), options: options)
    }
}

/// A bus connection for one command.
struct BusSession {
    private let broker: BrokerConfiguration

    init(_ configuration: Configuration) throws(ConfigurationError) {
        broker = try BrokerConfiguration(configuration, clientID: "vigil-import-\(ProcessInfo.processInfo.processIdentifier)")
    }

    /// Runs the body with a connection for requests and answers, and closes it afterwards.
    func run<Result: Sendable>(_ body: @escaping @Sendable (Requester) async throws -> Result) async throws -> Result {
        let requester = Requester(broker: broker, responsePrefix: "vigil/v1/responses/\(broker.username ?? "import")/\(broker.clientID)")
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                try await requester.run()
                return nil
            }
            group.addTask { try await body(requester) }
            defer { group.cancelAll() }
            // The connection ends only by a failure, which throws, or on request.
            while let ended = try await group.next() {
                guard let result = ended else { continue }
                requester.drain()
                return result
            }
            throw CancellationError()
        }
    }
}
