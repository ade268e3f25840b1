import Testing

@testable import MessageBus

@Suite("Properties of MQTT 5 in the library's form")
struct PropertyListTests {
    private func passed(_ properties: MessageProperties) -> MessageProperties {
        let list = PropertyList(properties)
        return unsafe PropertyReader(list.head).messageProperties
    }

    @Test(
        "come back as they went",
        arguments: [
            MessageProperties(), MessageProperties(contentType: "a/b"), MessageProperties(responseTopic: "r"),
            MessageProperties(correlationData: [0, 1, 255]),
            MessageProperties(correlationData: []),
            MessageProperties(userProperties: [UserProperty("a", "1"), UserProperty("b", ""), UserProperty("a", "2")]),
            MessageProperties(expiry: .seconds(7)), MessageProperties(expiry: .zero),
            MessageProperties(
                contentType: "ä", responseTopic: "ö", correlationData: [7], userProperties: [UserProperty("ü", "ß")],
                expiry: .seconds(4_294_967_295)),
        ])
    func roundTrip(properties: MessageProperties) {
        #expect(passed(properties) == properties)
    }

    @Test("are whole seconds, rounded up", arguments: [(1, 1), (999, 1), (1_000, 1), (1_001, 2), (2_500, 3)])
    func expiry(milliseconds: Int, seconds: Int) {
        #expect(passed(MessageProperties(expiry: .milliseconds(milliseconds))).expiry == .seconds(seconds))
    }

    @Test("of strangers are kept to 2048 bytes each, and 64 of a user's")
    func bounded() {
        let most = String(repeating: "x", count: 2048)
        let long = passed(
            MessageProperties(
                contentType: most + "x", responseTopic: most + "y", correlationData: [UInt8](repeating: 1, count: 2049),
                userProperties: [UserProperty(most + "n", most + "v")]))
        #expect(long.contentType == most && long.responseTopic == most && long.correlationData?.count == 2048)
        #expect(long.userProperties == [UserProperty(most, most)])
        let whole = passed(MessageProperties(contentType: most, correlationData: [UInt8](repeating: 1, count: 2048)))
        #expect(whole.contentType == most && whole.correlationData?.count == 2048)
        for count in [63, 64, 65] {
            let many = (0..<count).map { UserProperty("n\($0)", "v") }
            #expect(passed(MessageProperties(userProperties: many)).userProperties == Array(many.prefix(64)))
        }
    }

    @Test("are none where the library lends no list")
    func none() {
        #expect(PropertyReader(nil).messageProperties == MessageProperties() && PropertyReader(nil).subscriptionIdentifiers.isEmpty)
    }
}
