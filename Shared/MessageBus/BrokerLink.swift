import CMosquitto
import Glibc

/// Makes connections, one after the other, and waits between them as the connection machine decides. Stays on one thread.
final class BrokerLink {
    private let configuration: BrokerConfiguration
    private let receiveMaximum: UInt16
    private let wakeUp: WakeUp
    private let onEvent: @Sendable (BusEvent) -> Void
    private var machine: ConnectionMachine
    private var random = SystemRandomNumberGenerator()
    private var notBefore: ContinuousClock.Instant?
    /// The broker took the last connection, and did not answer CONNECT.
    private var isUnanswered = false
    private let clock = ContinuousClock()

    init(
        _ configuration: BrokerConfiguration, receiveMaximum: UInt16, wakeUp: WakeUp, onEvent: @escaping @Sendable (BusEvent) -> Void
    ) {
        self.configuration = configuration
        self.receiveMaximum = receiveMaximum
        self.wakeUp = wakeUp
        self.onEvent = onEvent
        machine = ConnectionMachine(configuration)
    }

    /// Connections made so far.
    var connections: Int { machine.connections }

    /// An accepted connection, as soon as there is one. Nil when there is to be none.
    func establish(unless isOver: () -> Bool) throws(BusError) -> MosquittoClient? {
        while !isOver() {
            if pause() { continue }
            do throws(BusError) {
                guard let client = try open(unless: isOver) else { return nil }
                accepted(client)
                return client
            } catch {
                try ended(error)
            }
        }
        return nil
    }

    /// The connection now does all that it is for.
    func ready() {
        machine.ready(at: clock.now)
        onEvent(.ready)
    }

    /// Work got through.
    func progressed() {
        machine.progressed()
    }

    /// The connection is over. Throws when there is to be no other.
    func ended(_ error: BusError, rejected: Bool = false) throws(BusError) {
        onEvent(.disconnected(error))
        defer { isUnanswered = false }
        switch machine.ended(error, rejected: rejected, isUnanswered: isUnanswered, at: clock.now, using: &random) {
        case .giveUp(let error): throw error
        case .fallBack:
            onEvent(.fellBackTo311)
            notBefore = nil
        case .retry(let attempt, let delay):
            onEvent(.reconnecting(attempt: attempt, after: delay))
            notBefore = clock.now + delay
        }
    }

    /// Waits for the next attempt, at most until woken. False when it is time.
    private func pause() -> Bool {
        guard let notBefore, case let left = notBefore - clock.now, left > .zero else { return false }
        _ = SocketPoll.wait(socket: -1, read: false, write: false, wakeUp: wakeUp, timeout: left)
        return true
    }

    private func accepted(_ client: MosquittoClient) {
        guard let info = client.acceptance?.info else { return }
        let warnings = machine.accepted(info, asked: configuration.session)
        onEvent(.connected(info))
        for warning in warnings { onEvent(.brokerLacks(warning)) }
    }

    // MARK: - Opening one connection

    private func open(unless isOver: () -> Bool) throws(BusError) -> MosquittoClient? {
        let deadline = clock.now + machine.nodes.timeout(within: configuration.connectTimeout)
        let client = try MosquittoClient(configuration, version: machine.version)
        try client.connect(to: machine.nodes.current, receiveMaximum: receiveMaximum)
        guard try awaitSocket(client, until: deadline, unless: isOver) else { return nil }
        return try greet(client, until: deadline, atMost: clock.now + configuration.connectTimeout, unless: isOver) ? client : nil
    }

    /// Sends CONNECT and awaits CONNACK. False when that is no longer wanted.
    ///
    /// A node that has said anything, if only its part of the TLS handshake, lives: it gets until `limit`. A cluster in which a node just died takes some
    /// seconds to elect who answers, and whoever turns to another node meanwhile has both of them end each other's connections afterwards.
    private func greet(
        _ client: MosquittoClient, until deadline: ContinuousClock.Instant, atMost limit: ContinuousClock.Instant, unless isOver: () -> Bool
    ) throws(BusError) -> Bool {
        var deadline = deadline
        // Under TLS the greeting is sent once the other side has said something: who hung up before has not heard it.
        var isGreeted = configuration.tls == nil
        do throws(BusError) {
            // A TLS handshake starts from our side; without TLS there is nothing to read yet, which does no harm.
            try client.read(during: .connect)
            while client.acceptance == nil {
                guard !isOver() else { return false }
                guard try exchange(client, until: deadline) else { continue }
                (deadline, isGreeted) = (limit, true)
            }
            return true
        } catch {
            isUnanswered = isGreeted && client.acceptance == nil && (error.code == .connectionLost || error.code == .unreachable)
            throw error
        }
    }

    /// Waits until the other side has taken the connection. False when that is no longer wanted.
    private func awaitSocket(
        _ client: MosquittoClient, until deadline: ContinuousClock.Instant, unless isOver: () -> Bool
    ) throws(BusError) -> Bool {
        while !isOver() {
            let ready = SocketPoll.wait(
                socket: client.socket, read: false, write: true, wakeUp: wakeUp, timeout: try timeLeft(until: deadline))
            guard ready.isWritable || ready.isBroken else { continue }
            let code = SocketPoll.pendingError(client.socket)
            guard code == 0 else { throw BusError(.unreachable, during: .connect, detail: unsafe String(cString: strerror(code))) }
            return true
        }
        return false
    }

    /// One step of the TLS handshake, CONNECT and CONNACK.
    /// - Returns: true where the node has said something.
    private func exchange(_ client: MosquittoClient, until deadline: ContinuousClock.Instant) throws(BusError) -> Bool {
        if client.wantsWrite { try client.flush(during: .connect) }
        let ready = SocketPoll.wait(
            socket: client.socket, read: true, write: client.wantsWrite, wakeUp: wakeUp, timeout: try timeLeft(until: deadline))
        if ready.isReadable || ready.isBroken || ready.isWritable { try client.read(during: .connect) }
        if ready.isBroken, client.acceptance == nil { throw client.lost(during: .connect) }
        return ready.isReadable
    }

    private func timeLeft(until deadline: ContinuousClock.Instant) throws(BusError) -> Duration {
        let left = deadline - clock.now
        guard left > .zero else { throw BusError(.unreachable, during: .connect, detail: "no answer in \(configuration.connectTimeout)") }
        return left
    }
}
