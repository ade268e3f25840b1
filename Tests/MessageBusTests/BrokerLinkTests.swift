import Foundation
import Synchronization
import TestSupport
import Testing

@testable import MessageBus

@Suite("A link to a broker", .timeLimit(.minutes(2)))
struct BrokerLinkTests {
    /// What became of an attempt to connect.
    private struct Outcome: Sendable {
        var isConnected = false
        var connections = 0
        var took = Duration.zero
        var error: BusError?
    }

    private let events = EventLog()
    private let lost = BusError(.connectionLost, during: .receive)

    private func configuration(_ port: UInt16, backoff: Duration = .milliseconds(1), timeout: Duration = .seconds(60))
        -> BrokerConfiguration
    {
        BrokerConfiguration(port: port, clientID: "l", connectTimeout: timeout, backoff: Backoff(base: backoff, maximum: backoff))
    }

    /// Prepares a link on a thread of its own, and has it connect.
    private func outcome(
        _ configuration: BrokerConfiguration,
        _ prepare: @escaping @Sendable (BrokerLink, WakeUp) throws(BusError) -> Void = { _, _ in },
        unless isOver: @escaping @Sendable () -> Bool = { false }
    ) async -> Outcome {
        let events = events
        return await onDedicatedThread(named: "link") {
            let wakeUp = WakeUp()
            let link = BrokerLink(configuration, receiveMaximum: 5, wakeUp: wakeUp, onEvent: events.note)
            var outcome = Outcome()
            let start = ContinuousClock.now
            do throws(BusError) {
                try prepare(link, wakeUp)
                outcome.isConnected = try link.establish(unless: isOver) != nil
            } catch {
                outcome.error = error
            }
            outcome.took = start.duration(to: .now)
            outcome.connections = link.connections
            return outcome
        } ?? Outcome()
    }

    /// The pauses that were announced.
    private var pauses: [(attempt: Int, after: Duration)] {
        events.events.compactMap { if case .reconnecting(let attempt, let after) = $0 { (attempt, after) } else { nil } }
    }

    private var hasLost: @Sendable () -> Bool {
        { [events] in events.events.contains { if case .disconnected = $0 { true } else { false } } }
    }

    @Test("connects at once, and tells the broker's terms and what it lacks")
    func connects() async throws {
        let broker = try ScriptedBroker { $0.type == ScriptedBroker.connect ? [0x20, 6, 0, 0, 3, 0x21, 0, 20] : [] }
        let outcome = await outcome(configuration(broker.port, backoff: .seconds(3_600)))
        #expect(outcome.isConnected && outcome.connections == 1 && outcome.error == nil)
        let info = ConnectionInfo(version: .v5, receiveMaximum: 20, subscriptionIdentifiersAvailable: true)
        #expect(events.events == [.connected(info), .brokerLacks(.smallReceiveMaximum(20))])
    }

    @Test("waits before the next attempt for as long as it has told, also when it is woken before")
    func waits() async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        let looks = Counting()
        let outcome = await outcome(
            configuration(broker.port, backoff: .milliseconds(400)),
            { [lost] link, wakeUp throws(BusError) in
                try link.ended(lost)
                wakeUp.signal()
            }, unless: { looks.next() > 100 })
        // It has slept, rather than looked all the time.
        #expect(outcome.isConnected)
        let pause = try #require(pauses.first)
        #expect(pause.attempt == 1 && outcome.took >= pause.after)
        #expect(events.events.first == .disconnected(lost))
    }

    @Test("does not connect where it is over, before an attempt or while it waits for one")
    func over() async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        let before = await outcome(configuration(broker.port), unless: { true })
        #expect(!before.isConnected && before.error == nil && events.events.isEmpty)
        let looks = Counting()
        let hours = configuration(broker.port, backoff: .seconds(36_000))
        let waiting = await outcome(
            hours,
            { [lost] link, wakeUp throws(BusError) in
                try link.ended(lost)
                wakeUp.signal()
            }, unless: { looks.next() > 1 })
        #expect(!waiting.isConnected && waiting.error == nil)
        #expect(broker.connections == 0)
    }

    @Test("gives a silent broker the time it has to answer, and says how long that was")
    func silent() async throws {
        let broker = try ScriptedBroker { _ in [] }
        let outcome = await outcome(configuration(broker.port, timeout: .milliseconds(300)), unless: hasLost)
        #expect(!outcome.isConnected && outcome.took >= .milliseconds(300))
        #expect(events.events.first == .disconnected(BusError(.unreachable, during: .connect, detail: "no answer in 0.3 seconds")))
    }

    @Test("says that nobody listens at a port, and tries again")
    func nobody() async throws {
        let outcome = await outcome(configuration(try LoopbackPort.free()), unless: hasLost)
        #expect(!outcome.isConnected && outcome.error == nil)
        guard case .disconnected(let error) = events.events.first else { throw NeverHappened(description: "an error") }
        #expect(error.code == .unreachable && error.operation == .connect && error.detail.contains("Connection refused"))
        #expect(pauses.map(\.attempt) == [1])
    }

    @Test("gives up with what a retry does not help, but not once it was ready")
    func givesUp() async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        let refused = BusError(.badCredentials, during: .connect, reason: 0x86)
        let first = await outcome(configuration(broker.port)) { link, _ throws(BusError) in try link.ended(refused) }
        #expect(first.error == refused && events.events == [.disconnected(refused)])
        let later = await outcome(configuration(broker.port)) { link, _ throws(BusError) in
            link.ready()
            try link.ended(refused)
        }
        #expect(later.isConnected && events.events.contains(.ready))
    }

    @Test("counts batches that were given back from one that got through on, and broken connections by themselves")
    func counts() async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        _ = await outcome(configuration(broker.port)) { [lost] link, _ throws(BusError) in
            link.ready()
            try link.ended(lost, rejected: true)
            try link.ended(lost, rejected: true)
            link.progressed()
            try link.ended(lost, rejected: true)
            link.progressed()
            try link.ended(lost)
            link.progressed()
            try link.ended(lost)
        }
        #expect(pauses.map(\.attempt) == [1, 2, 1, 1, 2])
    }

    @Test("greets a broker that refuses for now with MQTT 5 again, as one that says nothing sensible", arguments: [true, false])
    func staysWithV5(refuses: Bool) async throws {
        let broker = try ScriptedBroker { packet in
            guard packet.connection < 4 else { return ScriptedBroker.obliging(packet) }
            return refuses ? ScriptedBroker.accepted(reason: 0x88) : [0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        }
        let outcome = await outcome(configuration(broker.port))
        #expect(outcome.isConnected)
        #expect(broker.packets.filter { $0.type == ScriptedBroker.connect }.map { $0.body[6] } == [5, 5, 5, 5])
        let errors = events.events.compactMap { if case .disconnected(let error) = $0 { error } else { nil } }
        #expect(errors.map(\.code) == Array(repeating: refuses ? .refused : .protocolViolation, count: 3))
        #expect(errors.map(\.reason) == Array(repeating: refuses ? 0x88 : nil, count: 3))
    }
}

/// Counts calls.
private final class Counting: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
