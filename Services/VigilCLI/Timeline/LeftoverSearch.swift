package import Foundation

/// Searches files for words that should be nowhere any more, byte by byte, whatever their format is.
package struct LeftoverSearch {
    /// The finding.
    package struct Findings: Hashable, Sendable {
        /// The files that hold one of the words, sorted.
        package var places: [String] = []
        /// Those that could not be read.
        package var unreadable: [String] = []
        /// The number of files that were read.
        package var searched = 0
    }

    private static let piece = 1 << 20

    private let words: [[UInt8]]

    /// - Parameter words: names; each is found where it stands by itself, not within a longer name.
    package init(words: [String]) { self.words = words.map { Array($0.utf8) }.filter { !$0.isEmpty } }

    /// Reads every file below some folders.
    package func files(below folders: [String]) -> Findings {
        folders.map { files(below: URL(filePath: $0)) }.reduce(into: Findings()) { all, found in
            all.places += found.places
            all.unreadable += found.unreadable
            all.searched += found.searched
        }
    }

    /// Reads every file below a folder.
    package func files(below folder: URL) -> Findings {
        var findings = Findings()
        let files = FileManager.default.enumerator(atPath: folder.path)
        for case let path as String in files ?? .init() {
            let file = folder.appending(path: path)
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue else { continue }
            let name = file.lastPathComponent
            if words.contains(where: { holds(Array(name.utf8), $0) }) { findings.places.append(file.path) }
            guard let handle = FileHandle(forReadingAtPath: file.path) else {
                findings.unreadable.append(file.path)
                continue
            }
            findings.searched += 1
            if isNamed(in: handle), findings.places.last != file.path { findings.places.append(file.path) }
            try? handle.close()
        }
        findings.places.sort()
        return findings
    }

    /// Returns those of some files that hold one of the words, in their name or content.
    func places(among files: [String]) -> [String] {
        files.filter { path in
            guard let handle = FileHandle(forReadingAtPath: path) else { return FileManager.default.fileExists(atPath: path) }
            defer { try? handle.close() }
            let name = Array(URL(filePath: path).lastPathComponent.utf8)
            return words.contains { holds(name, $0) } || isNamed(in: handle)
        }
    }

    /// Overwrites the words in a file by asterisks, byte for byte, and leaves everything else where it is.
    /// - Returns: how many there were.
    func overwrite(_ path: String) throws -> Int {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? handle.close() }
        var count = 0
        for word in words {
            for place in places(of: word, in: bytes) {
                try handle.seek(toOffset: UInt64(place))
                try handle.write(contentsOf: Data(repeating: UInt8(ascii: "*"), count: word.count))
                count += 1
            }
        }
        return count
    }

    /// Tells whether one of the words stands in a text.
    func isNamed(in text: Substring) -> Bool {
        let bytes = Array(text.utf8)
        return words.contains { holds(bytes, $0) }
    }

    private func isNamed(in handle: FileHandle) -> Bool {
        let longest = (words.map(\.count).max() ?? 0) + 2
        var rest: [UInt8] = []
        while let data = try? handle.read(upToCount: Self.piece), !data.isEmpty {
            let bytes = rest + data
            if words.contains(where: { holds(bytes, $0) }) { return true }
            // A word may lie across two pieces.
            rest = Array(bytes.suffix(longest))
        }
        return false
    }

    private func holds(_ bytes: [UInt8], _ word: [UInt8]) -> Bool { firstPlace(of: word, in: bytes, from: 0) != nil }

    private func places(of word: [UInt8], in bytes: [UInt8]) -> [Int] {
        var places: [Int] = []
        while let place = firstPlace(of: word, in: bytes, from: (places.last ?? -1) + 1) { places.append(place) }
        return places
    }

    private func firstPlace(of word: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard let first = word.first, bytes.count >= word.count else { return nil }
        var start = start
        while start < bytes.count, let place = bytes[start...].firstIndex(of: first), place + word.count <= bytes.count {
            if bytes[place..<place + word.count].elementsEqual(word),
                !(place > 0 && isName(bytes[place - 1])), !(place + word.count < bytes.count && isName(bytes[place + word.count]))
            {
                return place
            }
            start = place + 1
        }
        return nil
    }

    private func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: byte == UInt8(ascii: "_")
        }
    }
}
