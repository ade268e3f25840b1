/// Why a topic was refused, in words that follow "the topic".
public struct TopicError: Error, Hashable, Sendable, CustomStringConvertible {
    /// For example "has a device that is not 1 to 64 of A-Z a-z 0-9 _ . -".
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    /// "the topic …".
    public var description: String { "the topic \(reason)" }
}
