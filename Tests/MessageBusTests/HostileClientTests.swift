import TestSupport
import Testing

@Suite("A scripted client against a real broker", .timeLimit(.minutes(2)))
struct HostileClientTests {
    @Test("says in a publish what it is told to, and reads what comes of it", arguments: [4, 5] as [UInt8])
    func roundTrip(_ version: UInt8) async throws {
        let broker = try await MosquittoServer.start()
        let listener = try await HostileClient.connected(port: broker.port, version: version)
        #expect(try await listener.subscribe("a/+") == 1)
        let sender = try await HostileClient.connected(port: broker.port)
        let sent = sender.publish(
            "a/b", "x", properties: [.contentType("t"), .user("k", "v"), .responseTopic("r"), .correlation([1, 2, 3])])
        try await sender.acknowledged([sent])
        try await eventually("the message") { listener.messages.count == 1 }
        let message = try #require(listener.messages.first)
        #expect(message.topic == "a/b" && message.text == "x" && message.qos == 1 && !message.isRetained)
        #expect(message.correlation == (version == 5 ? [1, 2, 3] : []))
    }

    @Test("leaves messages unacknowledged, so that the broker sends them again to the same session")
    func neverAcknowledges() async throws {
        let broker = try await MosquittoServer.start()
        let sender = try await HostileClient.connected(port: broker.port)
        let deaf = try await HostileClient.connected(port: broker.port, clientID: "deaf") { $0.properties = [.sessionExpiry(100)] }
        deaf.set(.never)
        try await deaf.subscribe("a")
        sender.publish("a", "1")
        try await eventually("the message") { deaf.messages.count == 1 }
        deaf.hangUp()
        try await eventually("the end") { !deaf.isOpen }
        let again = try await HostileClient.connected(port: broker.port, clientID: "deaf") { connection in
            connection.cleanStart = false
            connection.properties = [.sessionExpiry(100)]
        }
        try await eventually("the message again") { again.messages.count == 1 }
    }

    @Test("has its will published when it hangs up, and is thrown out for a packet that is none")
    func willAndNonsense() async throws {
        let broker = try await MosquittoServer.start()
        let listener = try await HostileClient.connected(port: broker.port)
        try await listener.subscribe("w")
        let sender = try await HostileClient.connected(port: broker.port) { $0.will = .init(topic: "w", payload: [7], isRetained: true) }
        sender.send(MQTTPacket(type: 0, flags: 15, body: [1, 2, 3]))
        try await eventually("the end") { !sender.isOpen }
        try await eventually("the will") { listener.messages.first?.payload == [7] }
    }
}
