import VigilSchema

/// What a text value may hold.
enum SenMLText {
    /// Why a text is refused; nil where it is not.
    static func objection(to text: String) -> StaticReason? {
        if text.isEmpty { return "the text is empty" }
        return text.utf8.contains(0) ? "the text holds a NUL" : nil
    }
}
