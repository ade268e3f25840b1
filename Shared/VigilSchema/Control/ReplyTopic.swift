/// A topic on which an answer may be published, checked: the asker has chosen it, so that it could be anything.
///
/// An answer goes below `vigil/v1/responses/<account>`, which the shipped access list lets only that account read, or below the
/// asker's own `vigil/v1/receipts/<participant>/<device>`. With any other topic a stranger could have a service publish readings,
/// commands or settings in its name, or send what no broker takes.
public struct ReplyTopic: Hashable, Sendable {
    /// The sender of the message that asks.
    public enum Asker: Hashable, Sendable {
        /// Anybody: answered below `responses/<account>`.
        case account
        /// The account that a request's topic names: answered below its own `responses/<account>`.
        case named(String)
        /// A device: also answered below its own `receipts/<participant>/<device>`.
        case device(participant: String, device: String)
        /// A service of the suite on the internal bus: also answered below any `receipts/<service>/<instance>`.
        case service
    }

    /// The longest topic, in bytes.
    public static let maximumLength = 1024
    /// The most levels: Mosquitto drops the connection of a client that publishes on more.
    public static let maximumLevels = 200
    /// The longest correlation data, in bytes: an answer repeats it, and may wait for its asker.
    public static let maximumCorrelation = 64

    /// The topic as MQTT has it.
    public let path: String
    /// The asker's correlation data, which the answer repeats.
    public let correlation: [UInt8]?

    /// Checks a response topic and the correlation data that came with it.
    /// - Throws: `PayloadError`, in words for the asker.
    public init(_ path: String, correlation: [UInt8]? = nil, of asker: Asker) throws(PayloadError) {
        try ReplyTopic.check(correlation: correlation)
        try ReplyTopic.check(form: path)
        guard ReplyTopic.isAllowed(path, asker) else {
            throw PayloadError(.badTopic, "the response topic must lie below " + ReplyTopic.places(of: asker))
        }
        self.path = path
        self.correlation = correlation
    }

    /// Checks correlation data alone, for an asker who names no response topic.
    public static func check(correlation: [UInt8]?) throws(PayloadError) {
        guard (correlation?.count ?? 0) <= maximumCorrelation else {
            throw PayloadError(.tooLarge, "the correlation data is longer than \(maximumCorrelation) bytes")
        }
    }

    private static func check(form path: String) throws(PayloadError) {
        guard path.utf8.count <= maximumLength else {
            throw PayloadError(.tooLarge, "the response topic is longer than \(maximumLength) bytes")
        }
        guard path.utf8.count(where: { $0 == UInt8(ascii: "/") }) < maximumLevels else {
            throw PayloadError(.tooLarge, "the response topic has more than \(maximumLevels) levels")
        }
        guard path.unicodeScalars.allSatisfy(isTopicScalar) else {
            throw PayloadError(.badTopic, "the response topic holds a wildcard or a control character")
        }
    }

    /// A Boolean value that indicates whether MQTT allows the topic, as strictly as brokers read it: no wildcards, control characters or
    /// non-characters.
    private static func isTopicScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0xFDD0...0xFDEF: false
        case UInt32(UInt8(ascii: "+")), UInt32(UInt8(ascii: "#")): false
        default: scalar.value & 0xFFFE != 0xFFFE
        }
    }

    private static func isAllowed(_ path: String, _ asker: Asker) -> Bool {
        guard path.hasPrefix(Topic.prefix) else { return false }
        let levels = path.dropFirst(Topic.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        if levels.count >= 2, levels[0] == "responses" {
            if case .named(let account) = asker { return levels[1] == account }
            return !levels[1].isEmpty
        }
        guard levels.count >= 3, levels[0] == "receipts" else { return false }
        return switch asker {
        case .account, .named: false
        case .device(let participant, let device): levels[1] == participant && levels[2] == device
        case .service: Name.isValid(levels[1]) && Name.isValid(levels[2])
        }
    }

    private static func places(of asker: Asker) -> String {
        let responses = "\(Topic.prefix)responses/<account>"
        return switch asker {
        case .account: responses
        case .named(let account): "\(Topic.prefix)responses/\(account)"
        case .device(let participant, let device): "\(responses) or \(Topic.receipt(participant: participant, device: device).path)"
        case .service: "\(responses) or \(Topic.prefix)receipts/<service>/<instance>"
        }
    }
}
