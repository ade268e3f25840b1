package import MessageBus

extension BusError: ExitCoded {
    /// 78 where a setting is to blame, 69 where the broker cannot be reached.
    package var exitCode: ExitCode {
        switch code {
        case .invalidConfiguration, .tlsFailed, .badCredentials, .notAuthorized, .invalidTopic: .configuration
        case .unreachable, .connectionLost, .timedOut, .refused, .quotaExceeded: .unavailable
        case .protocolViolation, .messageTooLarge, .cancelled, .closed, .internalFailure: .failure
        }
    }
}
