import Compression
import Foundation
import Observability

/// Finds the files that the command line names, except URLs.
package struct SourceFinder: Sendable {
    /// Patterns with `*` and `?`, one of which must match the name of a file in a folder.
    private let patterns: [String]
    /// Receives what was skipped.
    private let report: @Sendable (String) -> Void

    /// The default patterns for folders.
    package static let usualPatterns = [
        "*.csv", "*.tsv", "*.json", "*.ndjson", "*.jsonl", "*.xml", "*.tcx", "*.gpx", "*.fit", "*.gz", "*.bz2", "*.xz", "*.zst", "*.zip",
        "*.tar", "*.tgz", "*.7z",
    ]

    /// - Parameter patterns: names with `*` and `?`, case-insensitive.
    package init(patterns: [String] = SourceFinder.usualPatterns, report: @escaping @Sendable (String) -> Void = { _ in }) {
        self.patterns = patterns
        self.report = report
    }

    /// The files of a path: the file itself, an archive's members, or the matching files of a folder and its
    /// subfolders, by path.
    ///
    /// Includes unreadable files of a folder, which fail when they are opened.
    package func files(_ path: String) throws(ImportError) -> [ImportFile] {
        guard let kind = FileKind(path) else { throw ImportError(.source, "there is no \(path)") }
        switch kind {
        case .file: return try SourceFinder.expand(path)
        case .other(let what): throw ImportError(.source, "\(path) is \(what), not a file: `vigil-import - < \(path)` reads it to its end")
        case .folder: break
        }
        var walk = FolderWalk()
        walk.enter(path)
        var found: [ImportFile] = walk.failures
        let files = walk.paths.filter { path in patterns.contains { Wildcard.fits(SourceFinder.lastComponent(path), $0) } }
        for file in files.sorted(by: { $0.compare($1, options: .numeric) == .orderedAscending }) {
            do throws(ImportError) {
                found += try SourceFinder.expand(file)
            } catch {
                found.append(ImportFile(name: file, failure: error))
            }
        }
        guard !found.isEmpty else {
            throw ImportError(.source, "the folder \(path) has no file that fits \(patterns.joined(separator: ", "))")
        }
        tell(path, walk, passedOver: walk.paths.filter { !files.contains($0) })
        return found
    }

    private func tell(_ path: String, _ walk: FolderWalk, passedOver: [String]) {
        guard !passedOver.isEmpty || !walk.skipped.isEmpty else { return }
        let names = (passedOver.map(SourceFinder.lastComponent) + walk.skipped).sorted()
        let some = names.prefix(5).map(\.printable).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
        report("\(path): \(names.count) other file\(names.count == 1 ? "" : "s") passed over (\(some)); --pattern says which are taken")
    }

    private static func lastComponent(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

    /// A file, unpacked if its first bytes show an archive.
    /// - Parameter name: the displayed name, if not the path.
    package static func expand(_ path: String, name: String? = nil) throws(ImportError) -> [ImportFile] {
        let name = name ?? path
        var source = try FileSource(path: path)
        let size = source.size
        switch Archive.packing(try source.readStart(512)) {
        case nil: return [ImportFile(name: name, size: size) { () throws(ImportError) in try FileSource(path: path) }]
        case .archive: return try Archive(path: path, size: size).files(name: name)
        case .gzip:
            if Archive.holdsArchive(try InflatingSource(FileSource(path: path), name: name)) {
                return try Archive(path: path, size: size).files(name: name)
            }
            return [
                ImportFile(name: name, size: unpackedSize(path, size)) { () throws(ImportError) in
                    LimitedSource(try InflatingSource(FileSource(path: path), name: name), packed: size, name: name)
                }
            ]
        case .packed:
            if Archive.holdsArchive(try ArchiveSource(path: path, name: name, skipping: 0, .packed)) {
                return try Archive(path: path, size: size).files(name: name)
            }
            return [
                ImportFile(name: name) { () throws(ImportError) in
                    LimitedSource(try ArchiveSource(path: path, name: name, skipping: 0, .packed), packed: size, name: name)
                }
            ]
        }
    }

    /// The length of the content according to the end of a gzip file: right for one member below 4 GiB, used for
    /// progress only.
    private static func unpackedSize(_ path: String, _ size: Int) -> Int? {
        guard size >= 18, var end = try? FileSource(path: path, range: size - 4..<size), let bytes = try? end.readStart(4) else {
            return nil
        }
        let length = bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
        return length >= size / 2 ? length : nil
    }
}

/// The kind of a path's target, with links followed.
enum FileKind: Hashable {
    case file
    case folder
    /// In words, with the article.
    case other(String)

    /// Nil if nothing is there, or if links lead in a circle.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFDIR: self = .folder
        case S_IFIFO: self = .other("a pipe")
        case S_IFSOCK: self = .other("a socket")
        default: self = .other("a device")
        }
    }

    /// Returns whether the path itself is a link.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
}

/// All files below a folder. Links to folders are not followed, which avoids circles; hidden files are left out.
private struct FolderWalk {
    var paths: [String] = []
    /// Names of entries that are neither files nor folders.
    var skipped: [String] = []
    /// The folders and archives that could not be opened.
    var failures: [ImportFile] = []

    mutating func enter(_ folder: String) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            failures.append(ImportFile(name: folder, failure: ImportError(.source, "the folder \(folder) cannot be read")))
            return
        }
        for name in names.sorted() where !name.hasPrefix(".") {
            let path = (folder as NSString).appendingPathComponent(name)
            switch FileKind(path) {
            case .file: paths.append(path)
            case .folder where !FileKind.isLink(path): enter(path)
            case .folder, .other: skipped.append(name)
            case nil:
                failures.append(
                    ImportFile(name: path, failure: ImportError(.source, "\(path) is a link that leads nowhere, or in a circle")))
            }
        }
    }
}

/// Patterns with `*` (any characters) and `?` (any one), case-insensitive.
enum Wildcard {
    /// Returns whether the name matches. Only the last star is retried, so no pattern takes long.
    static func fits(_ name: String, _ pattern: String) -> Bool {
        let name = Array(name.lowercased()), pattern = Array(pattern.lowercased())
        var place = 0, next = 0
        var star: (pattern: Int, name: Int)?
        while place < name.count {
            if next < pattern.count, pattern[next] == "*" {
                star = (next, place)
                next += 1
            } else if next < pattern.count, pattern[next] == "?" || pattern[next] == name[place] {
                (place, next) = (place + 1, next + 1)
            } else if let known = star {
                star = (known.pattern, known.name + 1)
                (place, next) = (known.name + 1, known.pattern + 1)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == "*" }
    }
}
