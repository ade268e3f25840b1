import TestSupport
import Testing

@testable import MessageBus

@Suite("The broker configuration")
struct ConfigurationTests {
    private func broker(_ change: (inout BrokerConfiguration) -> Void) -> BrokerConfiguration {
        var broker = BrokerConfiguration(clientID: "c")
        change(&broker)
        return broker
    }

    @Test("never shows its password")
    func redacted() {
        let broker = broker {
            $0.username = "anna"
            $0.password = Secret("correct horse")
        }
        let consumer = ConsumerConfiguration(broker: broker, subscriptions: [])
        var dumped = ""
        dump(consumer, to: &dumped)
        for text in ["\(broker)", String(reflecting: broker), String(describing: consumer), dumped] {
            #expect(text.contains("anna"))
            #expect(!text.contains("correct horse"))
        }
    }

    @Test("goes to MQTT's port where none is named")
    func port() { #expect(BrokerConfiguration(clientID: "c").port == 1883) }

    @Test("names the setting that makes no sense")
    func named() {
        let cases: [(String, BrokerConfiguration)] = [
            ("host", broker { $0.host = "" }), ("port", broker { $0.port = 0 }), ("client identifier", broker { $0.clientID = "" }),
            ("keep-alive", broker { $0.keepAlive = .seconds(4) }), ("keep-alive", broker { $0.keepAlive = .seconds(70_000) }),
            ("connect timeout", broker { $0.connectTimeout = .zero }), ("back-off", broker { $0.backoff.base = .zero }),
            ("user name", broker { $0.password = Secret("x") }),
            ("/no/such/file", broker { $0.tls = TLSConfiguration(authorities: "/no/such/file") }),
            ("private key", broker { $0.tls = TLSConfiguration(certificate: "/etc/hostname") }),
            ("topic", broker { $0.lastWill = OutgoingMessage(topic: "a/#", payload: []) }),
        ]
        for (name, broker) in cases {
            let error = #expect(throws: BusError.self) { try broker.check() }
            #expect(
                error.map { "\($0)".contains(name) } == true || (name == "topic" && error?.code == .invalidTopic),
                "\(name): \(error as Any)")
            #expect(error?.isRetryable == false)
        }
    }

    @Test("is fine as it comes")
    func fine() {
        #expect(throws: Never.self) { try BrokerConfiguration(clientID: "c").check() }
    }

    @Test("refuses topics that MQTT cannot carry", arguments: ["", "a/+", "#", "a\0b", String(repeating: "x", count: 65_536)])
    func topics(topic: String) {
        let error = #expect(throws: BusError.self) { try OutgoingMessage(topic: topic, payload: []).check(during: .publish) }
        #expect(error?.code == .invalidTopic)
    }

    @Test("refuses properties that MQTT cannot carry")
    func properties() {
        for properties in [
            MessageProperties(contentType: "a\0b"), MessageProperties(responseTopic: "a/#"),
            MessageProperties(correlationData: [UInt8](repeating: 0, count: 65_536)),
            MessageProperties(userProperties: [UserProperty("k", String(repeating: "v", count: 65_536))]),
        ] {
            #expect(throws: BusError.self) { try OutgoingMessage(topic: "t", payload: [], properties: properties).check(during: .publish) }
        }
    }

    @Test("rounds durations up to what the wire carries")
    func durations() {
        #expect(Duration.milliseconds(1).wholeSeconds == 1)
        #expect(Duration.seconds(2).wholeSeconds == 2)
        #expect(Duration.seconds(Int64.max / 2).wholeSeconds == .max)
        #expect(Duration.seconds(-1).wholeSeconds == 0)
        #expect(Duration.microseconds(1).milliseconds == 1)
        #expect(Duration.seconds(-5).milliseconds == 0)
        #expect(Duration.seconds(Int64.max / 2).milliseconds == .max)
    }
}
