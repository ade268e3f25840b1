/// An observation as a payload gave it, with where its parts stood, so that what is refused later can be pointed at.
public struct ParsedObservation: Hashable, Sendable {
    /// Byte offsets in the payload.
    public struct Offsets: Hashable, Sendable {
        /// Of the reading as a whole.
        public var element: Int32
        /// Of the metric's name.
        public var metric: Int32
        /// Of the time.
        public var time: Int32
        /// Of the value, the samples or the text.
        public var content: Int32
        /// Of the unit; that of the reading where it has none.
        public var unit: Int32

        /// All parts at one place.
        public init(element: Int) {
            let offset = Int32(clamping: element)
            (self.element, metric, time, content, unit) = (offset, offset, offset, offset, offset)
        }
    }

    /// The way the payload's format names the place of a field.
    public enum Notation: Hashable, Sendable {
        /// By the fields of the native format.
        case native
        /// By SenML's labels, the value's being `v`, `vs` or `vb`.
        case senml(value: String)
        /// One place for all of it: `$.body.heart_rate`.
        case place(String)
    }

    /// As given; the unit is empty where the payload has none.
    public var observation: Observation
    /// The offsets of its parts.
    public var offsets: Offsets
    /// The number of the reading in the payload, for the path; nil where the payload is a single one.
    public var index: Int?

    /// The way the format names its fields.
    public var notation: Notation
    /// The part of the device that measured, where one message speaks for several: a SenML base name without its last colon.
    public var part: String?

    /// Makes one.
    public init(_ observation: Observation, offsets: Offsets, index: Int?, notation: Notation = .native) {
        self.observation = observation
        self.offsets = offsets
        self.index = index
        self.notation = notation
    }

    /// The path of one of its fields: `$[3].value`, or `$.value` of a single reading, or as the format's notation has it.
    public func path(_ field: String) -> String {
        let element = index.map { "$[\($0)]" } ?? "$"
        if field.isEmpty { return notation.element ?? element }
        return switch notation {
        case .native: element + "." + field
        case .senml(let value): element + "." + (ParsedObservation.senmlLabels[field] ?? value)
        case .place(let place): place
        }
    }

    private static let senmlLabels = ["metric": "n", "time": "t", "unit": "u"]
}

extension ParsedObservation.Notation {
    /// The path of a whole reading, where the format has its own.
    fileprivate var element: String? {
        if case .place(let place) = self { place } else { nil }
    }
}

/// The readings of a device's payload.
public struct DecodedReadings: Hashable, Sendable {
    /// The recording session, where the payload names one.
    public var session: String?
    /// The wish for a receipt that stands in the payload, as MQTT 3.1.1 has no other place for it.
    public var receipt: ReceiptWish?
    /// A Boolean value that indicates whether times in it were made of the time of receipt: a reading without one, or one relative to now.
    public var isStamped = false
    /// The offset of the first key that is not known, and was passed over.
    var unknownKey: Int?
    /// As given, in order.
    public var readings: [ParsedObservation] = []
    /// The refusal, in order.
    public var refusals: [PayloadError] = []
    /// Refused readings with a word where a number is expected, such as a glucose sensor's `HI`.
    public var unreadable: [Observation] = []

    /// Makes an empty one.
    public init() {}

    /// A remark for the sender about what is odd, but not refused; made only where somebody asks for it, because many devices send keys of
    /// their own in each message.
    /// - Parameter payload: what the readings were decoded from.
    public func remark(on payload: Span<UInt8>) -> String? {
        guard let unknownKey else { return nil }
        var cursor = JSONCursor(offset: unknownKey)
        guard let key = try? cursor.key(payload).text(payload) else { return nil }
        return "the key \"\(key.prefix(64))\" is not known and passed over (byte \(unknownKey))"
    }

    /// Adds the parser's next object. The path is only made where it is needed.
    @inline(__always)
    mutating func add(
        _ bytes: Span<UInt8>, _ parser: inout ObservationParser, index: Int?, path: @autoclosure () -> String
    ) throws(JSONError) {
        let start = parser.cursor.offset
        guard let refused = try parser.parse(bytes, index: index, into: &readings) else { return }
        let (advised, word) = refused.advised(bytes, from: start, received: parser.received)
        if let word, unreadable.count < 20 { unreadable.append(word) }
        refuse(advised, at: path)
    }

    /// Out of the way of what is right.
    @inline(never)
    private mutating func refuse(_ refused: ObservationParser.Refused, at path: () -> String) {
        refusals.append(refused.error.at(path() + (refused.field.map { "." + $0.key } ?? "")))
    }
}
