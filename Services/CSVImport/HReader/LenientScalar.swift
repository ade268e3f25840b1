/// A JSON scalar as records really hold it: numbers come as strings, and anything may be null.
struct LenientScalar: Decodable, Hashable {
    /// The number, where there is one, also one that stands in a string.
    let number: Double?
    /// The text, where it is no number.
    let text: String?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Double.self) {
            self.init(number: number, text: nil)
        } else if let text = try? container.decode(String.self) {
            let trimmed = text.trimmingPrefix { $0.isWhitespace }
            let number = Double(trimmed).flatMap { $0.isFinite ? $0 : nil }
            self.init(number: number, text: number == nil && !trimmed.isEmpty ? text : nil)
        } else {
            self.init(number: nil, text: nil)
        }
    }

    private init(number: Double?, text: String?) {
        self.number = number
        self.text = text
    }
}
