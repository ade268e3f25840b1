import CExpat

/// Finds the tags in an XML document that comes in pieces, with libexpat. Text between tags, comments and processing instructions are passed over.
///
/// The document must have no document type: without one there are no entities but the five that XML has, so nothing can grow when it is read, and
/// no file or address is ever asked for. Attributes are those that are written.
///
/// Threading: used by one task at a time.
@safe package final class XMLTagParser {
    /// A start or an end of an element.
    package struct Tag {
        /// `</name>`, or the end of `<name/>`.
        package let isEnd: Bool
        /// The place of its `<` in the document.
        package let offset: Int
        /// Its length in bytes as it is written; 0 for the end of `<name/>`.
        package let length: Int
        fileprivate let texts: Range<Int>
    }

    /// The deepest nesting of elements that is read.
    package static let deepest = 128

    private let parser: XML_Parser
    /// Names and values, each tag's name first, then an attribute's name and value by turns.
    private var texts: [Range<Int>] = []
    private var bytes: [UInt8] = []
    private var depth = 0
    /// The tags of the present piece: those that it completes.
    package private(set) var tags: [Tag] = []

    package init() {
        // Whatever the declaration says: what comes here was converted.
        unsafe parser = XML_ParserCreate("UTF-8")
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        unsafe XML_SetElementHandler(
            parser, { unsafe XMLTagParser.of($0)?.start($1, $2) }, { context, name in unsafe XMLTagParser.of(context)?.end(name) })
    }

    deinit { unsafe XML_ParserFree(parser) }

    /// Takes the next piece. Control characters in it that XML does not know, which exports have all the same, become spaces.
    /// - Parameter isLast: the document ends with it.
    /// - Returns: why nothing more can be read; nil while all is well. The tags before that are there in any case.
    package func parse(_ buffer: inout [UInt8], _ piece: Range<Int>, isLast: Bool) -> String? {
        texts.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        tags.removeAll(keepingCapacity: true)
        let status = unsafe buffer.withUnsafeMutableBytes { all in
            let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: all[piece])
            unsafe XMLTagParser.blankControls(piece)
            return unsafe XML_Parse(parser, piece.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(piece.count), isLast ? 1 : 0)
        }
        return status == XML_STATUS_OK ? nil : failure()
    }

    private func failure() -> String {
        let (line, column) = unsafe (XML_GetCurrentLineNumber(parser), XML_GetCurrentColumnNumber(parser) + 1)
        let code = unsafe XML_GetErrorCode(parser)
        switch code {
        case XML_ERROR_ABORTED: return "elements are nested more than \(XMLTagParser.deepest) deep on line \(line)"
        case XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR: return "it ends in its middle, on line \(line)"
        default: return "\(unsafe String(cString: XML_ErrorString(code))) on line \(line), column \(column)"
        }
    }

    private static func blankControls(_ bytes: UnsafeMutableRawBufferPointer) {
        for index in bytes.indices {
            let byte = unsafe bytes[index]
            if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D { unsafe bytes[index] = 0x20 }
        }
    }

    // MARK: What the parser found

    private static func of(_ context: UnsafeMutableRawPointer?) -> XMLTagParser? {
        unsafe context.map { unsafe Unmanaged<XMLTagParser>.fromOpaque($0).takeUnretainedValue() }
    }

    private func start(_ name: UnsafePointer<XML_Char>?, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?) {
        depth += 1
        guard depth <= XMLTagParser.deepest else {
            unsafe _ = XML_StopParser(parser, 0)
            return
        }
        let first = texts.count
        unsafe keep(name)
        if var next = unsafe attributes {
            while let text = unsafe next.pointee {
                unsafe keep(text)
                unsafe next += 1
            }
        }
        found(isEnd: false, first)
    }

    private func end(_ name: UnsafePointer<XML_Char>?) {
        depth -= 1
        let first = texts.count
        unsafe keep(name)
        found(isEnd: true, first)
    }

    private func found(isEnd: Bool, _ first: Int) {
        tags.append(
            Tag(
                isEnd: isEnd, offset: unsafe Int(XML_GetCurrentByteIndex(parser)), length: unsafe Int(XML_GetCurrentByteCount(parser)),
                texts: first..<texts.count))
    }

    private func keep(_ text: UnsafePointer<XML_Char>?) {
        guard let text = unsafe text else { return }
        let start = bytes.count
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: text, count: vigil_length(text)))
        texts.append(start..<bytes.count)
    }

    // MARK: Looking at a tag of the present piece

    /// Returns whether a tag has that name.
    package func isNamed(_ tag: Tag, _ name: StaticString) -> Bool {
        tag.texts.first.map { equals(texts[$0], name) } ?? false
    }

    /// An attribute's value, its references replaced; nil where the tag has none of that name.
    package func attribute(_ tag: Tag, _ name: StaticString) -> String? {
        var place = tag.texts.lowerBound + 1
        while place + 1 < tag.texts.upperBound {
            if equals(texts[place], name) { return String(decoding: bytes[texts[place + 1]], as: UTF8.self) }
            place += 2
        }
        return nil
    }

    private func equals(_ range: Range<Int>, _ name: StaticString) -> Bool {
        guard range.count == name.utf8CodeUnitCount else { return false }
        return name.withUTF8Buffer { other in
            for index in 0..<other.count where unsafe other[index] != bytes[range.lowerBound + index] { return false }
            return true
        }
    }
}
