import Testing

@testable import MessageBus

@Suite("The bounds of connections")
struct ConnectionBoundTests {
    /// Always the longest wait.
    private struct Highest: RandomNumberGenerator {
        func next() -> UInt64 { .max }
    }

    private let start = ContinuousClock.now

    // MARK: Warnings

    @Test(
        "a broker is told of that takes less than a hundred messages at once, or packets of less than half a mebibyte, or no QoS 1",
        arguments: [
            (ConnectionInfo(version: .v5, receiveMaximum: 99), [.smallReceiveMaximum(99)]),
            (ConnectionInfo(version: .v5, receiveMaximum: 100), []),
            (ConnectionInfo(version: .v5, maximumPacketSize: 524_287), [.smallPackets(maximum: 524_287)]),
            (ConnectionInfo(version: .v5, maximumPacketSize: 524_288), []), (ConnectionInfo(version: .v5, maximumQoS: 0), [.noQoS1]),
            (ConnectionInfo(version: .v5, maximumQoS: 1), []),
            (ConnectionInfo(version: .v5, retainAvailable: false), [.noRetainedMessages]),
            (ConnectionInfo(version: .v311), [.protocol311]),
        ] as [(ConnectionInfo, [BrokerWarning])])
    func warnings(info: ConnectionInfo, expected: [BrokerWarning]) {
        #expect(info.warnings(asked: .clean) == expected)
    }

    @Test("a session that is kept for less long than asked for is told of", arguments: [(59, true), (60, false), (61, false)])
    func expiry(granted: Int, isTold: Bool) {
        let info = ConnectionInfo(version: .v5, sessionExpiry: .seconds(granted))
        let expected: [BrokerWarning] = isTold ? [.shortSessionExpiry(granted: .seconds(granted))] : []
        #expect(info.warnings(asked: .persistent(expiry: .seconds(60))) == expected)
        #expect(info.warnings(asked: .clean).isEmpty)
    }

    // MARK: Waits

    @Test("a wait is at most a tenth of a second at first and ten seconds later, where nothing else is said")
    func defaults() {
        #expect(Backoff() == Backoff(base: .milliseconds(100), maximum: .seconds(10), resetAfter: .seconds(10)))
    }

    @Test(
        "a ceiling doubles thirty times and no more",
        arguments: [(0, 1), (1, 1), (2, 2), (3, 4), (30, 1 << 29), (31, 1 << 30), (32, 1 << 30), (Int.max, 1 << 30)])
    func ceilings(attempt: Int, nanoseconds: Int) {
        let backoff = Backoff(base: .nanoseconds(1), maximum: .seconds(100))
        #expect(backoff.ceiling(attempt: attempt) == .nanoseconds(nanoseconds))
    }

    @Test("a batch that is given back counts as often as connections fail, and no more")
    func attempts() {
        var machine = ConnectionMachine(BrokerConfiguration(clientID: "c"))
        func end(rejected: Bool) -> Int? {
            var random = Highest()
            let error = BusError(.connectionLost, during: .receive)
            guard case .retry(let attempt, _) = machine.ended(error, rejected: rejected, at: start, using: &random) else { return nil }
            return attempt
        }
        machine.ready(at: start)
        #expect([true, true, false, false, false, true].map { end(rejected: $0) } == [1, 2, 2, 2, 3, 3])
    }

    // MARK: Clusters

    private func silence(_ machine: inout ConnectionMachine) -> ConnectionMachine.Decision {
        var random = Highest()
        return machine.ended(BusError(.connectionLost, during: .connect), isUnanswered: true, at: start, using: &random)
    }

    @Test("each node of a cluster is greeted twice with MQTT 5 before the older protocol is tried")
    func greetings() {
        var machine = ConnectionMachine(BrokerConfiguration(host: "a,b", clientID: "c"))
        for _ in 0..<3 { #expect(silence(&machine) != .fallBack && machine.version == .v5) }
        #expect(silence(&machine) == .fallBack && machine.version == .v311)
    }

    @Test("after a connection of the older protocol that was a guess one more silence is enough for it, also of a cluster")
    func guessed() {
        var machine = ConnectionMachine(BrokerConfiguration(host: "a,b", clientID: "c"))
        for _ in 0..<4 { _ = silence(&machine) }
        _ = machine.accepted(ConnectionInfo(version: .v311), asked: .clean)
        machine.ready(at: start)
        var random = Highest()
        _ = machine.ended(BusError(.connectionLost, during: .receive), at: start + .seconds(20), using: &random)
        #expect(machine.version == .v5)
        #expect(silence(&machine) == .fallBack && machine.version == .v311)
    }

    @Test("a broker that has spoken MQTT 5 is never greeted otherwise for its silence")
    func spoken() {
        var machine = ConnectionMachine(BrokerConfiguration(clientID: "c"))
        _ = machine.accepted(ConnectionInfo(version: .v5), asked: .clean)
        machine.ready(at: start)
        for _ in 0..<5 { #expect(silence(&machine) != .fallBack && machine.version == .v5) }
    }
}
