import Foundation

/// What became of a message whose publisher asked by a response topic and correlation data.
///
/// "Stored" is sent after the commit: what it covers survives a power cut.
public struct Receipt: Hashable, Sendable, Codable {
    /// How it ended.
    public enum Outcome: String, Hashable, Sendable, Codable {
        /// Committed; the counts say how much of it was new.
        case stored
        /// Nothing of it was stored.
        case rejected
    }

    /// How it ended.
    public var outcome: Outcome
    /// The batch's id, where it is a batch.
    public var batch: String?
    /// Observations that were new.
    public var stored: Int
    /// Observations that were there already, with the same content or a later one.
    public var duplicates: Int
    /// Observations that replaced an earlier content, which is kept.
    public var corrections: Int
    /// Observations that were refused.
    public var rejected: Int
    /// Why, for the first of those that were refused.
    public var reasons: [String]

    /// Makes a receipt.
    public init(
        outcome: Outcome, batch: String? = nil, stored: Int = 0, duplicates: Int = 0, corrections: Int = 0, rejected: Int = 0,
        reasons: [String] = []
    ) {
        self.outcome = outcome
        self.batch = batch
        self.stored = stored
        self.duplicates = duplicates
        self.corrections = corrections
        self.rejected = rejected
        self.reasons = reasons
    }

    /// All observations that it speaks of.
    public var count: Int { stored + duplicates + corrections + rejected }

    /// As JSON.
    public func encoded() throws -> [UInt8] { try ControlCoding.encode(self) }

    /// From JSON.
    public init(decoding bytes: [UInt8]) throws { self = try JSONDecoder().decode(Receipt.self, from: Data(bytes)) }
}
