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

    @Test("ends with its first connection where somebody has to be asked before the next, but goes on trying to make one")
    func endsWithConnection() {
        var configuration = BrokerConfiguration(clientID: "c")
        configuration.endsWithConnection = true
        var machine = ConnectionMachine(configuration)
        let away = end(&machine, BusError(.unreachable, during: .connect))
        #expect(ceiling(away) != nil)
        _ = machine.accepted(ConnectionInfo(version: .v5), asked: .clean)
        machine.ready(at: start)
        #expect(end(&machine, lost) == .giveUp(lost))
    }

    private func cluster(_ hosts: String) -> ConnectionMachine {
        ConnectionMachine(BrokerConfiguration(host: hosts, clientID: "c", backoff: Backoff(base: .milliseconds(100), maximum: .seconds(2))))
    }

    @Test("tries each node at once, waits when all have failed, and stays with the one that works")
    func nodes() {
        var machine = cluster("a,b,c")
        let away = BusError(.unreachable, during: .connect)
        var tried: [String] = [], waits: [Duration?] = []
        for _ in 0..<6 {
            tried.append(machine.nodes.current.host)
            let decision = end(&machine, away)
            waits.append(
                decision == .retry(attempt: 1, after: .zero) || decision == .retry(attempt: 2, after: .zero) ? nil : ceiling(decision))
        }
        #expect(tried == ["a", "b", "c", "a", "b", "c"])
        #expect(waits.map { $0 == nil } == [true, true, false, true, true, false])
        _ = end(&machine, away)
        _ = machine.accepted(ConnectionInfo(version: .v5), asked: .clean)
        machine.ready(at: start)
        #expect(machine.nodes.current.host == "b")
        // A delivery that we gave back ourselves is the node's no fault.
        _ = end(&machine, lost, rejected: true, after: .seconds(20))
        #expect(machine.nodes.current.host == "b")
    }

    @Test("nodes that take a connection and hang up are waited for as a single one is")
    func kickedByNodes() {
        var machine = cluster("a,b,c")
        for attempt in 1...5 {
            _ = machine.accepted(ConnectionInfo(version: .v5), asked: .clean)
            machine.ready(at: start)
            guard case .retry(attempt, let wait) = end(&machine, lost), wait > .zero else {
                Issue.record("attempt \(attempt) did not wait")
                return
            }
        }
    }

    @Test("a first connection that no node lets in ends, with the last one's reason, only when each was asked")
    func refusedByNodes() {
        var machine = cluster("a,b")
        let refused = BusError(.badCredentials, during: .connect, reason: 5)
        #expect(end(&machine, refused) == .retry(attempt: 1, after: .zero))
        #expect(end(&machine, refused) == .giveUp(refused))
    }

    @Test("speaks 3.1.1 to a broker that is silent or hangs up twice when greeted with MQTT 5, and greets it so again after a connection")
    func unanswered() {
        var machine = machine()
        func silence() -> ConnectionMachine.Decision {
            var random = Fixed(value: .max)
            return machine.ended(BusError(.connectionLost, during: .connect), isUnanswered: true, at: start, using: &random)
        }
        #expect(silence() != .fallBack && machine.version == .v5)
        #expect(silence() == .fallBack && machine.version == .v311)
        _ = machine.accepted(ConnectionInfo(version: .v311), asked: .clean)
        machine.ready(at: start)
        _ = end(&machine, lost, after: .seconds(20))
        #expect(machine.version == .v5, "it may have been a broker that was about to start")
        #expect(silence() == .fallBack && machine.version == .v311)
        // Nor does it answer this one.
        #expect(silence() != .fallBack && machine.version == .v5)
        #expect(silence() != .fallBack && machine.version == .v5)
    }

    @Test(
        "reads lists of hosts",
        arguments: [
            ("a", ["a:1883"]), ("a,b,c", ["a:1883", "b:1883", "c:1883"]), ("a:1, b:2", ["a:1", "b:2"]), ("::1", ["[::1]:1883"]),
            ("[::1]:5,10.0.0.1:6", ["[::1]:5", "10.0.0.1:6"]), ("[fe80::1]", ["[fe80::1]:1883"]),
            ("", nil), ("a,", nil), ("a:", nil), ("a:0", nil), ("a:70000", nil), ("[::1", nil), ("[::1]x", nil), ("a b", nil), (":1", nil),
        ] as [(String, [String]?)])
    func lists(_ text: String, _ expected: [String]?) {
        #expect(BrokerAddress.list(text, port: 1883)?.map(\.description) == expected)
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

    @Test("tries on where TLS is cut off, as by a broker that is just stopped, and takes it for refused only after a while of nothing else")
    func cutOff() {
        var machine = machine()
        let cut = BusError(.tlsCutOff, during: .connect, detail: "unexpected eof")
        func isRetried(after seconds: Double) -> Bool {
            if case .retry = end(&machine, cut, after: .seconds(seconds)) { true } else { false }
        }
        #expect(isRetried(after: 0) && isRetried(after: 9.9))
        // Something else in between: the count begins again.
        _ = end(&machine, BusError(.unreachable, during: .connect), after: .seconds(9.95))
        #expect(isRetried(after: 10) && isRetried(after: 19.9))
        _ = machine.accepted(ConnectionInfo(version: .v5), asked: .clean)
        #expect(isRetried(after: 20) && isRetried(after: 29.9))
        guard case .giveUp(let error) = end(&machine, cut, after: .seconds(30)) else {
            Issue.record("went on for ever")
            return
        }
        #expect(error.code == .tlsFailed)
        #expect(error.detail.contains("unexpected eof"))
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
