import Compression

/// A file in which others are packed, by its first bytes, and what it takes to get at them.
///
/// Archives are what strangers send: their names are never written to, what they declare is never believed, and what they unpack to is bounded.
struct Archive {
    /// The way a file is packed.
    enum Packing: Hashable {
        /// Files with names: ZIP, tar (packed or not), 7z.
        case archive
        /// One file, packed by gzip.
        case gzip
        /// One file, packed by bzip2, xz or zstd.
        case packed
    }

    /// Unpacked, a file may have this many times the bytes that it has packed, or `freeBytes`: text shrinks to a tenth, bombs to a thousandth.
    static let largestGrowth = 300
    static let freeBytes = 1 << 30
    private static let mostMembers = 50_000

    let path: String
    /// The length of the archive itself.
    let size: Int

    /// The way a file that starts so is packed; nil for a plain one.
    /// - Parameter start: its first 512 bytes.
    static func packing(_ start: [UInt8]) -> Packing? {
        if start.starts(with: [0x1F, 0x8B]) { return .gzip }
        if start.starts(with: [0x50, 0x4B, 0x03, 0x04]) || start.starts(with: [0x50, 0x4B, 0x05, 0x06])
            || start.starts(with: [0x50, 0x4B, 0x07, 0x08]) || start.starts(with: [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C])
        {
            return .archive
        }
        if start.starts(with: Array("BZh".utf8)) || start.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A])
            || start.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
        {
            return .packed
        }
        return start.count >= 262 && start[257..<262].elementsEqual("ustar".utf8) ? .archive : nil
    }

    /// Returns whether a packed file holds a tar archive.
    static func holdsArchive(_ source: some ByteSource) -> Bool {
        var source = source
        return (try? source.readStart(512)).map { packing($0) == .archive } ?? false
    }

    /// The archive's files that can be imported.
    /// - Parameter name: what people know the archive by.
    func files(name: String) throws(ImportError) -> [ImportFile] {
        var files: [ImportFile] = []
        var others: [String] = []
        let members = try members(name)
        if let words = Archive.office(members.map(\.name)) { throw ImportError(.format, "\(name) \(words)") }
        for (index, member) in members.enumerated() where member.isFile {
            guard Archive.isImportable(member.name) else {
                others.append(member.name)
                continue
            }
            let label = "\(name)!\(member.name)"
            files.append(
                ImportFile(name: label, size: member.size.flatMap { (0...1 << 50).contains($0) ? $0 : nil }) { () throws(ImportError) in
                    guard !member.isEncrypted else {
                        throw ImportError(.source, "\(label) is encrypted: unpack it, and import what was in it")
                    }
                    return LimitedSource(
                        try ArchiveSource(path: path, name: label, skipping: index), packed: size, name: label)
                })
        }
        guard !files.isEmpty else {
            let what = others.isEmpty ? "no file at all" : "no file that can be imported, only \(others.prefix(5).joined(separator: ", "))"
            throw ImportError(.source, "\(name) holds \(what)\(others.count > 5 ? " and \(others.count - 5) more" : "")")
        }
        return files
    }

    /// The words to refuse an office program's file, which is an archive of its own: nobody wants a refusal of each of its parts.
    private static func office(_ names: [String]) -> String? {
        if names.contains("xl/workbook.xml") || names.contains("xl/workbook.bin") {
            return "is an Excel workbook: open it, and save each sheet with measurements as CSV"
        }
        if names.contains("word/document.xml") { return "is a Word document: save its table as CSV" }
        if names.contains("mimetype"), names.contains("content.xml") {
            return "is an OpenDocument file: open it, and save its sheet as CSV"
        }
        if names.contains("Index/Document.iwa") { return "is a Numbers or Pages document: export it as CSV" }
        return nil
    }

    private func members(_ name: String) throws(ImportError) -> [ArchiveReader.Entry] {
        // A ZIP archive of nothing is its end alone, which libarchive takes for damage.
        var start = try FileSource(path: path)
        if try start.readStart(4) == [0x50, 0x4B, 0x05, 0x06], size <= 22 + 65_535 { return [] }
        do throws(ArchiveError) {
            let reader = try ArchiveReader(path: path)
            var members: [ArchiveReader.Entry] = []
            while members.count <= Archive.mostMembers, let member = try reader.next() { members.append(member) }
            if members.count <= Archive.mostMembers { return members }
        } catch {
            throw ImportError(.source, "\(name) is no archive that can be read, or is cut off: \(error)")
        }
        throw ImportError(.source, "\(name) has more than \(Archive.mostMembers) members: unpack it, and import the folder")
    }

    /// Apple Health's archive also has `export_cda.xml`, the same once more in another form, and Empatica's an `info.txt` for people.
    private static func isImportable(_ path: String) -> Bool {
        let name = (path.split(separator: "/").last ?? "").lowercased()
        guard !name.hasPrefix("."), !path.hasPrefix("__MACOSX"), name != "info.txt", !name.contains("_cda.xml") else { return false }
        return [".csv", ".tsv", ".txt", ".xml", ".tcx", ".gpx", ".fit", ".json", ".ndjson", ".jsonl"].contains { name.hasSuffix($0) }
    }
}

/// One member of an archive, unpacked as it is read; its checksum is verified at its end.
final class ArchiveSource: ByteSource {
    private let reader: ArchiveReader
    private let name: String

    /// - Parameter index: how many members stand before it.
    init(path: String, name: String, skipping index: Int, _ form: ArchiveReader.Form = .archive) throws(ImportError) {
        self.name = name
        do throws(ArchiveError) {
            reader = try ArchiveReader(path: path, form)
            for _ in 0...index where try reader.next() == nil { break }
        } catch {
            throw ImportError(.source, "cannot unpack \(name): \(error)")
        }
    }

    func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        do throws(ArchiveError) {
            return try reader.read(into: &buffer, at: offset, limit: limit)
        } catch {
            throw ImportError(.source, "cannot unpack \(name): \(error)")
        }
    }
}

/// Stops what unpacks to more than any measurements do.
struct LimitedSource: ByteSource {
    private var source: any ByteSource
    private var left: Int
    private let packed: Int
    private let name: String

    /// - Parameter packed: the packed length in bytes.
    init(_ source: any ByteSource, packed: Int, name: String) {
        self.source = source
        self.packed = packed
        self.name = name
        left = max(Archive.freeBytes, packed > Int.max / Archive.largestGrowth ? Int.max : packed * Archive.largestGrowth)
    }

    mutating func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        let count = try source.read(into: &buffer, at: offset, limit: limit)
        left -= count
        guard left >= 0 else {
            throw ImportError(
                .source,
                "\(name) unpacks to more than \(Archive.largestGrowth) times its \(packed) bytes, as a zip bomb does: not read further")
        }
        return count
    }
}

/// The content of gzip data, one member or several, their checksums verified.
final class InflatingSource: ByteSource {
    private var source: any ByteSource
    private let inflater: Inflater
    private let name: String
    private var input = [UInt8](repeating: 0, count: 64 << 10)
    private var used = 0
    private var filled = 0
    private var memberHasEnded = false

    /// - Parameter name: for messages.
    init(_ source: any ByteSource, name: String) throws(ImportError) {
        self.source = source
        self.name = name
        do {
            inflater = try Inflater(.gzip)
        } catch {
            throw ImportError(.source, "cannot unpack \(name): \(error)")
        }
    }

    func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        while true {
            if used == filled {
                used = 0
                filled = try source.read(into: &input, at: 0, limit: input.count)
                if filled == 0 {
                    guard memberHasEnded else { throw ImportError(.source, "\(name) ends in the middle of its compressed data") }
                    return 0
                }
            }
            if memberHasEnded {
                inflater.reset()
                memberHasEnded = false
            }
            let step = try unpack(into: &buffer, at: offset, limit: limit)
            used += step.used
            memberHasEnded = step.isAtEnd
            if step.written > 0 { return step.written }
        }
    }

    private func unpack(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Inflater.Step {
        do {
            return try inflater.step(&input, from: used, to: filled, into: &buffer, at: offset, limit: limit)
        } catch {
            throw ImportError(.source, "cannot unpack \(name): \(error)")
        }
    }
}
