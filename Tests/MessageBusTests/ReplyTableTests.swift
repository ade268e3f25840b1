import Testing

@testable import MessageBus

@Suite("The table of replies", .timeLimit(.minutes(1)))
struct ReplyTableTests {
    private let error = BusError(.closed, during: .request)
    private func message(_ byte: UInt8) -> IncomingMessage { IncomingMessage(topic: "t", payload: [byte]) }

    private func all(_ stream: AsyncStream<IncomingMessage>) async -> [IncomingMessage] {
        var found: [IncomingMessage] = []
        for await message in stream { found.append(message) }
        return found
    }

    private func ends(_ stream: AsyncStream<Void>) async -> Bool {
        for await _ in stream { return false }
        return true
    }

    @Test("gives each request its own answer, once")
    func answers() async {
        let table = ReplyTable()
        let one = table.expect(1), two = table.expect(2)
        table.answer(2, with: message(2))
        table.answer(3, with: message(3))
        table.answer(1, with: message(1))
        table.answer(1, with: message(9))
        #expect(await all(one) == [message(1)])
        #expect(await all(two) == [message(2)])
    }

    @Test("ends for a request that no longer waits, and drops its answer")
    func forgets() async {
        let table = ReplyTable()
        let one = table.expect(1), ready = table.readiness(1)
        table.forget(1)
        table.answer(1, with: message(1))
        #expect(await all(one).isEmpty)
        #expect(await ends(ready))
    }

    @Test("lets requests go on once answers would arrive, also those that ask later, until they would no more")
    func readiness() async {
        let table = ReplyTable()
        let early = table.readiness(1)
        table.setReady(true)
        #expect(await ends(early))
        #expect(await ends(table.readiness(2)))
        table.setReady(false)
        let late = table.readiness(3)
        async let end = ends(late)
        table.setReady(false)
        table.setReady(true)
        #expect(await end)
    }

    @Test("ends with the first error for everyone who waits and everyone who comes later")
    func finishes() async {
        let table = ReplyTable()
        #expect(table.end == nil)
        let reply = table.expect(1), ready = table.readiness(2)
        table.finish(error)
        table.finish(BusError(.tlsFailed, during: .connect))
        #expect(table.end == error)
        #expect(await all(reply).isEmpty)
        #expect(await ends(ready))
        #expect(await all(table.expect(3)).isEmpty)
        #expect(await ends(table.readiness(4)))
    }
}
