import Foundation
import TestSupport
import Testing

@testable import MessageBus

@Suite("Rules of consumers and publishers", .timeLimit(.minutes(1)))
struct ConsumerRuleTests {
    private func configuration(_ change: (inout ConsumerConfiguration) -> Void = { _ in }) -> ConsumerConfiguration {
        var configuration = ConsumerConfiguration(broker: BrokerConfiguration(clientID: "c"), subscriptions: [Subscription("a/#")])
        change(&configuration)
        return configuration
    }

    private func problem(_ change: (inout ConsumerConfiguration) -> Void) -> String {
        do throws(BusError) {
            try configuration(change).check()
            return ""
        } catch {
            return error.code == .invalidConfiguration ? error.detail : "\(error)"
        }
    }

    @Test("take limits of one, and none below; filters that are there, and no others; a broker that makes sense")
    func checks() {
        #expect(problem { $0.limits = BatchLimits(count: 1, bytes: 1) } == "" && problem { $0.receiveMaximum = 1 } == "")
        #expect(problem { $0.subscriptions = [] } == "" && problem { $0.formerFilters = ["b"] } == "")
        for wrong in [
            problem { $0.limits.count = 0 }, problem { $0.limits.count = -1 }, problem { $0.limits.bytes = 0 },
            problem { $0.receiveMaximum = 0 },
        ] {
            #expect(wrong.contains("limits must be more than 0"))
        }
        for wrong in [
            problem { $0.subscriptions.append(Subscription("")) }, problem { $0.subscriptions.append(Subscription("a\0")) },
            problem { $0.formerFilters = ["", "b"] }, problem { $0.formerFilters = ["b", "\0"] },
        ] {
            #expect(wrong.contains("filter is empty or has a NUL"))
        }
        #expect(problem { $0.broker.clientID = "" }.contains("client identifier"))
    }

    @Test("end at once with what is wrong, and so does whoever waits for them")
    func endsAtOnce() async throws {
        let consumer = Consumer(configuration: configuration { $0.limits.count = 0 })
        let error = await #expect(throws: BusError.self) { try await consumer.run() }
        #expect(error?.code == .invalidConfiguration)
        let batches = await #expect(throws: BusError.self) { try await consumer.takeBatch() }
        #expect(batches == error)
        let publisher = Publisher(configuration: PublisherConfiguration(broker: BrokerConfiguration(clientID: "")))
        let other = await #expect(throws: BusError.self) { try await publisher.run() }
        #expect(other?.code == .invalidConfiguration)
        let refused = await #expect(throws: BusError.self) { try await publisher.publish(OutgoingMessage(topic: "t", payload: [])) }
        #expect(refused == other)
    }

    @Test("a message that MQTT cannot carry is refused before anybody waits for it")
    func invalid() async throws {
        let publisher = Publisher(configuration: PublisherConfiguration(broker: BrokerConfiguration(clientID: "p")))
        let error = await #expect(throws: BusError.self) { try await publisher.publish(OutgoingMessage(topic: "a/#", payload: [])) }
        #expect(error?.code == .invalidTopic && publisher.counters.accepted == 0)
    }

    @Test("drain without ever having connected, and take nothing more then")
    func drained() async throws {
        let publisher = Publisher(configuration: PublisherConfiguration(broker: BrokerConfiguration(port: 1, clientID: "p")))
        publisher.drain()
        try await publisher.run()
        let error = await #expect(throws: BusError.self) { try await publisher.publish(OutgoingMessage(topic: "t", payload: [])) }
        #expect(error?.code == .closed && publisher.counters == PublisherCounters())
        let consumer = Consumer(configuration: configuration { $0.broker.port = 1 })
        consumer.drain()
        try await consumer.run()
        #expect(try await consumer.batchesAreOver() && consumer.counters == ConsumerCounters())
    }

    @Test("are set up for many messages at once, each acknowledged, and subscribe to all that a topic has, with what was kept")
    func defaults() {
        #expect(configuration().receiveMaximum == 4_000 && configuration().finishing == .zero && configuration().formerFilters == [])
        #expect(BatchLimits().gather == .zero)
        let publisher = PublisherConfiguration(broker: BrokerConfiguration(clientID: "p"))
        #expect(publisher.maximumInFlight == 1_000 && publisher.answers == nil && !publisher.broker.endsWithConnection)
        let subscription = Subscription("t")
        #expect(subscription.qos == .atLeastOnce && !subscription.excludesOwn && subscription.retainHandling == .atSubscribe)
        let incoming = IncomingMessage(topic: "t", payload: [])
        #expect(!incoming.retained && incoming.packetID == 0 && incoming.qos == .atLeastOnce && incoming.properties.isEmpty)
        #expect(!MessageProperties(expiry: .zero).isEmpty && !MessageProperties(contentType: "").isEmpty)
        let outgoing = OutgoingMessage(topic: "t", payload: [])
        #expect(!outgoing.retained && !outgoing.isExpendable && outgoing.qos == .atLeastOnce)
        #expect(QoS.atMostOnce < .atLeastOnce && !(QoS.atLeastOnce < .atMostOnce))
        let info = ConnectionInfo(version: .v5)
        #expect(!info.sessionPresent && info.maximumQoS == 2 && info.retainAvailable && !info.subscriptionIdentifiersAvailable)
    }

    @Test("count what is under way by what has ended, and add up")
    func counters() {
        var one = ConsumerCounters()
        #expect(one.inFlight == 0)
        (one.received, one.delivered, one.acknowledged, one.returned) = (100, 90, 50, 20)
        (one.rejectedBatches, one.batches, one.reconnects) = (3, 7, 2)
        #expect(one.inFlight == 30)
        var sum = one
        sum += one
        var twice = ConsumerCounters()
        (twice.received, twice.delivered, twice.acknowledged, twice.returned) = (200, 180, 100, 40)
        (twice.rejectedBatches, twice.batches, twice.reconnects) = (6, 14, 4)
        #expect(sum == twice)
        var published = PublisherCounters()
        #expect(published.inFlight == 0)
        (published.accepted, published.delivered, published.failed) = (10, 5, 2)
        #expect(published.inFlight == 3)
    }

    @Test(
        "understand a broker's answer to a subscription",
        arguments: [
            (0, .v5, .subscribed(filter: "a", qos: .atMostOnce)), (1, .v5, .subscribed(filter: "a", qos: .atLeastOnce)),
            (2, .v5, .subscribed(filter: "a", qos: .atLeastOnce)), (0x7F, .v5, .subscribed(filter: "a", qos: .atLeastOnce)),
            (0, .v311, .subscribed(filter: "a", qos: .atMostOnce)),
        ] as [(UInt8, BrokerConfiguration.ProtocolVersion, BusEvent)])
    func granted(reason: UInt8, version: BrokerConfiguration.ProtocolVersion, event: BusEvent) throws {
        let found = try Subscription("a").granted(reason, version: version)
        #expect(found == event)
    }

    @Test(
        "understand a broker's refusal of a subscription; that of MQTT 3.1.1 may be for now",
        arguments: [
            (0x80, .v5, .refused, "filter a"), (0x87, .v5, .notAuthorized, "filter a"), (0x97, .v5, .quotaExceeded, "filter a"),
            (0x80, .v311, .refused, "filter a: not allowed, or not now"), (0x87, .v311, .refused, "filter a: not allowed, or not now"),
        ] as [(UInt8, BrokerConfiguration.ProtocolVersion, BusError.Code, String)])
    func refused(reason: UInt8, version: BrokerConfiguration.ProtocolVersion, code: BusError.Code, detail: String) {
        let error = #expect(throws: BusError.self) { try Subscription("a").granted(reason, version: version) }
        #expect(error == BusError(code, during: .subscribe, reason: reason, detail: detail))
    }

    @Test("work on a thread of its own, whose value is returned")
    func thread() async throws {
        let name = await onDedicatedThread(named: "mqtt-test") {
            try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        }
        #expect(name == "mqtt-test\n")
    }

    @Test("a batch is settled once, by the first, also where it has other messages now")
    func settles() {
        final class Outcomes: @unchecked Sendable { var all: [MessageBatch.Outcome] = []; var held = 0 }
        let outcomes = Outcomes()
        let message = IncomingMessage(topic: "t", payload: [])
        do {
            let batch = MessageBatch(messages: [message], holdOpen: { outcomes.held += 1 }) { outcomes.all.append($0) }
            let other = batch.with([])
            #expect(other.messages.isEmpty && batch.messages == [message])
            other.holdOpen()
            batch.holdOpen()
            other.settle(.committed)
            batch.settle(.rejected)
        }
        #expect(outcomes.all == [.committed] && outcomes.held == 2)
        do { _ = MessageBatch(messages: [message]) { outcomes.all.append($0) } }
        #expect(outcomes.all == [.committed, .rejected], "let go")
    }
}
