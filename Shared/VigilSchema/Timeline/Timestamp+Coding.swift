/// In control messages a time is Unix seconds, as in observations.
extension Timestamp: Codable {
    /// Reads Unix seconds between the years 1 and 9999.
    public init(from decoder: any Decoder) throws {
        let seconds = try decoder.singleValueContainer().decode(Double.self)
        guard abs(seconds) <= 253_402_300_800 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "the time lies outside the years 1 to 9999"))
        }
        self.init(seconds: seconds)
    }

    /// Writes Unix seconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(seconds)
    }
}
