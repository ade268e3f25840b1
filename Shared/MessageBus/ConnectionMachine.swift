/// Decides what follows a failed connection: try again and when, speak the older protocol, or give up.
///
/// The broker's nodes are tried in turn, at once until each has failed, and then after a wait.
///
/// A value without I/O: time and randomness come from the caller. What a retry does not help ends it, unless a connection had
/// once been ready: then the broker may just be restarting with other settings, and is tried again like everything else.
struct ConnectionMachine {
    enum Decision: Equatable {
        case retry(attempt: Int, after: Duration)
        /// At once, with MQTT 3.1.1.
        case fallBack
        case giveUp(BusError)
    }

    private let backoff: Backoff
    private let persistent: Bool
    private let endsWithConnection: Bool
    /// How long TLS may be cut off again and again before it counts as refused.
    private let patience: Duration
    /// The times that a greeting of MQTT 5 may stay without an answer, before the older protocol is tried.
    private static let unansweredGreetings = 2
    /// The protocol version of the next connection.
    private(set) var version: BrokerConfiguration.ProtocolVersion
    /// The node to connect to.
    private(set) var nodes: BrokerNodes
    /// The broker did not refuse MQTT 5, but said nothing to it: it may have been about to start, and is greeted so again later.
    private var isGuess = false
    private var hasSpokenV5 = false
    private var unanswered = 0
    private(set) var connections = 0
    private var failures = 0
    private var rejections = 0
    private var hasBeenReady = false
    private var readySince: ContinuousClock.Instant?
    /// When TLS was first cut off, if nothing else has come since.
    private var cutOffSince: ContinuousClock.Instant?

    init(_ configuration: BrokerConfiguration) {
        backoff = configuration.backoff
        endsWithConnection = configuration.endsWithConnection
        patience = configuration.connectTimeout
        version = configuration.protocolVersion
        nodes = configuration.nodes ?? BrokerNodes([BrokerAddress(host: configuration.host, port: configuration.port)])
        if case .persistent = configuration.session { persistent = true } else { persistent = false }
    }

    /// The broker accepted. Tells what it visibly lacks, given what was asked of it.
    mutating func accepted(_ info: ConnectionInfo, asked: BrokerConfiguration.Session) -> [BrokerWarning] {
        connections += 1
        unanswered = 0
        cutOffSince = nil
        if info.version == .v5 { hasSpokenV5 = true }
        nodes.worked()
        var warnings = info.warnings(asked: asked)
        if persistent, hasBeenReady, !info.sessionPresent { warnings.append(.sessionLost) }
        return warnings
    }

    /// Everything asked for is granted.
    mutating func ready(at now: ContinuousClock.Instant) {
        hasBeenReady = true
        readySince = now
    }

    /// Work got through, so a batch given back later is not a repetition of an earlier one.
    mutating func progressed() {
        rejections = 0
    }

    /// The connection ended, or could not be made.
    /// - Parameter isUnanswered: The broker took the connection, and then hung up or stayed silent when it was greeted.
    mutating func ended(
        _ error: BusError, rejected: Bool = false, isUnanswered: Bool = false, at now: ContinuousClock.Instant,
        using random: inout some RandomNumberGenerator
    ) -> Decision {
        let error = judged(error, at: now)
        let wasReady = readySince
        readySince = nil
        if endsWithConnection, connections > 0 { return .giveUp(error) }
        if version == .v5, error.isUnsupportedVersion {
            version = .v311
            return .fallBack
        }
        // Given back by ourselves, the delivery comes again from the same node.
        let isRoundOver = rejected || nodes.failed()
        if isUnanswered, fallsBackUnanswered() { return .fallBack }
        if wasReady != nil, isGuess { (version, isGuess, unanswered) = (.v5, false, Self.unansweredGreetings * nodes.count - 1) }
        // A node that cannot be reached is passed over without a wait; one that took us and hung up may do so for a reason that all share.
        if !isRoundOver, error.operation == .connect { return .retry(attempt: max(failures, 1), after: .zero) }
        guard hasBeenReady || error.isRetryable else { return .giveUp(error) }
        if let wasReady, now - wasReady >= backoff.resetAfter { failures = 0 }
        if rejected { rejections += 1 } else { failures += 1 }
        let attempt = max(failures, rejections)
        return .retry(attempt: attempt, after: backoff.delay(attempt: attempt, using: &random))
    }
}

extension ConnectionMachine {
    /// Takes TLS that is cut off again and again for refused: a broker that is stopped in the middle of a handshake comes back, one that does not
    /// speak TLS hangs up every time.
    private mutating func judged(_ error: BusError, at now: ContinuousClock.Instant) -> BusError {
        guard error.code == .tlsCutOff else {
            cutOffSince = nil
            return error
        }
        let since = cutOffSince ?? now
        cutOffSince = since
        guard now - since >= patience else { return error }
        let detail = "the other side has hung up on TLS for \(patience); does it speak TLS on that port? \(error.detail)"
        return BusError(.tlsFailed, during: error.operation, detail: detail)
    }

    /// Counts a greeting that was not answered; true where the other protocol is to be tried at once.
    private mutating func fallsBackUnanswered() -> Bool {
        if isGuess {
            // Nor was 3.1.1 it.
            (version, isGuess, unanswered) = (.v5, false, 0)
            return false
        }
        guard version == .v5, !hasSpokenV5 else { return false }
        unanswered += 1
        guard unanswered >= Self.unansweredGreetings * nodes.count else { return false }
        (version, isGuess) = (.v311, true)
        return true
    }
}

extension BusError {
    /// CONNACK 0x84 of MQTT 5, or 1 of an older broker.
    fileprivate var isUnsupportedVersion: Bool {
        operation == .connect && (reason == 0x84 || reason == 0x01)
    }
}

extension ConnectionInfo {
    /// The warnings for what the shipped broker configuration has and this broker lacks.
    func warnings(asked: BrokerConfiguration.Session) -> [BrokerWarning] {
        var found: [BrokerWarning] = []
        if version == .v311 { found.append(.protocol311) }
        if !retainAvailable { found.append(.noRetainedMessages) }
        if maximumQoS < 1 { found.append(.noQoS1) }
        if receiveMaximum < 100 { found.append(.smallReceiveMaximum(receiveMaximum)) }
        if let maximum = maximumPacketSize, maximum < 512 << 10 { found.append(.smallPackets(maximum: maximum)) }
        if case .persistent(let expiry) = asked, let granted = sessionExpiry, granted < expiry {
            found.append(.shortSessionExpiry(granted: granted))
        }
        return found
    }
}

/// The time to wait before connecting again: exponential with full jitter, so that many clients do not return in step.
///
/// Method: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
package struct Backoff: Sendable, Hashable {
    /// The ceiling of the first wait.
    package var base: Duration
    /// The ceiling of every wait.
    package var maximum: Duration
    /// The time a connection must have worked before the next failure counts as the first again.
    package var resetAfter: Duration

    package init(base: Duration = .milliseconds(100), maximum: Duration = .seconds(10), resetAfter: Duration = .seconds(10)) {
        self.base = base
        self.maximum = maximum
        self.resetAfter = resetAfter
    }

    /// The longest wait before the given attempt, the first being 1.
    package func ceiling(attempt: Int) -> Duration {
        let doublings = min(max(attempt - 1, 0), 30)
        return min(base * (1 << doublings), maximum)
    }

    /// A wait between nothing and the ceiling.
    package func delay(attempt: Int, using random: inout some RandomNumberGenerator) -> Duration {
        // Fifty-three random bits are a fraction below 1; `Double.random` may ask a scripted generator for ever.
        ceiling(attempt: attempt) * (Double(random.next() >> 11) / Double(UInt64(1) << 53))
    }
}
