import Foundation

/// What became of many canonical batches, told to the one who published them: `vigil-timeline` answers so, once for a delivery, on the topic
/// that a batch names as `confirm`. It stands in the payload, so that it works over MQTT 3.1.1 as well.
public struct Confirmation: Hashable, Sendable, Codable {
    /// A batch of which something was not kept.
    public struct Refused: Hashable, Sendable, Codable {
        /// The batch's id.
        public var batch: String
        /// Why, for the first observation that was not kept.
        public var reason: String

        /// Makes one.
        public init(batch: String, reason: String) {
            self.batch = batch
            self.reason = reason
        }
    }

    /// The ids of the batches that are committed as a whole.
    public var stored: [String]
    /// The batches of which something was not kept; the rest of them is committed.
    public var refused: [Refused]

    /// Makes one.
    public init(stored: [String] = [], refused: [Refused] = []) {
        self.stored = stored
        self.refused = refused
    }

    /// As JSON.
    public func encoded() throws -> [UInt8] { try ControlCoding.encode(self) }

    /// From JSON.
    public init(decoding bytes: [UInt8]) throws { self = try JSONDecoder().decode(Confirmation.self, from: Data(bytes)) }
}
