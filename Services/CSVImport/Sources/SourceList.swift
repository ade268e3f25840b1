import Foundation
import HTTPClient

/// Finds and fetches everything that the command line's words mean.
struct SourceList: Sendable {
    let finder: SourceFinder
    /// The folder that downloads and standard input are kept in.
    let downloads: String
    /// Whether a URL was imported before and need not be fetched again.
    let isKnown: @Sendable (String) async throws -> Bool
    /// Says what is being fetched.
    let report: @Sendable (String) -> Void
    /// Is told how far a URL's fetching is.
    let progress: @Sendable (String, HTTPProgress) -> Void

    /// The files, in the order of the words. What cannot be had is among them, and says so when it is opened: the others go on.
    func files(_ words: [String]) async throws -> [ImportFile] {
        var files: [ImportFile] = []
        for word in words {
            do {
                files += try await self.files(word)
            } catch let error as ImportError {
                files.append(ImportFile(name: word, failure: error))
            }
        }
        return files
    }

    private func files(_ word: String) async throws -> [ImportFile] {
        if word == "-" { return try standardInput() }
        guard word.hasPrefix("http://") || word.hasPrefix("https://") else { return try finder.files(word) }
        return try await Download(folder: downloads, isKnown: isKnown, report: report, progress: progress).files(word)
    }

    /// Standard input, kept in a file: it is read more than once, and again when an import is gone on with.
    private func standardInput() throws(ImportError) -> [ImportFile] {
        let path = "\(downloads)/standard-input"
        do {
            try FileManager.default.createDirectory(atPath: downloads, withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: path))
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            while let piece = try FileHandle.standardInput.read(upToCount: 1 << 20), !piece.isEmpty { try file.write(contentsOf: piece) }
            try file.close()
        } catch {
            throw ImportError(.source, "cannot keep standard input in \(path): \(error.localizedDescription)")
        }
        return try SourceFinder.expand(path, name: "-")
    }
}
