/// Reads the tags of an XML document from bytes of any length in bounded memory: a small pull parser.
///
/// Well-formedness is checked as far as tags go: names and attributes, quotes, matching ends are the caller's matter. Text between
/// tags, comments, processing instructions, CDATA sections and the document type with its internal subset are passed over.
/// Source: Extensible Markup Language 1.0, 5th edition.
struct XMLTagReader {
    /// The next element of the input.
    enum Event: Hashable {
        /// `<name …>`
        case start
        /// `<name …/>`
        case empty
        /// `</name>`
        case end
        /// Nothing more.
        case finished
    }

    private static let longestTag = 4 << 20
    private static let padding = 8

    private var source: any ByteSource
    private var buffer: [UInt8]
    private var filled = 0
    private var isLast = false
    private var position = 0
    private var bufferOffset = 0
    /// Line breaks before the buffer.
    private var linesBefore = 0

    /// The present tag, from its `<` to behind its `>`.
    private(set) var tag = 0..<0
    private var name = 0..<0
    private var attributes: [(name: Range<Int>, value: Range<Int>)] = []

    init(_ source: any ByteSource, capacity: Int = 256 << 10) {
        self.source = source
        buffer = Array(repeating: 0, count: capacity + XMLTagReader.padding)
    }

    /// The number of bytes that come before the end of the present tag.
    var offset: Int { bufferOffset + tag.upperBound }
    /// The present tag's offset in the content.
    var tagOffset: Int { bufferOffset + tag.lowerBound }
    /// The line on which the present tag starts, from 1.
    var line: Int { 1 + linesBefore + buffer[0..<tag.lowerBound].count { $0 == 0x0A } }
    /// The present tag as it stands.
    var text: String { String(decoding: buffer[tag], as: UTF8.self) }

    /// Returns whether the present tag has that name.
    func isNamed(_ other: StaticString) -> Bool { equals(name, other) }

    /// An attribute's value, its references replaced; nil where the tag has none of that name.
    func attribute(_ name: StaticString) -> String? {
        guard let value = attributes.first(where: { equals($0.name, name) })?.value else { return nil }
        return XMLText.unescaped(buffer[value])
    }

    /// The offset of an attribute's value in the content.
    func offset(ofAttribute name: StaticString) -> Int? {
        attributes.first { equals($0.name, name) }.map { bufferOffset + $0.value.lowerBound }
    }

    /// Moves to the next tag.
    mutating func next() throws(ImportError) -> Event {
        while true {
            guard try moveToTag() else { return .finished }
            if try skips("<!--", until: "-->") { continue }
            if try skips("<![CDATA[", until: "]]>") { continue }
            if try skips("<?", until: "?>") { continue }
            let end = try endOfTag()
            tag = position..<end
            position = end
            if buffer[tag.lowerBound + 1] == UInt8(ascii: "!") { continue }
            return try parse()
        }
    }

    private func equals(_ range: Range<Int>, _ name: StaticString) -> Bool {
        guard range.count == name.utf8CodeUnitCount else { return false }
        return name.withUTF8Buffer { bytes in
            for index in 0..<bytes.count where bytes[index] != buffer[range.lowerBound + index] { return false }
            return true
        }
    }

    /// Finds the next `<`, with a few bytes behind it.
    private mutating func moveToTag() throws(ImportError) -> Bool {
        while true {
            while position < filled, buffer[position] != UInt8(ascii: "<") { position += 1 }
            if filled - position >= 16 || (isLast && position < filled) { return true }
            if isLast { return false }
            try refill()
        }
    }

    /// Passes over what starts and ends so, if it stands here.
    private mutating func skips(_ opening: StaticString, until closing: StaticString) throws(ImportError) -> Bool {
        guard equals(position..<min(position + opening.utf8CodeUnitCount, filled), opening) else { return false }
        position += opening.utf8CodeUnitCount
        let length = closing.utf8CodeUnitCount
        while true {
            while position + length <= filled {
                if equals(position..<position + length, closing) {
                    position += length
                    return true
                }
                position += 1
            }
            guard !isLast else { throw malformed("a \(opening) is never closed") }
            try refill()
        }
    }

    /// The place behind the tag's `>`: not one in quotes, nor one inside a document type's brackets.
    private mutating func endOfTag() throws(ImportError) -> Int {
        var place = position + 1
        var quote: UInt8 = 0
        var brackets = 0
        while true {
            while place < filled {
                let byte = buffer[place]
                place += 1
                if quote != 0 {
                    if byte == quote { quote = 0 }
                    continue
                }
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
                case UInt8(ascii: "["): brackets += 1
                case UInt8(ascii: "]"): brackets -= 1
                case UInt8(ascii: ">") where brackets <= 0: return place
                default: break
                }
            }
            guard !isLast else { throw malformed("a tag is never closed") }
            guard place - position < XMLTagReader.longestTag else {
                throw malformed("a tag is longer than \(XMLTagReader.longestTag) bytes")
            }
            place -= position
            try refill()
            place += position
        }
    }

    private mutating func parse() throws(ImportError) -> Event {
        attributes.removeAll(keepingCapacity: true)
        var place = tag.lowerBound + 1
        let isEnd = buffer[place] == UInt8(ascii: "/")
        if isEnd { place += 1 }
        name = word(from: place)
        guard !name.isEmpty else { throw malformed("a tag has no name") }
        place = name.upperBound
        let last = tag.upperBound - 1
        while true {
            while place < last, XMLTagReader.isSpace(buffer[place]) { place += 1 }
            if place >= last { return isEnd ? .end : .start }
            if buffer[place] == UInt8(ascii: "/"), place == last - 1 { return .empty }
            place = try attribute(from: place, to: last)
        }
    }

    /// Reads `name="value"` and returns the place behind it.
    private mutating func attribute(from start: Int, to last: Int) throws(ImportError) -> Int {
        let name = word(from: start)
        var place = name.upperBound
        while place < last, XMLTagReader.isSpace(buffer[place]) { place += 1 }
        guard !name.isEmpty, place < last, buffer[place] == UInt8(ascii: "=") else { throw malformed("an attribute has no value") }
        place += 1
        while place < last, XMLTagReader.isSpace(buffer[place]) { place += 1 }
        let quote = buffer[place]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw malformed("an attribute's value is not in quotes") }
        let value = place + 1
        place = value
        while place < last, buffer[place] != quote { place += 1 }
        guard place < last else { throw malformed("an attribute's value is not closed") }
        attributes.append((name, value..<place))
        return place + 1
    }

    private func word(from start: Int) -> Range<Int> {
        var end = start
        while end < filled {
            let byte = buffer[end]
            if XMLTagReader.isSpace(byte) || byte == UInt8(ascii: "=") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") { break }
            end += 1
        }
        return start..<end
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    /// Moves what stands from `position` on to the front and reads more behind it.
    private mutating func refill() throws(ImportError) {
        linesBefore += buffer[0..<position].count { $0 == 0x0A }
        bufferOffset += position
        for index in position..<filled { buffer[index - position] = buffer[index] }
        filled -= position
        tag = 0..<0
        position = 0
        if filled * 2 > buffer.count { buffer.append(contentsOf: repeatElement(0, count: buffer.count)) }
        let read = try source.read(into: &buffer, at: filled, limit: buffer.count - XMLTagReader.padding - filled)
        isLast = read == 0
        filled += read
    }

    private func malformed(_ what: String) -> ImportError {
        ImportError(.format, "the XML is not well-formed near byte \(bufferOffset + position): \(what)")
    }
}

/// Text of XML documents.
enum XMLText {
    private static let named: [Substring: Character] = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]

    /// The text with its character references and the five predefined entities replaced; others stay as they are.
    static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("&") else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            guard let end = rest[start...].firstIndex(of: ";"), let character = character(rest[rest.index(after: start)..<end]) else {
                result.append("&")
                rest = rest[rest.index(after: start)...]
                continue
            }
            result.append(character)
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func character(_ reference: Substring) -> Character? {
        if let known = named[reference] { return known }
        guard reference.hasPrefix("#") else { return nil }
        let isHexadecimal = reference.dropFirst().first.map { $0 == "x" || $0 == "X" } ?? false
        let code = UInt32(reference.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
        return code.flatMap(Unicode.Scalar.init).map(Character.init)
    }
}
