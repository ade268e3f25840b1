import TextDecoding

/// Reads the tags of an XML document from bytes of any length in bounded memory, one after the other, with their places.
///
/// The document type is blanked before libexpat sees it: Apple's own, of iOS 16 and later, breaks XML's rules, and entities are not for exports.
/// Not to be copied: copies share the parser.
struct XMLTagReader {
    /// The next element of the input.
    enum Event: Hashable {
        /// `<name …>`, or the beginning of `<name …/>`.
        case start
        /// `</name>`, or the end of `<name …/>`.
        case end
        /// Nothing more.
        case finished
    }

    private static let longestTag = 16 << 20
    private static let longestPrologue = 1 << 20

    private var source: any ByteSource
    private let parser = XMLTagParser()
    private var buffer: [UInt8]
    private var filled = 0
    private var bufferOffset = 0
    /// Line breaks before the buffer.
    private var linesBefore = 0
    private var isLast = false
    private var hasBegun = false
    private var failure: ImportError?
    /// The present tag's place among the parser's.
    private var index = -1
    /// The offset of the end of the tag before.
    private var endBefore = 0

    init(_ source: any ByteSource, capacity: Int = 256 << 10) {
        self.source = source
        buffer = Array(repeating: 0, count: capacity)
    }

    private var tag: XMLTagParser.Tag? { parser.tags.indices.contains(index) ? parser.tags[index] : nil }
    private var place: Range<Int> {
        guard let tag else { return 0..<0 }
        return tag.offset - bufferOffset..<tag.offset - bufferOffset + tag.length
    }

    /// The number of bytes that come before the end of the present tag.
    var offset: Int { tag.map { $0.offset + $0.length } ?? bufferOffset + filled }
    /// The present tag's offset in the content.
    var tagOffset: Int { tag?.offset ?? bufferOffset }
    /// The line on which the present tag starts, from 1.
    var line: Int { 1 + linesBefore + buffer[0..<place.lowerBound].count { $0 == 0x0A } }
    /// The present tag as it stands.
    var text: String { String(decoding: buffer[place], as: UTF8.self) }

    /// The present tag's name without its prefix.
    var localName: Substring {
        let name = text.drop { $0 == "<" || $0 == "/" }.prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }
        return name.lastIndex(of: ":").map { name[name.index(after: $0)...] } ?? name
    }

    /// The text between the tag before and the present one, its references as they stand.
    var textBefore: String {
        let start = endBefore - bufferOffset, end = place.lowerBound
        return start >= 0 && start < end ? String(decoding: buffer[start..<end], as: UTF8.self) : ""
    }

    /// Returns whether the present tag has that name.
    func isNamed(_ name: StaticString) -> Bool { tag.map { parser.isNamed($0, name) } ?? false }

    /// An attribute's value, its references replaced; nil where the tag has none of that name.
    func attribute(_ name: StaticString) -> String? { tag.flatMap { parser.attribute($0, name) } }

    /// The offset of an attribute's value in the content.
    func offset(ofAttribute name: StaticString) -> Int? {
        var quote: UInt8?
        let wanted = Array("\(name)".utf8)
        for start in place {
            let byte = buffer[start]
            if let open = quote {
                if byte == open { quote = nil }
                continue
            }
            if byte == 0x22 || byte == 0x27 { quote = byte }
            guard start > place.lowerBound, XMLTagReader.isSpace(buffer[start - 1]), buffer[start..<place.upperBound].starts(with: wanted)
            else { continue }
            let value = buffer[start + wanted.count..<place.upperBound].drop { XMLTagReader.isSpace($0) || $0 == 0x3D }
            if value.startIndex > start + wanted.count { return bufferOffset + value.startIndex + 1 }
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    /// Moves to the next tag.
    mutating func next() throws(ImportError) -> Event {
        endBefore = offset
        while index + 1 >= parser.tags.count {
            if let failure { throw failure }
            guard !isLast else { return .finished }
            try readMore()
        }
        index += 1
        return parser.tags[index].isEnd ? .end : .start
    }

    /// Lets the parser have what comes next, and keeps what a tag may still begin with.
    private mutating func readMore() throws(ImportError) {
        if let last = parser.tags.last { forget(to: last.offset + last.length - bufferOffset) }
        guard filled < XMLTagReader.longestTag else { throw malformed("a tag is longer than \(XMLTagReader.longestTag) bytes") }
        var start = filled
        try fill()
        if !hasBegun {
            start = 0
            try blankDocumentType()
        }
        index = -1
        if let words = parser.parse(&buffer, start..<filled, isLast: isLast) { failure = malformed(words) }
    }

    /// Moves what stands from a place on to the front.
    private mutating func forget(to place: Int) {
        linesBefore += buffer[0..<place].count { $0 == 0x0A }
        bufferOffset += place
        for index in place..<filled { buffer[index - place] = buffer[index] }
        filled -= place
    }

    private mutating func fill() throws(ImportError) {
        if filled * 2 > buffer.count { buffer.append(contentsOf: repeatElement(0, count: buffer.count)) }
        let read = try source.read(into: &buffer, at: filled, limit: buffer.count - filled)
        isLast = read == 0
        filled += read
    }

    private mutating func blankDocumentType() throws(ImportError) {
        var prologue = XMLPrologue(buffer[0..<filled])
        while !prologue.isWhole, !isLast {
            guard filled < XMLTagReader.longestPrologue else { throw malformed("no element begins in its first megabyte") }
            try fill()
            prologue = XMLPrologue(buffer[0..<filled])
        }
        for index in prologue.documentType where buffer[index] != 0x0A { buffer[index] = 0x20 }
        hasBegun = true
    }

    private func malformed(_ what: String) -> ImportError { ImportError(.format, "the XML is not well-formed: \(what)") }
}

/// The start of an XML document, before its first element.
struct XMLPrologue {
    /// The place of the document type; empty where there is none.
    private(set) var documentType = 0..<0
    /// A Boolean value that indicates whether the first element begins behind it.
    private(set) var isWhole = false

    init(_ bytes: ArraySlice<UInt8>) {
        var place = bytes.startIndex
        while let open = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
            let rest = bytes[open...]
            // What begins here can only be told with some bytes behind it.
            guard rest.count >= 9 else { return }
            let end: Int?
            if rest.starts(with: "<?".utf8) {
                end = XMLPrologue.end(of: "?>", in: rest)
            } else if rest.starts(with: "<!--".utf8) {
                end = XMLPrologue.end(of: "-->", in: rest.dropFirst(4))
            } else if rest.starts(with: "<!DOCTYPE".utf8) {
                end = XMLPrologue.endOfType(rest.dropFirst(9))
                if let end { documentType = open..<end }
            } else {
                isWhole = true
                return
            }
            guard let end else { return }
            place = end
        }
    }

    /// The place behind the next of these characters.
    private static func end(of text: StaticString, in bytes: ArraySlice<UInt8>) -> Int? {
        let wanted = Array("\(text)".utf8)
        return bytes.indices.first { bytes[$0...].starts(with: wanted) }.map { $0 + wanted.count }
    }

    /// The place behind a document type: its `>`, or `]` and `>` where it declares things itself. These are not looked at: Apple's lack some `>`.
    private static func endOfType(_ bytes: ArraySlice<UInt8>) -> Int? {
        var quote: UInt8?
        for index in bytes.indices {
            switch bytes[index] {
            case let byte where quote != nil: if byte == quote { quote = nil }
            case 0x22, 0x27: quote = bytes[index]
            case UInt8(ascii: ">"): return index + 1
            case UInt8(ascii: "["): return endOfDeclarations(bytes[(index + 1)...])
            default: break
            }
        }
        return nil
    }

    private static func endOfDeclarations(_ bytes: ArraySlice<UInt8>) -> Int? {
        var rest = bytes
        while let next = rest.firstIndex(where: { $0 == UInt8(ascii: "]") || $0 == UInt8(ascii: "<") }) {
            if bytes[next...].starts(with: "<!--".utf8) {
                guard let end = end(of: "-->", in: bytes[next...].dropFirst(4)) else { return nil }
                rest = bytes[end...]
                continue
            }
            rest = bytes[(next + 1)...]
            guard bytes[next] == UInt8(ascii: "]") else { continue }
            let close = rest.drop { $0 <= 0x20 }
            if close.first == UInt8(ascii: ">") { return close.startIndex + 1 }
        }
        return nil
    }
}
