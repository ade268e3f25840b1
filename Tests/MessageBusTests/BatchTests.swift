import MessageBus
import TestSupport
import Testing

@Suite("A message batch")
struct BatchTests {
    private let message = IncomingMessage(topic: "a", payload: [1])

    @Test("tells its source the first outcome only")
    func settlesOnce() async {
        let source = BatchSource()
        async let outcome = source.send([message])
        for await batch in source {
            batch.settle(.committed)
            batch.settle(.rejected)
            break
        }
        #expect(await outcome == .committed)
    }

    @Test("counts as rejected when it is let go unsettled")
    func rejectsWhenReleased() async {
        let source = BatchSource()
        async let outcome = source.send([message])
        for await _ in source { break }
        #expect(await outcome == .rejected)
    }

    @Test("counts a message with its topic, its payload and all of its properties")
    func size() {
        var message = IncomingMessage(topic: "abc", payload: [1, 2])
        #expect(message.size == 5)
        message = IncomingMessage(
            topic: "abc", payload: [1, 2],
            properties: MessageProperties(contentType: "abcd", responseTopic: "abcdefg", correlationData: [1, 2, 3]))
        #expect(message.size == 5 + 4 + 7 + 3)
        var properties = MessageProperties()
        properties.userProperties = [UserProperty("ab", "c"), UserProperty("d", "efg")]
        #expect(IncomingMessage(topic: "", payload: [], properties: properties).size == 7 + 2 * 32)
    }
}
