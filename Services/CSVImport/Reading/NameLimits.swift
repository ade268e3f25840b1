import VigilSchema

/// The longest names and texts of a reading. Every store accepts them, so that each refusal happens here, with its
/// place.
enum NameLimits {
    static let source = 128
    static let session = 64
    static let unit = 128

    /// The reason why a source or session is refused; nil: accepted.
    static func objection(source: String, session: String?) -> String? {
        if source.isEmpty { return "the source is empty" }
        if source.utf8.count > Self.source { return "the source is longer than \(Self.source) bytes" }
        if let session, session.utf8.count > Self.session { return "the session is longer than \(Self.session) bytes" }
        return source.utf8.contains(0) || session?.utf8.contains(0) == true ? "the source or the session contains a NUL" : nil
    }

    /// The reason why a unit outside the catalogue is refused; nil: accepted.
    static func objection(unit: String) -> String? {
        if unit.utf8.count > Self.unit { return "the unit is longer than \(Self.unit) bytes" }
        return unit.utf8.contains(0) ? "the unit contains a NUL" : nil
    }

    /// The reason why a text is refused; nil: accepted.
    static func objection(text: String) -> String? {
        if text.utf8.count > Observation.longestText { return "the text is longer than \(Observation.longestText) bytes" }
        return text.utf8.contains(0) ? "the text contains a NUL" : nil
    }

    /// The reason why a block of samples is refused; nil: accepted.
    static func objection(samples: [Double], period: Double) -> String? {
        if samples.isEmpty { return "there are no samples" }
        return period * Double(samples.count) > 86_400 ? "the block of samples is longer than a day" : nil
    }
}
