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
}
