import Testing

@testable import MessageBus

@Suite("Addresses of a broker, and bounds of its configuration")
struct BrokerAddressTests {
    @Test(
        "are read with a port of their own or the common one",
        arguments: [
            ("a", ["a:1883"]), ("a:1", ["a:1"]), ("a,b:1884,[::1]:1885", ["a:1883", "b:1884", "[::1]:1885"]), ("::1", ["[::1]:1883"]),
            ("[::1]", ["[::1]:1883"]), (" a , b:7 ", ["a:1883", "b:7"]), ("a:65535", ["a:65535"]), ("fe80::1:2", ["[fe80::1:2]:1883"]),
        ])
    func read(text: String, expected: [String]) {
        #expect(BrokerAddress.list(text, port: 1883)?.map(\.description) == expected)
    }

    @Test(
        "are none where a part cannot be read",
        arguments: [
            "", "a,", ",a", "a,,b", "a b", "a:", "a:0", "a:65536", "a:x", ":1", "[::1", "[]", "[]:1", "[::1]1", "[::1]:", "a\0", "a:1 2",
        ])
    func none(text: String) {
        #expect(BrokerAddress.list(text, port: 1883) == nil)
    }

    @Test("are tried in turn after each failure, and told when all of them failed since one worked")
    func nodes() {
        var nodes = BrokerNodes(["a", "b", "c"].map { BrokerAddress(host: $0, port: 1) })
        func fail() -> String { (nodes.failed() ? "all, " : "") + nodes.current.host }
        #expect(nodes.count == 3)
        #expect(nodes.current.host == "a")
        #expect((0..<6).map { _ in fail() } == ["b", "c", "all, a", "b", "c", "all, a"])
        #expect((0..<2).map { _ in fail() } == ["b", "c"])
        nodes.worked()
        #expect(nodes.current.host == "c")
        #expect((0..<4).map { _ in fail() } == ["a", "b", "all, c", "a"])
        nodes = BrokerNodes([BrokerAddress(host: "a", port: 1)])
        #expect((0..<2).map { _ in fail() } == ["all, a", "all, a"])
    }

    @Test(
        "share the time to connect, but get five seconds at least where there is so much",
        arguments: [
            (1, 3.0, 3.0), (1, 60, 60), (2, 60, 30), (3, 60, 20), (2, 10, 5), (2, 9, 5), (4, 12, 5), (2, 4, 4), (3, 15, 5), (3, 18, 6),
        ])
    func timeout(count: Int, limit: Double, share: Double) {
        let nodes = BrokerNodes((0..<count).map { BrokerAddress(host: "h\($0)", port: 1) })
        #expect(nodes.timeout(within: .seconds(limit)) == .seconds(share))
    }

    private func isFine(_ change: (inout BrokerConfiguration) -> Void) -> Bool {
        var broker = BrokerConfiguration(clientID: "c")
        change(&broker)
        return (try? broker.check()) != nil
    }

    @Test("a configuration takes what lies on its bounds, and nothing beyond")
    func bounds() {
        #expect(isFine { $0.port = 1 } && isFine { $0.port = .max } && !isFine { $0.port = 0 })
        #expect(isFine { $0.keepAlive = .seconds(5) } && !isFine { $0.keepAlive = .milliseconds(4_999) })
        #expect(isFine { $0.keepAlive = .seconds(65_535) } && !isFine { $0.keepAlive = .milliseconds(65_535_001) })
        #expect(
            isFine { $0.connectTimeout = .nanoseconds(1) } && !isFine { $0.connectTimeout = .zero }
                && !isFine { $0.connectTimeout = .seconds(-1) })
        #expect(
            isFine { $0.clientID = String(repeating: "c", count: 65_535) }
                && !isFine { $0.clientID = String(repeating: "c", count: 65_536) })
        #expect(!isFine { $0.clientID = "a\0" } && !isFine { $0.host = "a b" })
        #expect(isFine { $0.backoff = Backoff(base: .seconds(2), maximum: .seconds(2)) })
        #expect(!isFine { $0.backoff = Backoff(base: .seconds(2), maximum: .milliseconds(1_999)) })
        #expect(!isFine { $0.backoff = Backoff(base: .zero, maximum: .seconds(1)) })
    }

    @Test("a configuration needs a user name for a password, and both halves of a certificate that can be read")
    func halves() {
        #expect(isFine { $0.username = "u" })
        #expect(isFine { ($0.username, $0.password) = ("u", Secret("p")) })
        #expect(!isFine { $0.password = Secret("p") })
        #expect(!isFine { $0.username = "u\0" } && !isFine { ($0.username, $0.password) = ("u", Secret("p\0")) })
        let file = #filePath
        #expect(isFine { $0.tls = TLSConfiguration() } && isFine { $0.tls = TLSConfiguration(authorities: file) })
        #expect(isFine { $0.tls = TLSConfiguration(certificate: file, privateKey: file) })
        #expect(!isFine { $0.tls = TLSConfiguration(certificate: file) } && !isFine { $0.tls = TLSConfiguration(privateKey: file) })
        for path in ["/no/such/file"] {
            #expect(!isFine { $0.tls = TLSConfiguration(authorities: path) })
            #expect(!isFine { $0.tls = TLSConfiguration(certificate: path, privateKey: file) })
            #expect(!isFine { $0.tls = TLSConfiguration(certificate: file, privateKey: path) })
        }
        #expect(
            isFine { $0.lastWill = OutgoingMessage(topic: "a", payload: []) }
                && !isFine { $0.lastWill = OutgoingMessage(topic: "#", payload: []) })
    }

    @Test("a configuration comes with MQTT 5 and a clean session on this machine, half a minute of keep-alive and ten seconds to connect")
    func defaults() {
        let broker = BrokerConfiguration(clientID: "c")
        #expect(broker.host == "127.0.0.1" && broker.port == 1883 && broker.protocolVersion == .v5 && broker.session == .clean)
        #expect(broker.keepAlive == .seconds(30) && broker.connectTimeout == .seconds(10) && !broker.endsWithConnection)
        let message = OutgoingMessage(topic: "t", payload: [])
        #expect(message.qos == .atLeastOnce && !message.retained && !message.isExpendable && message.properties.isEmpty)
        #expect(QoS.atMostOnce < .atLeastOnce && !(QoS.atLeastOnce < .atMostOnce) && !(QoS.atMostOnce < .atMostOnce))
        let info = ConnectionInfo(version: .v5)
        #expect(!info.sessionPresent && info.retainAvailable && !info.subscriptionIdentifiersAvailable && info.maximumQoS == 2)
        #expect(info.receiveMaximum == .max && info.maximumPacketSize == nil && info.sessionExpiry == nil && info.serverKeepAlive == nil)
        let incoming = IncomingMessage(topic: "t", payload: [])
        #expect(!incoming.retained && incoming.qos == .atLeastOnce && incoming.packetID == 0)
    }

    @Test("a message fits MQTT up to 65,535 bytes of topic and of each property")
    func messages() {
        func isFine(_ topic: String = "t", _ properties: MessageProperties = MessageProperties()) -> Bool {
            (try? OutgoingMessage(topic: topic, payload: [], properties: properties).check(during: .publish)) != nil
        }
        let most = String(repeating: "x", count: 65_535), bytes = [UInt8](repeating: 0, count: 65_535)
        #expect(isFine(most) && !isFine(most + "x") && isFine("x") && !isFine(""))
        for topic in ["+", "a+", "#", "a\0"] { #expect(!isFine(topic)) }
        #expect(isFine("t", MessageProperties(correlationData: bytes)) && !isFine("t", MessageProperties(correlationData: bytes + [0])))
        #expect(isFine("t", MessageProperties(contentType: most)) && !isFine("t", MessageProperties(contentType: most + "x")))
        #expect(isFine("t", MessageProperties(responseTopic: most)) && !isFine("t", MessageProperties(responseTopic: most + "x")))
        #expect(!isFine("t", MessageProperties(responseTopic: "a/+")) && !isFine("t", MessageProperties(responseTopic: "")))
        for text in [most + "x", "a\0"] {
            #expect(!isFine("t", MessageProperties(userProperties: [UserProperty("k", "v"), UserProperty(text, "v")])))
            #expect(!isFine("t", MessageProperties(userProperties: [UserProperty("k", text)])))
        }
        #expect(isFine("t", MessageProperties(userProperties: [UserProperty(most, most)])))
    }
}
