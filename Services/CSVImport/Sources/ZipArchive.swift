import Compression

/// The directory of a ZIP archive, archives above 4 GiB included.
///
/// Source: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 and 4.5. Encrypted members and methods other than stored and deflated are
/// refused by name when they are opened.
struct ZipArchive {
    /// One file in the archive.
    struct Member: Hashable, Sendable {
        let name: String
        /// 0 stored, 8 deflated.
        let method: Int
        let isEncrypted: Bool
        let compressedSize: Int
        let size: Int
        /// Where its local header stands.
        let offset: Int
    }

    /// The directory may lie this far before the end: a comment has at most 65,535 bytes.
    private static let longestTail = 65_557
    private static let largestDirectory = 64 << 20

    let path: String
    /// Its files, without its folders, in the directory's order.
    let members: [Member]

    /// Reads the directory.
    /// - Parameter size: the archive's, in bytes.
    init(path: String, size: Int) throws(ImportError) {
        self.path = path
        let tailStart = max(0, size - ZipArchive.longestTail)
        let tail = ZipBytes(try ZipArchive.bytes(path, tailStart..<size))
        guard let end = tail.lastRecord(0x0605_4B50, length: 22) else { throw ZipArchive.damaged(path) }
        var (count, length, start) = (tail.number(end + 10, 2), tail.number(end + 12, 4), tail.number(end + 16, 4))
        if count == 0xFFFF || length == 0xFFFF_FFFF || start == 0xFFFF_FFFF {
            guard end >= 20, tail.number(end - 20, 4) == 0x0706_4B50 else { throw ZipArchive.damaged(path) }
            let place = tail.number(end - 12, 8)
            guard place >= 0, place <= size - 56 else { throw ZipArchive.damaged(path) }
            let large = ZipBytes(try ZipArchive.bytes(path, place..<place + 56))
            (count, length, start) = (large.number(32, 8), large.number(40, 8), large.number(48, 8))
        }
        guard start >= 0, length >= 0, length <= ZipArchive.largestDirectory, start <= size - length else { throw ZipArchive.damaged(path) }
        let directory = ZipBytes(try ZipArchive.bytes(path, start..<start + length))
        members = try ZipArchive.members(directory, count: count, path)
    }

    /// Opens a member at its start.
    func open(_ member: Member) throws(ImportError) -> any ByteSource {
        let name = "\(path)!\(member.name)"
        guard !member.isEncrypted else { throw ImportError(.source, "\(name) is encrypted") }
        let header = ZipBytes(try ZipArchive.bytes(path, member.offset..<member.offset + 30))
        guard header.number(0, 4) == 0x0403_4B50 else { throw ZipArchive.damaged(path) }
        let start = member.offset + 30 + header.number(26, 2) + header.number(28, 2)
        let source = try FileSource(path: path, range: start..<start + member.compressedSize)
        switch member.method {
        case 0: return source
        case 8: return try InflatingSource(source, .none, name: name)
        default: throw ImportError(.source, "\(name) is packed by a method (\(member.method)) that is not read")
        }
    }

    private static func members(_ directory: ZipBytes, count: Int, _ path: String) throws(ImportError) -> [Member] {
        var members: [Member] = []
        var position = 0
        for _ in 0..<count {
            guard position + 46 <= directory.bytes.count, directory.number(position, 4) == 0x0201_4B50 else { throw damaged(path) }
            let nameLength = directory.number(position + 28, 2), extraLength = directory.number(position + 30, 2)
            let next = position + 46 + nameLength + extraLength + directory.number(position + 32, 2)
            guard next <= directory.bytes.count else { throw damaged(path) }
            let member = member(directory, position, nameLength: nameLength, extraLength: extraLength)
            if !member.name.hasSuffix("/") { members.append(member) }
            position = next
        }
        return members
    }

    private static func member(_ directory: ZipBytes, _ position: Int, nameLength: Int, extraLength: Int) -> Member {
        var sizes = [directory.number(position + 24, 4), directory.number(position + 20, 4), directory.number(position + 42, 4)]
        let nameStart = position + 46
        // What does not fit into four bytes stands in the extra field 1, in this order.
        var large = directory.extra(1, nameStart + nameLength..<nameStart + nameLength + extraLength)
        for index in sizes.indices where sizes[index] == 0xFFFF_FFFF && large.count >= 8 {
            sizes[index] = directory.number(large.lowerBound, 8)
            large = large.dropFirst(8)
        }
        return Member(
            name: String(decoding: directory.bytes[nameStart..<nameStart + nameLength], as: UTF8.self),
            method: directory.number(position + 10, 2), isEncrypted: directory.number(position + 8, 2) & 1 == 1, compressedSize: sizes[1],
            size: sizes[0], offset: sizes[2])
    }

    private static func bytes(_ path: String, _ range: Range<Int>) throws(ImportError) -> [UInt8] {
        var source = try FileSource(path: path, range: range)
        let bytes = try source.readStart(range.count)
        guard bytes.count == range.count else { throw damaged(path) }
        return bytes
    }

    private static func damaged(_ path: String) -> ImportError { ImportError(.source, "\(path) is no ZIP archive, or is cut off") }
}

/// Bytes of a ZIP archive's structures, whose numbers are little-endian.
struct ZipBytes {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The number of that many bytes; those past the end count as 0.
    func number(_ offset: Int, _ length: Int) -> Int {
        var value: UInt64 = 0
        for index in 0..<length where offset + index < bytes.count { value |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
        return Int(truncatingIfNeeded: value)
    }

    /// The place of the last record that starts with the signature and has at least that length.
    func lastRecord(_ signature: Int, length: Int) -> Int? {
        var place = bytes.count - length
        while place >= 0 {
            if number(place, 4) == signature { return place }
            place -= 1
        }
        return nil
    }

    /// Where the extra field of that kind has its content; empty where there is none.
    func extra(_ kind: Int, _ range: Range<Int>) -> Range<Int> {
        var position = range.lowerBound
        while position + 4 <= range.upperBound {
            let length = number(position + 2, 2)
            let content = position + 4..<min(position + 4 + length, range.upperBound)
            if number(position, 2) == kind { return content }
            position = content.upperBound
        }
        return range.upperBound..<range.upperBound
    }
}
