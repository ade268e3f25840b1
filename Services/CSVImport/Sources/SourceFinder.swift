import Compression
import Foundation
import HTTPClient

/// Finds the files that the command line's words mean, except URLs.
package struct SourceFinder: Sendable {
    /// Which files of a folder are taken: names with `*` and `?`, one of which must fit.
    private let patterns: [String]

    /// What a folder is searched for unless the user says otherwise.
    package static let usualPatterns = ["*.csv", "*.csv.gz", "*.tsv", "*.zip", "export.xml"]

    /// - Parameter patterns: names with `*` and `?`, upper and lower case alike.
    package init(patterns: [String] = SourceFinder.usualPatterns) { self.patterns = patterns }

    /// The files that a path means: itself, an archive's members, or all that fits in a folder and its folders, by their paths.
    package func files(_ path: String) throws(ImportError) -> [ImportFile] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ImportError(.source, "there is no \(path)")
        }
        guard isFolder.boolValue else { return try SourceFinder.expand(path) }
        var found: [ImportFile] = []
        for file in folder(path) { found += try SourceFinder.expand(file) }
        guard !found.isEmpty else {
            throw ImportError(.source, "the folder \(path) has no file that fits \(patterns.joined(separator: ", "))")
        }
        return found
    }

    private func folder(_ path: String) -> [String] {
        guard let names = FileManager.default.enumerator(atPath: path) else { return [] }
        let files = names.compactMap { $0 as? String }.filter { name in
            let last = String(name.split(separator: "/").last ?? "")
            return !last.hasPrefix(".") && patterns.contains { Wildcard.fits(last, $0) }
        }
        return files.sorted { $0.compare($1, options: .numeric) == .orderedAscending }.map { (path as NSString).appendingPathComponent($0) }
    }

    /// A file, unpacked where it is packed: told by its first bytes, not by its name.
    /// - Parameter name: what people know it by, if not by its path.
    package static func expand(_ path: String, name: String? = nil) throws(ImportError) -> [ImportFile] {
        let name = name ?? path
        var source = try FileSource(path: path)
        let start = try source.readStart(4)
        if start.starts(with: [0x1F, 0x8B]) {
            return [
                ImportFile(name: name, size: unpackedSize(path)) { () throws(ImportError) in
                    try InflatingSource(FileSource(path: path), .gzip, name: name)
                }
            ]
        }
        if start == [0x50, 0x4B, 0x03, 0x04] { return try archive(path, name) }
        return [ImportFile(name: name, size: size(path)) { () throws(ImportError) in try FileSource(path: path) }]
    }

    private static func archive(_ path: String, _ name: String) throws(ImportError) -> [ImportFile] {
        let archive = try ZipArchive(path: path, size: size(path))
        let wanted = archive.members.filter { member in
            let last = member.name.split(separator: "/").last ?? ""
            return !last.hasPrefix(".") && !member.name.hasPrefix("__MACOSX") && isImportable(String(last))
        }
        return wanted.map { member in
            ImportFile(name: "\(name)!\(member.name)", size: member.size) { () throws(ImportError) in try archive.open(member) }
        }
    }

    /// Apple Health's archive also has `export_cda.xml`, the same once more in another form, and Empatica's an `info.txt` for people.
    private static func isImportable(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasSuffix(".csv") || name.hasSuffix(".tsv") || (name.hasSuffix(".txt") && name != "info.txt")
            || (name.hasSuffix(".xml") && !name.contains("_cda"))
    }

    /// What a gzip file's end says of its content's length: right for one member below 4 GiB, and used for progress only.
    private static func unpackedSize(_ path: String) -> Int? {
        let size = size(path)
        guard size >= 18, var end = try? FileSource(path: path, range: size - 4..<size), let bytes = try? end.readStart(4) else {
            return nil
        }
        let length = bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
        return length >= size / 2 ? length : nil
    }

    private static func size(_ path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
}

/// Names with `*` (any characters) and `?` (any one), upper and lower case alike.
enum Wildcard {
    /// Whether the name fits the pattern.
    static func fits(_ name: String, _ pattern: String) -> Bool {
        fits(Array(name.lowercased())[...], Array(pattern.lowercased())[...])
    }

    private static func fits(_ name: ArraySlice<Character>, _ pattern: ArraySlice<Character>) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        if first == "*" { return fits(name, pattern.dropFirst()) || (!name.isEmpty && fits(name.dropFirst(), pattern)) }
        guard let character = name.first, first == "?" || first == character else { return false }
        return fits(name.dropFirst(), pattern.dropFirst())
    }
}

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
