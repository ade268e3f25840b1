import Foundation

/// The refusal, why, and where in the payload. Published on `rejects/<participant>/<device>`.
public struct Reject: Hashable, Sendable, Codable {
    /// The participant of the topic; `unknown` where the topic names none.
    public var participant: String
    /// The device of the topic; `unknown` where the topic names none.
    public var device: String
    /// The time of the refusal, in Unix seconds.
    public var time: Double
    /// The kind of refusal: a raw value of `PayloadError.Code`.
    public var code: String
    /// The reason, in words.
    public var reason: String
    /// Bytes from the payload's start, where known.
    public var offset: Int?
    /// The place as a path: `$[3].value`.
    public var path: String
    /// The number of readings of the message were refused with this one; 0 where the whole message was.
    public var count: Int
    /// The rejects of the same device that were left out before this one because there were too many; nil for none.
    public var omitted: Int?
    /// The topic that the message came on.
    public var topic: String
    /// The payload's first bytes (at most 1,024), so that the device's maker can see what arrived; base64.
    public var payload: String

    /// Makes a reject for an error.
    public init(
        participant: String, device: String, time: Timestamp, error: PayloadError, count: Int, omitted: Int? = nil, topic: String,
        payload: [UInt8]
    ) {
        self.participant = participant
        self.device = device
        self.time = time.seconds
        code = error.code.rawValue
        reason = error.reason
        offset = error.offset
        path = error.path
        self.count = count
        self.omitted = omitted
        self.topic = topic
        self.payload = Data(payload.prefix(1024)).base64EncodedString()
    }

    /// As JSON.
    public func encoded() throws -> [UInt8] { try ControlCoding.encode(self) }

    /// From JSON.
    public init(decoding bytes: [UInt8]) throws { self = try JSONDecoder().decode(Reject.self, from: Data(bytes)) }
}
