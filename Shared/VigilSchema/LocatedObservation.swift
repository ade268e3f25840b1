/// An observation as a payload gave it, with where its parts stood, so that what is refused later can be pointed at.
public struct LocatedObservation: Hashable, Sendable {
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

    /// As given; the unit is empty where the payload has none.
    public var observation: Observation
    /// Where its parts stood.
    public var offsets: Offsets
    /// Which of the payload's readings it is, for the path; nil where the payload is a single one.
    public var index: Int?

    /// Makes one.
    public init(_ observation: Observation, offsets: Offsets, index: Int?) {
        self.observation = observation
        self.offsets = offsets
        self.index = index
    }

    /// The path of one of its fields: `$[3].value`, or `$.value` of a single reading.
    public func path(_ field: String) -> String { (index.map { "$[\($0)]" } ?? "$") + (field.isEmpty ? "" : "." + field) }
}
