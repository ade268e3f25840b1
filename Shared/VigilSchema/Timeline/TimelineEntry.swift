/// Something that a person, not a sensor, put into a participant's timeline.
///
/// Its identity is (participant, id): posting the same id again replaces the entry. Levels of pain, mood and energy are observations
/// (metrics `pain`, `mood`, `energy-level`), not entries.
public struct TimelineEntry: Hashable, Sendable, Codable {
    /// The subject.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// Something that the participant must not be given.
        case allergy
        /// An illness or complaint, present from `time` to `ends`.
        case condition
        /// A visit or a stay.
        case encounter
        /// A vaccination.
        case immunization
        /// A medicine, taken from `time` to `ends`.
        case medication
        /// A free remark.
        case note
        /// Something that was done to or with the participant.
        case procedure
        /// A rule to live by: a diet, exercise.
        case regimen
        /// A finding, with a value or a text.
        case result

        /// A Boolean value that indicates whether such an entry stays true until it is ended: an allergy, a condition, a medicine.
        /// Without an end it belongs to each time after its beginning.
        public var isStanding: Bool {
            switch self {
            case .allergy, .condition, .medication: true
            case .encounter, .immunization, .note, .procedure, .regimen, .result: false
            }
        }
    }

    /// Chosen by whoever posts it: 1–64 of `A-Za-z0-9_.-`.
    public var id: String
    /// The subject.
    public var kind: Kind
    /// The time of it, or of its beginning.
    public var time: Timestamp
    /// The time of its end, where it lasts; never before `time`.
    public var ends: Timestamp?
    /// In words: 1–500 characters.
    public var description: String
    /// A measured number.
    public var value: Double?
    /// A finding in words ("Positive"), where there is no number.
    public var text: String?
    /// The number's UCUM unit, where it is known.
    public var unit: String?
    /// Codes by system, for example `["ICD-10-CM": ["J45"]]`. They count towards the most bytes that all texts may have together.
    public var codes: [String: [String]]?
    /// Further remarks: a dose, a reaction; at most 4,000 characters.
    public var detail: String?

    /// Makes an entry.
    public init(
        id: String, kind: Kind, time: Timestamp, ends: Timestamp? = nil, description: String, value: Double? = nil,
        text: String? = nil, unit: String? = nil, codes: [String: [String]]? = nil, detail: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.time = time
        self.ends = ends
        self.description = description
        self.value = value
        self.text = text
        self.unit = unit
        self.codes = codes
        self.detail = detail
    }

    /// The most bytes that an entry's texts and codes may have together, as JSON has them. A character may be of as many bytes as its author likes, so
    /// that a number of characters bounds nothing.
    public static let largest = 16 << 10

    /// Checks what the types do not say.
    public func validate() throws(PayloadError) {
        guard Name.isValid(id) else { throw PayloadError(.wrongType, "an id is 1 to 64 of A-Z a-z 0-9 _ . -", path: "$.id") }
        guard !description.isEmpty, description.fits(characters: 500), !description.utf8.contains(0) else {
            throw PayloadError(.missing, "a description has 1 to 500 characters, of 2000 bytes together", path: "$.description")
        }
        if let ends, ends < time { throw PayloadError(.conflicting, "it ends before it begins", path: "$.ends") }
        if let value, !value.isFinite { throw PayloadError(.notFinite, "the value is not finite", path: "$.value") }
        if let value, !Observation.numbers.contains(value) {
            throw PayloadError(.implausible, "no quantity has a number beyond 1e140", path: "$.value")
        }
        for (text, most) in [(detail, 4000), (text, 500), (unit, 40)] where text?.fits(characters: most) == false {
            throw PayloadError(
                .tooLarge, "a text is longer than is allowed (detail 4000, text 500, unit 40 characters, of four bytes each)", path: "$")
        }
        guard size <= Self.largest else {
            throw PayloadError(.tooLarge, "the texts and codes have more than \(Self.largest) bytes together", path: "$")
        }
        guard !texts.contains(where: { $0.utf8.contains(0) }) else { throw PayloadError(.malformed, "a text contains a NUL", path: "$") }
    }

    /// The bytes that its texts and codes have together as JSON.
    package var size: Int {
        texts.reduce(0) { size, text in
            size + text.utf8.reduce(3) { $0 + ($1 < 0x20 ? 6 : $1 == UInt8(ascii: "\"") || $1 == UInt8(ascii: "\\") ? 2 : 1) }
        }
    }

    private var texts: [String] {
        [description, detail, text, unit].compactMap(\.self) + (codes ?? [:]).flatMap { [$0.key] + $0.value }
    }
}
