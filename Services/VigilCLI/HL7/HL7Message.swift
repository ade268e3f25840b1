import VigilSchema

/// A message of HL7 version 2: segments of fields, by the delimiters that its header names.
///
/// Reading never fails but for what is no message at all: missing fields are empty. Source: HL7 v2.5.1, chapter 2.
struct HL7Message: Sendable {
    /// The largest message in bytes, and the most segments of one.
    static let (largest, mostSegments) = (1 << 20, 20_000)

    /// A segment's fields; the name is field 0.
    struct Segment: Sendable {
        fileprivate let fields: [Substring]
        fileprivate let delimiters: Delimiters

        var name: String { fields.first.map(String.init) ?? "" }

        /// A component of a field's first repetition, both counted from 1, as plain text; empty where it is missing.
        func text(_ field: Int, _ component: Int = 1) -> String {
            guard fields.indices.contains(field) else { return "" }
            let first = fields[field].prefix { $0 != delimiters.repetition }
            let components = first.split(
                separator: delimiters.component, omittingEmptySubsequences: false)
            guard components.indices.contains(component - 1) else { return "" }
            return delimiters.unescaped(
                components[component - 1].prefix { $0 != delimiters.subcomponent })
        }
    }

    fileprivate struct Delimiters: Sendable {
        let field: Character
        let component: Character
        let repetition: Character
        let escape: Character
        let subcomponent: Character

        static let usual = Delimiters(field: "|", component: "^", repetition: "~", escape: "\\", subcomponent: "&")

        /// Replaces `\F\`, `\S\`, `\T\`, `\R\`, `\E\`; other escapes are left out.
        func unescaped(_ text: Substring) -> String {
            guard text.contains(escape) else { return String(text) }
            var result = ""
            for (index, part) in text.split(separator: escape, omittingEmptySubsequences: false)
                .enumerated()
            {
                guard index % 2 == 1 else {
                    result += part
                    continue
                }
                let known: [Substring: Character] = [
                    "F": field, "S": component, "T": subcomponent, "R": repetition, "E": escape,
                ]
                if let character = known[part] { result.append(character) }
            }
            return result
        }
    }

    /// The header first.
    let segments: [Segment]

    /// Stands for a message whose sender and number cannot be read.
    static let unknown = HL7Message(segments: [Segment(fields: ["MSH"], delimiters: .usual)])

    private init(segments: [Segment]) { self.segments = segments }

    /// Nil where it does not begin with a header, or is larger than a message may be.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.largest else { return nil }
        // Senders that name no character set mean Latin-1 where it is no UTF-8.
        let text =
            String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        let lines = text.split { $0 == "\r" || $0 == "\n" || $0 == "\r\n" }
        guard let head = lines.first, head.hasPrefix("MSH"), lines.count <= Self.mostSegments else {
            return nil
        }
        let marks = Array(head.dropFirst(3).prefix(5))
        guard marks.count == 5, Set(marks).count == 5,
            !marks.contains(where: { $0.isLetter || $0.isNumber })
        else { return nil }
        let delimiters = Delimiters(
            field: marks[0], component: marks[1], repetition: marks[2], escape: marks[3],
            subcomponent: marks[4])
        segments = lines.map { line in
            var fields = line.split(
                separator: delimiters.field, maxSplits: 200, omittingEmptySubsequences: false)
            // The first field of a header is the delimiter itself.
            if line.hasPrefix("MSH") { fields.insert(line.dropFirst(3).prefix(1), at: 1) }
            return Segment(fields: fields, delimiters: delimiters)
        }
    }

    var header: Segment { segments[0] }
    /// For example `ORU^R01`.
    var type: String { "\(header.text(9))^\(header.text(9, 2))" }
    /// The sender's number of the message, by which the answer is known.
    var control: String { header.text(10) }

    /// The answer.
    /// - Parameters:
    ///   - code: `AA`: everything is taken; `AE`: not everything; `AR`: such messages are not taken.
    ///   - problems: Told in segments of their own.
    func answer(_ code: String, _ problems: [String], at now: Timestamp) -> [UInt8] {
        let time = now.iso8601().prefix(19).filter(\.isNumber)
        let (application, facility) = (Self.field(header.text(3)), Self.field(header.text(4)))
        var lines = [
            "MSH|^~\\&|VIGIL||\(application)|\(facility)|\(time)||ACK^R01^ACK|V\(now.microseconds)|P|2.5.1",
            "MSA|\(code)|\(Self.field(control))",
        ]
        lines += problems.prefix(20).map {
            "ERR|||207^Application internal error^HL70357|E||||\(Self.field($0))"
        }
        return Array((lines.joined(separator: "\r") + "\r").utf8)
    }

    /// A text that ends no field.
    private static func field(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { $0.value >= 0x20 && !"|^~\\&".unicodeScalars.contains($0) }
                    .prefix(200)))
    }
}

/// Cuts a stream of bytes into messages: 0x0B, the message, 0x1C, 0x0D. Source: HL7, Minimal Lower Layer Protocol, release 1.
///
/// Bounded: of a frame that is larger than a message may be, one byte too many is kept, enough to answer its sender.
struct MLLPDecoder {
    private var frame: [UInt8]?

    /// The messages that these bytes complete. What lies between two frames is left out.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        for byte in bytes {
            switch byte {
            case 0x0B: frame = []
            case 0x1C:
                if let whole = frame { messages.append(whole) }
                frame = nil
            default: if (frame?.count ?? 0) <= HL7Message.largest { frame?.append(byte) }
            }
        }
        return messages
    }

    static func frame(_ message: [UInt8]) -> [UInt8] { [0x0B] + message + [0x1C, 0x0D] }
}
