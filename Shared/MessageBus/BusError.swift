/// The reason why the bus could not do what it was asked. Holds no payload and no password.
package struct BusError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Sendable, Hashable {
        /// A setting makes no sense: an empty client identifier, a certificate file that cannot be read.
        case invalidConfiguration = "invalid configuration"
        /// Nobody answers at that address, or not in time.
        case unreachable
        /// The other side did not prove who it is, refused our certificate, or does not speak TLS.
        case tlsFailed = "TLS failed"
        /// The other side hung up without a word before TLS stood: it was just stopped, or does not speak TLS.
        case tlsCutOff = "TLS cut off"
        /// The broker knows neither the user nor the password.
        case badCredentials = "user name or password refused"
        /// The broker knows us, but does not allow that.
        case notAuthorized = "not authorized"
        /// The broker refused for another reason, given by `reason`.
        case refused
        /// The connection broke.
        case connectionLost = "connection lost"
        /// The other side broke MQTT's rules.
        case protocolViolation = "protocol violation"
        /// A topic with a wildcard, empty, too long, or with a control character.
        case invalidTopic = "invalid topic"
        /// Larger than the broker takes.
        case messageTooLarge = "message too large"
        /// The broker's limit for this client is reached.
        case quotaExceeded = "quota exceeded"
        /// No answer in the time allowed.
        case timedOut = "timed out"
        /// The calling task was cancelled.
        case cancelled
        /// The connection is draining or has ended, and takes nothing new.
        case closed
        /// The C library or the system failed.
        case internalFailure = "internal failure"
    }

    /// The operation.
    package enum Operation: String, Sendable, Hashable {
        case configure, connect, subscribe, receive, publish, request, disconnect
    }

    package let code: Code
    package let operation: Operation
    /// The MQTT 5 reason code or 3.1.1 return code, when the broker gave one.
    package let reason: UInt8?
    /// The detail of the failure: a setting's name, a subscription's filter, the library's message.
    package let detail: String

    package init(_ code: Code, during operation: Operation, reason: UInt8? = nil, detail: String = "") {
        self.code = code
        self.operation = operation
        self.reason = reason
        self.detail = detail
    }

    /// A Boolean value that indicates whether the same call may succeed later without anyone changing a setting or a message.
    package var isRetryable: Bool {
        switch code {
        case .unreachable, .tlsCutOff, .connectionLost, .quotaExceeded, .timedOut, .protocolViolation, .internalFailure: true
        case .refused: reason.map(ReasonCode.isTemporary) ?? true
        case .invalidConfiguration, .tlsFailed, .badCredentials, .notAuthorized, .invalidTopic, .messageTooLarge, .cancelled, .closed: false
        }
    }

    /// A Boolean value that indicates whether the broker will never take this one message, and may take others.
    package var concernsMessage: Bool {
        guard operation == .publish else { return false }
        return switch code {
        case .notAuthorized, .invalidTopic, .messageTooLarge: true
        case .refused: !isRetryable
        default: false
        }
    }

    /// A Boolean value that indicates whether the broker did not take a message now, and may take it later.
    package var isTemporaryRefusal: Bool {
        operation == .publish && isRetryable && (code == .refused || code == .quotaExceeded)
    }

    package var description: String {
        let reason = reason.map { " (\(ReasonCode.name($0)))" } ?? ""
        return "\(operation.rawValue): \(code.rawValue)\(reason)" + (detail.isEmpty ? "" : ": \(detail)")
    }
}

/// The reason codes of MQTT 5.0, section 2.4, and the CONNACK return codes of MQTT 3.1.1, section 3.2.2.3.
package enum ReasonCode {
    static let success: UInt8 = 0x00
    static let firstFailure: UInt8 = 0x80

    /// Returns whether the broker says, with this code, that a later attempt may succeed.
    static func isTemporary(_ code: UInt8) -> Bool {
        switch code {
        case 0x03, 0x80, 0x83, 0x88, 0x89, 0x8B, 0x8D, 0x8E, 0x91, 0x93, 0x96, 0x97, 0x98, 0x9C, 0x9D, 0x9F, 0xA0: true
        default: false
        }
    }

    /// The kind of failure that a code of MQTT 5 stands for.
    static func errorCode(_ code: UInt8) -> BusError.Code {
        switch code {
        case 0x81, 0x82, 0x94: .protocolViolation
        case 0x86, 0x8C: .badCredentials
        case 0x87: .notAuthorized
        case 0x90, 0x8F: .invalidTopic
        case 0x95: .messageTooLarge
        case 0x93, 0x96, 0x97: .quotaExceeded
        default: .refused
        }
    }

    /// The kind of failure that a CONNACK of MQTT 3.1.1 stands for.
    static func connectErrorCodeV311(_ code: UInt8) -> BusError.Code {
        switch code {
        case 4: .badCredentials
        case 5: .notAuthorized
        default: .refused
        }
    }

    /// The code in words.
    package static func name(_ code: UInt8) -> String {
        names[code] ?? "reason 0x" + String(code, radix: 16)
    }

    private static let names: [UInt8: String] = [
        0x01: "unacceptable protocol version", 0x02: "identifier rejected", 0x03: "server unavailable",
        0x04: "bad user name or password", 0x05: "not authorized", 0x10: "no matching subscribers",
        0x80: "unspecified error", 0x81: "malformed packet", 0x82: "protocol error", 0x83: "implementation specific error",
        0x84: "unsupported protocol version", 0x85: "client identifier not valid", 0x86: "bad user name or password",
        0x87: "not authorized", 0x88: "server unavailable", 0x89: "server busy", 0x8A: "banned", 0x8B: "server shutting down",
        0x8C: "bad authentication method", 0x8D: "keep alive timeout", 0x8E: "session taken over", 0x8F: "topic filter invalid",
        0x90: "topic name invalid", 0x91: "packet identifier in use", 0x92: "packet identifier not found",
        0x93: "receive maximum exceeded", 0x94: "topic alias invalid", 0x95: "packet too large", 0x96: "message rate too high",
        0x97: "quota exceeded", 0x98: "administrative action", 0x99: "payload format invalid", 0x9A: "retain not supported",
        0x9B: "QoS not supported", 0x9C: "use another server", 0x9D: "server moved", 0x9E: "shared subscriptions not supported",
        0x9F: "connection rate exceeded", 0xA0: "maximum connect time", 0xA1: "subscription identifiers not supported",
        0xA2: "wildcard subscriptions not supported",
    ]
}
