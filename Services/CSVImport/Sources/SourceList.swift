import Foundation
import HTTPClient

/// Finds and fetches everything that the command line's words mean.
struct SourceList: Sendable {
    let finder: SourceFinder
    /// The folder that downloads and standard input are kept in.
    let downloads: String
    /// A Boolean value that indicates whether a URL was imported before and need not be fetched again.
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
                files.append(ImportFile(name: PublicURL.text(word), failure: error))
            }
        }
        return files
    }

    private func files(_ word: String) async throws -> [ImportFile] {
        if word == "-" { return try keep(FileHandle.standardInput, as: "standard-input", name: "-") }
        let scheme = word.prefix { $0 != ":" }.lowercased()
        if scheme == "http" || scheme == "https", word.dropFirst(scheme.count).hasPrefix("://") {
            return try await Download(folder: downloads, isKnown: isKnown, report: report, progress: progress).files(word)
        }
        // A pipe that the shell has opened for us; one that somebody has yet to open for writing might never end.
        if word.hasPrefix("/dev/fd/"), case .other? = FileKind(word), let handle = FileHandle(forReadingAtPath: word) {
            return try keep(handle, as: "pipe-\(word.dropFirst(8).filter(\.isNumber))", name: word)
        }
        return try finder.files(word)
    }

    /// Keeps input that can be read only once in a file: it is read more than once, and again when an import is resumed.
    private func keep(_ input: FileHandle, as kept: String, name: String) throws(ImportError) -> [ImportFile] {
        let path = "\(downloads)/\(kept)"
        do {
            try FileManager.default.createDirectory(atPath: downloads, withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: path))
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            while let piece = try input.read(upToCount: 1 << 20), !piece.isEmpty { try file.write(contentsOf: piece) }
            try file.close()
        } catch {
            throw ImportError(.source, "cannot keep \(name == "-" ? "standard input" : name) in \(path): \(error.localizedDescription)")
        }
        return try SourceFinder.expand(path, name: name)
    }
}

/// URLs as they may be shown and remembered: without passwords, keys and tokens.
enum PublicURL {
    private static let secretNames = ["password", "passwd", "pwd", "token", "key", "secret", "signature", "sig", "code", "auth"]

    /// The URL with `***` in place of a password and of the values of telling parameters; other text as it is.
    static func text(_ url: String) -> String {
        guard let scheme = url.range(of: "://") else { return url }
        var rest = url[scheme.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        var result = url[..<scheme.upperBound]
        if let at = rest[..<end].lastIndex(of: "@") {
            let user = rest[..<at].prefix { $0 != ":" }
            result += user.count < rest[..<at].count ? "\(user):***@" : "\(user)@"
            rest = rest[rest.index(after: at)...]
        }
        guard let query = rest.firstIndex(of: "?") else { return String(result + rest) }
        let parameters = rest[rest.index(after: query)...].split(separator: "&", omittingEmptySubsequences: false).map {
            parameter -> Substring in
            let name = parameter.prefix { $0 != "=" }
            let isSecret = name.count < parameter.count && secretNames.contains { name.lowercased().hasSuffix($0) }
            return isSecret ? name + "=***" : parameter
        }
        return String(result + rest[...query]) + parameters.joined(separator: "&")
    }
}
