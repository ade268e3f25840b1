/// Why the bus could not do what it was asked. Holds no payload and no password.
package struct BusError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Sendable, Hashable {
        /// A setting makes no sense: an empty client identifier, a certificate file that cannot be read.
        case invalidConfiguration = "invalid configuration"
        /// Nobody answers at that address, or not in time.
        case unreachable
        /// The other side did not prove who it is, or refused our certificate.
        case tlsFailed = "TLS failed"
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

    /// What was being done.
    package enum Operation: String, Sendable, Hashable {
        case configure, connect, subscribe, receive, publish, request, disconnect
    }

    package let code: Code
    package let operation: Operation
    /// The MQTT 5 reason code or 3.1.1 return code, when the broker gave one.
    package let reason: UInt8?
    /// What exactly failed, in words: a setting's name, a subscription's filter, the library's message.
    package let detail: String

    package init(_ code: Code, during operation: Operation, reason: UInt8? = nil, detail: String = "") {
        self.code = code
        self.operation = operation
        self.reason = reason
        self.detail = detail
    }

    /// Whether the same call may succeed later without anyone changing a setting or a message.
    package var isRetryable: Bool {
        switch code {
        case .unreachable, .connectionLost, .quotaExceeded, .timedOut, .protocolViolation, .internalFailure: true
        case .refused: reason.map(ReasonCode.isTemporary) ?? true
        case .invalidConfiguration, .tlsFailed, .badCredentials, .notAuthorized, .invalidTopic, .messageTooLarge, .cancelled, .closed: false
        }
    }

    package var description: String {
        let reason = reason.map { " (\(ReasonCode.name($0)))" } ?? ""
        return "\(operation.rawValue): \(code.rawValue)\(reason)" + (detail.isEmpty ? "" : ": \(detail)")
    }
}
