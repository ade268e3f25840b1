import Foundation

/// The outcome for a message whose publisher asked by a response topic and correlation data.
///
/// "Stored" is sent after the commit: what it covers survives a power cut.
public struct Receipt: Hashable, Sendable, Codable {
    /// The way it ended.
    public enum Outcome: String, Hashable, Sendable, Codable {
        /// Committed; the counts say how much of it was new.
        case stored
        /// Nothing of it was stored.
        case rejected
    }

    /// The way it ended.
    public var outcome: Outcome
    /// The batch's id, where it is a batch.
    public var batch: String?
    /// What the message gave as `receipt`, so that its sender recognises the answer over MQTT 3.1.1.
    public var receipt: String?
    /// Observations that were new.
    public var stored: Int
    /// Observations that were there already, with the same content or a later one.
    public var duplicates: Int
    /// Observations that replaced an earlier content, which is kept.
    public var corrections: Int
    /// Observations that were refused.
    public var rejected: Int
    /// The reason for the first of those that were refused; without a refusal what else the sender should hear, such as a key that is not known.
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

/// A wish for a receipt that stands in a message's payload beside its `observations`: MQTT 3.1.1 has no properties, so that devices at a broker
/// such as NATS could not ask.
public struct ReceiptWish: Hashable, Sendable {
    /// Comes back in the receipt.
    public var id: String?
    /// Where the receipt goes, within what `ReplyTopic` allows; nil: to the device's own topic of receipts.
    public var responseTopic: String?

    /// Makes one.
    public init(id: String? = nil, responseTopic: String? = nil) {
        self.id = id
        self.responseTopic = responseTopic
    }
}

/// The outcome for many canonical batches, told to the one who published them: `vigil-timeline` answers so, once for a delivery, on the topic
/// that a batch names as `confirm`. It stands in the payload, so that it works over MQTT 3.1.1 as well.
public struct Confirmation: Hashable, Sendable, Codable {
    /// A batch of which something was not kept.
    public struct Refused: Hashable, Sendable, Codable {
        /// The batch's id.
        public var batch: String
        /// The reason for the first observation that was not kept.
        public var reason: String
        /// The observations that were not kept; nil where nothing of the batch was.
        public var observations: [Unkept]?

        /// Makes one.
        public init(batch: String, reason: String, observations: [Unkept]? = nil) {
            self.batch = batch
            self.reason = reason
            self.observations = observations
        }
    }

    /// An observation that was not kept, by its place in the batch.
    public struct Unkept: Hashable, Sendable, Codable {
        /// The group's place in the batch.
        public var group: Int
        /// The observation's place in the group.
        public var observation: Int
        /// The reason.
        public var reason: String

        /// Makes one.
        public init(group: Int, observation: Int, reason: String) {
            self.group = group
            self.observation = observation
            self.reason = reason
        }
    }

    /// The corrections of a batch: observations that replaced an earlier content.
    public struct Corrected: Hashable, Sendable, Codable {
        /// The batch's id.
        public var batch: String
        /// Runs of them, each three numbers: the group's place in the batch, the first observation's in the group, and how many there are.
        public var runs: [[Int]] = []

        /// Makes one of none.
        public init(batch: String) { self.batch = batch }

        /// Adds a correction, mostly the one behind the last.
        public mutating func add(group: Int, observation: Int) {
            if let last = runs.last, last[0] == group, last[1] + last[2] == observation {
                runs[runs.count - 1][2] += 1
            } else {
                runs.append([group, observation, 1])
            }
        }

        /// The places of all of them.
        public var places: [(group: Int, observation: Int)] {
            runs.flatMap { run in
                run.count == 3 && (0...100_000).contains(run[2]) && (0...100_000).contains(run[1])
                    ? (run[1]..<run[1] + run[2]).map { (run[0], $0) } : []
            }
        }
    }

    /// The ids of the batches that are committed as a whole.
    public var stored: [String]
    /// The batches of which something was not kept; the rest of them is committed.
    public var refused: [Refused]
    /// The batches with corrections, whether they are committed as a whole or not; nil where there are none.
    public var corrected: [Corrected]?

    /// Makes one.
    public init(stored: [String] = [], refused: [Refused] = [], corrected: [Corrected]? = nil) {
        self.stored = stored
        self.refused = refused
        self.corrected = corrected
    }

    /// As JSON.
    public func encoded() throws -> [UInt8] { try ControlCoding.encode(self) }

    /// From JSON.
    public init(decoding bytes: [UInt8]) throws { self = try JSONDecoder().decode(Confirmation.self, from: Data(bytes)) }
}

/// The way control messages are written: JSON with sorted keys, so that equal messages are equal bytes.
enum ControlCoding {
    static func encode(_ message: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(message))
    }
}

/// The content types that messages carry.
public enum MediaType {
    /// Canonical batches and the native format.
    public static let json = "application/json"
    /// A canonical batch.
    public static let batch = "application/vnd.vigil.batch+json"
    /// SenML in JSON (RFC 8428).
    public static let senmlJSON = "application/senml+json"
    /// SenML in CBOR (RFC 8428).
    public static let senmlCBOR = "application/senml+cbor"
}
