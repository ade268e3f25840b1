import Testing

@testable import MessageBus

@Suite("The connection machine")
struct ConnectionMachineTests {
    /// Always the same number, so that a full-jitter wait is a known fraction of its ceiling.
    private struct Fixed: RandomNumberGenerator {
        let value: UInt64
        func next() -> UInt64 { value }
    }

    private let start = ContinuousClock.now
    private let lost = BusError(.connectionLost, during: .receive)

    private func machine(
        version: BrokerConfiguration.ProtocolVersion = .v5, session: BrokerConfiguration.Session = .clean
    ) -> ConnectionMachine {
        ConnectionMachine(
            BrokerConfiguration(
                clientID: "c", protocolVersion: version, session: session,
                backoff: Backoff(base: .milliseconds(100), maximum: .seconds(2), resetAfter: .seconds(10))))
    }

    /// The longest wait that the machine could have decided on.
    private func ceiling(_ decision: ConnectionMachine.Decision) -> Duration? {
        guard case .retry(let attempt, _) = decision else { return nil }
        return Backoff(base: .milliseconds(100), maximum: .seconds(2)).ceiling(attempt: attempt)
    }

    private func end(
        _ machine: inout ConnectionMachine, _ error: BusError, rejected: Bool = false, after: Duration = .zero
    ) -> ConnectionMachine.Decision {
        var random = Fixed(value: .max)
        return machine.ended(error, rejected: rejected, at: start + after, using: &random)
    }

    @Test("doubles the ceiling of its waits up to the maximum")
    func backsOff() {
        var machine = machine()
        let waits = (0..<7).map { _ in ceiling(end(&machine, BusError(.unreachable, during: .connect))) }
        #expect(
            waits == [
                .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800), .milliseconds(1_600), .seconds(2),
                .seconds(2),
            ])
    }

    @Test("waits anything between nothing and the ceiling")
    func fullJitter() {
        let backoff = Backoff(base: .seconds(1), maximum: .seconds(64))
        var low = Fixed(value: 0)
        var high = Fixed(value: .max)
        #expect(backoff.delay(attempt: 3, using: &low) == .zero)
        let longest = backoff.delay(attempt: 3, using: &high)
        #expect(longest > .milliseconds(3_990) && longest <= .seconds(4))
        #expect(backoff.ceiling(attempt: .max) == .seconds(64))
    }

    @Test("goes on backing off when connections succeed and are kicked at once")
    func kicked() {
        var machine = machine()
        for attempt in 1...4 {
            _ = machine.accepted(ConnectionInfo(version: .v5), asked: .clean)
            machine.ready(at: start)
            guard case .retry(attempt, _) = end(&machine, lost, after: .milliseconds(50)) else {
                Issue.record("attempt \(attempt) did not count up")
                return
            }
        }
    }

    @Test("starts over after a connection that worked for long enough")
    func resets() {
        var machine = machine()
        for _ in 0..<5 { _ = end(&machine, BusError(.unreachable, during: .connect)) }
        machine.ready(at: start)
        #expect(ceiling(end(&machine, lost, after: .seconds(10))) == .milliseconds(100))
    }

    @Test("backs off from a batch that is given back again and again, until work gets through")
    func poison() {
        var machine = machine()
        machine.ready(at: start)
        _ = end(&machine, lost, rejected: true)
        machine.ready(at: start)
        #expect(ceiling(end(&machine, lost, rejected: true, after: .seconds(60))) == .milliseconds(200), "long work is no progress")
        machine.progressed()
        #expect(ceiling(end(&machine, lost, rejected: true)) == .milliseconds(100))
    }

    @Test(
        "gives up at the first connection on what a retry does not help",
        arguments: [BusError.Code.badCredentials, .notAuthorized, .tlsFailed, .invalidConfiguration])
    func givesUp(code: BusError.Code) {
        var machine = machine()
        let error = BusError(code, during: .connect)
        #expect(end(&machine, error) == .giveUp(error))
    }

    @Test("tries on after the same when it had once been connected: the broker may be restarting with other settings")
    func staysOnceReady() {
        var machine = machine()
        machine.ready(at: start)
        _ = end(&machine, lost)
        guard case .retry = end(&machine, BusError(.notAuthorized, during: .connect)) else {
            Issue.record("gave up")
            return
        }
    }

    @Test("falls back to MQTT 3.1.1 once, when the broker refuses MQTT 5", arguments: [UInt8(0x01), 0x84])
    func fallsBack(reason: UInt8) {
        var machine = machine()
        let error = BusError(.refused, during: .connect, reason: reason)
        #expect(end(&machine, error) == .fallBack)
        #expect(machine.version == .v311)
        #expect(end(&machine, error) == .giveUp(error))
    }

    @Test("notices a session that the broker has forgotten, but not a first one")
    func sessionLost() {
        let session = BrokerConfiguration.Session.persistent(expiry: .seconds(60))
        var machine = machine(session: session)
        let forgotten = ConnectionInfo(version: .v5, sessionPresent: false)
        #expect(machine.accepted(forgotten, asked: session).isEmpty)
        machine.ready(at: start)
        _ = end(&machine, lost)
        #expect(machine.accepted(forgotten, asked: session) == [.sessionLost])
        #expect(machine.accepted(ConnectionInfo(version: .v5, sessionPresent: true), asked: session).isEmpty)
    }

    @Test("tells what a broker visibly lacks")
    func warnings() {
        let poor = ConnectionInfo(
            version: .v5, receiveMaximum: 20, maximumPacketSize: 4_096, maximumQoS: 0, retainAvailable: false, sessionExpiry: .seconds(60))
        #expect(
            poor.warnings(asked: .persistent(expiry: .seconds(3_600))) == [
                .noRetainedMessages, .noQoS1, .smallReceiveMaximum(20), .smallPackets(maximum: 4_096),
                .shortSessionExpiry(granted: .seconds(60)),
            ])
        #expect(ConnectionInfo(version: .v311).warnings(asked: .clean) == [.protocol311])
        #expect(ConnectionInfo(version: .v5).warnings(asked: .persistent(expiry: .seconds(3_600))).isEmpty)
    }
}
