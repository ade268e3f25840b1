import CMosquitto
import Glibc

extension MosquittoClient {
    /// The error that the end of the connection stands for, from what the broker or the library said last.
    func lost(during operation: BusError.Operation) -> BusError {
        if let acceptance, acceptance.reason != 0 { return refusal(acceptance.reason) }
        if let reason = disconnectReason { return BusError(.connectionLost, during: operation, reason: reason) }
        if acceptance == nil, configuration.tls != nil, !libraryMessage.isEmpty {
            return BusError(isCutOff ? .tlsCutOff : .tlsFailed, during: operation, detail: libraryMessage)
        }
        return BusError(.connectionLost, during: operation)
    }

    private func refusal(_ reason: UInt8) -> BusError {
        let code = reason < ReasonCode.firstFailure ? ReasonCode.connectErrorCodeV311(reason) : ReasonCode.errorCode(reason)
        return BusError(code, during: .connect, reason: reason)
    }

    func check(_ code: Int32, during operation: BusError.Operation, detail: String = "") throws(BusError) {
        let systemError = errno
        guard code != 0, code != MOSQ_ERR_CONN_PENDING.rawValue else { return }
        if let acceptance, acceptance.reason != 0 { throw refusal(acceptance.reason) }
        let text =
            code == MOSQ_ERR_ERRNO.rawValue
            ? unsafe String(cString: strerror(systemError)) : unsafe String(cString: mosquitto_strerror(code))
        let parts = [detail, libraryMessage.isEmpty ? text : libraryMessage].filter { !$0.isEmpty }
        throw BusError(kind(of: code, during: operation), during: operation, detail: parts.joined(separator: ": "))
    }

    /// A Boolean value that indicates whether a TLS handshake ended because the other side hung up, and not by what one of the two said.
    private var isCutOff: Bool {
        Self.cutOff.contains { libraryMessage.contains($0) }
    }

    /// OpenSSL 3's words for a connection that is closed without TLS's farewell, and the system's for one that is reset.
    private static let cutOff = ["unexpected eof", "Connection reset", "Broken pipe"]

    private func kind(of code: Int32, during operation: BusError.Operation) -> BusError.Code {
        let isConnecting = acceptance == nil
        switch mosq_err_t(code) {
        case _ where isConnecting && configuration.tls != nil && isCutOff: return .tlsCutOff
        case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE, MOSQ_ERR_OCSP: return .tlsFailed
        case MOSQ_ERR_EAI: return .unreachable
        case _ where isConnecting && configuration.tls != nil && !libraryMessage.isEmpty: return .tlsFailed
        case MOSQ_ERR_ERRNO where isConnecting && operation == .connect: return .unreachable
        case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET: return .protocolViolation
        case MOSQ_ERR_INVAL, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_NOT_SUPPORTED:
            return operation == .publish ? .invalidTopic : .invalidConfiguration
        case MOSQ_ERR_OVERSIZE_PACKET, MOSQ_ERR_PAYLOAD_SIZE: return .messageTooLarge
        case MOSQ_ERR_QOS_NOT_SUPPORTED, MOSQ_ERR_RETAIN_NOT_SUPPORTED: return .refused
        case MOSQ_ERR_NOMEM, MOSQ_ERR_UNKNOWN: return .internalFailure
        default: return .connectionLost
        }
    }
}
