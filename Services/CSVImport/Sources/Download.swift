import Foundation
import HTTPClient

/// Fetches URLs into files, going on where an earlier attempt was cut off.
struct Download: Sendable {
    let folder: String
    /// A Boolean value that indicates whether a URL was imported before and need not be fetched again.
    let isKnown: @Sendable (String) async throws -> Bool
    /// Says what is being fetched.
    let report: @Sendable (String) -> Void
    /// Is told how far a URL's fetching is; called on the transfer's thread.
    let progress: @Sendable (String, HTTPProgress) -> Void
    private let client = HTTPClient()
    private let clock: any Clock<Duration>

    /// The number of times that a transfer which was cut off is gone on with in one run.
    private static let attempts = 4
    /// The longest series of `1.csv`, `2.csv`, …: some servers answer everything.
    private static let longestSeries = 1000

    init(
        folder: String, isKnown: @escaping @Sendable (String) async throws -> Bool, report: @escaping @Sendable (String) -> Void,
        progress: @escaping @Sendable (String, HTTPProgress) -> Void = { _, _ in }, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.folder = folder
        self.isKnown = isKnown
        self.report = report
        self.progress = progress
        self.clock = clock
    }

    /// The files of a URL; of one that ends in `/`: `1.csv`, `2.csv`, … until one is missing. What cannot be fetched is among them, and says so
    /// when it is opened.
    func files(_ url: String) async throws -> [ImportFile] {
        guard url.hasSuffix("/") else { return try await attempt(url).files }
        var files: [ImportFile] = []
        var before: ContentDigest?
        for number in 1...Download.longestSeries {
            let (found, failure) = try await attempt("\(url)\(number).csv")
            if number > 1, failure?.isMissing == true { return files }
            let digest = try? found.first.map(ContentDigest.init)
            if let before, before == digest {
                report("\(PublicURL.text(url))\(number).csv is \(number - 1).csv once more: taken for the end of the series")
                return files
            }
            before = digest
            files += found
            if failure != nil { return files }
        }
        report("\(PublicURL.text(url)): stopped after \(Download.longestSeries) files, as the server seems to answer everything")
        return files
    }

    /// The file behind a URL, or one that says why there is nothing.
    private func attempt(_ url: String) async throws -> (files: [ImportFile], failure: TransferError?) {
        do {
            return (try await file(url), nil)
        } catch let error as TransferError {
            let name = PublicURL.text(url)
            return ([ImportFile(name: name, failure: ImportError(.source, "\(name): \(PublicURL.text(error.description))"))], error)
        }
    }

    private func file(_ url: String) async throws -> [ImportFile] {
        let name = PublicURL.text(url)
        if try await isKnown(name) {
            report("\(name): imported before; --again fetches it again")
            return []
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/\(ContentDigest.of(url).prefix(24))"
        // Whole, but not imported to its end: an earlier run was interrupted behind the download.
        if FileManager.default.fileExists(atPath: path) { return try SourceFinder.expand(path, name: name) }
        let part = path + ".part"
        report("fetching \(name)")
        try await fetch(url, to: part)
        try FileManager.default.moveItem(atPath: part, toPath: path)
        return try SourceFinder.expand(path, name: name)
    }

    /// The client verifies the length that the server has named: a cut-off answer throws, and what came is gone on with, now or by a later run.
    private func fetch(_ url: String, to path: String) async throws {
        var attempt = 1
        while let error = await failure(url, to: path) {
            guard error.isTransient, attempt < Download.attempts else { throw error }
            report("\(PublicURL.text(url)): \(PublicURL.text(error.description)); going on")
            try await clock.sleep(for: .seconds(attempt))
            attempt += 1
        }
    }

    private func failure(_ url: String, to path: String) async -> TransferError? {
        do {
            _ = try await client.download(url, to: path, resume: true) { progress(PublicURL.text(url), $0) }
            return nil
        } catch {
            return error
        }
    }
}

extension TransferError {
    /// The server does not have it.
    fileprivate var isMissing: Bool { code == .status(404) || code == .status(410) }
}
