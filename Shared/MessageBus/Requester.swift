/// Asks over the bus and awaits the answer.
///
/// Every request gets a response topic of its own below one prefix, and correlation data, so that answers match over MQTT 5 and 3.1.1
/// alike. Run `run()` in one task; it owns one connection, for requests and answers, so that it also works at a broker that allows an
/// account only one.
package final class Requester: Sendable {
    private let prefix: String
    private let publisher: Publisher
    private let table: ReplyTable
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - broker: How the connection is made; its session is always clean.
    ///   - responsePrefix: Topic below which answers come, such as `vigil/v1/responses/cli-42`.
    ///   - clock: Measures timeouts.
    package init(
        broker: BrokerConfiguration, responsePrefix: String, clock: any Clock<Duration> = ContinuousClock(),
        onEvent: @escaping @Sendable (BusEvent) -> Void = { _ in }
    ) {
        var configuration = PublisherConfiguration(broker: broker, answers: Subscription(responsePrefix + "/+"))
        configuration.broker.session = .clean
        let table = ReplyTable()
        prefix = responsePrefix
        self.table = table
        self.clock = clock
        publisher = Publisher(configuration: configuration) { event in
            switch event {
            case .ready: table.setReady(true)
            case .disconnected: table.setReady(false)
            default: break
            }
            onEvent(event)
        } onAnswer: { message in
            if let id = Self.id(of: message, below: responsePrefix) { table.answer(id, with: message) }
        }
    }

    /// Connects, and stays connected until `drain()`, cancellation or an error that a retry does not help.
    package func run() async throws(BusError) {
        do throws(BusError) {
            try await publisher.run()
            table.finish(BusError(.closed, during: .request))
        } catch {
            table.finish(error)
            throw error
        }
    }

    /// Lets requests that wait end with `closed`, disconnects, and `run()` returns.
    package func drain() {
        table.finish(BusError(.closed, during: .request))
        publisher.drain()
    }

    /// Publishes a request, with response topic and correlation data filled in, and returns the answer.
    ///
    /// Waits within the timeout for the connection as well. Throws `timedOut`, `cancelled`, `closed`, or what publishing threw.
    /// - Parameter message: Makes the request; gets the response topic for payloads that must hold it (MQTT 3.1.1).
    package func request(
        timeout: Duration, _ message: (_ responseTopic: String) -> OutgoingMessage
    ) async throws(BusError) -> IncomingMessage {
        let id = UInt64.random(in: .min ... .max)
        let topic = prefix + "/" + String(id, radix: 16)
        var request = message(topic)
        request.properties.responseTopic = topic
        request.properties.correlationData = Self.bytes(id)
        defer { table.forget(id) }
        return try await race(id, request, timeout).get()
    }

    private func race(_ id: UInt64, _ request: OutgoingMessage, _ timeout: Duration) async -> Result<IncomingMessage, BusError> {
        await withTaskGroup(of: Result<IncomingMessage, BusError>.self) { group in
            group.addTask { await self.exchange(id, request) }
            group.addTask {
                do {
                    try await self.clock.sleep(for: timeout)
                    return .failure(BusError(.timedOut, during: .request))
                } catch {
                    return .failure(BusError(.cancelled, during: .request))
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(BusError(.cancelled, during: .request))
        }
    }

    private func exchange(_ id: UInt64, _ request: OutgoingMessage) async -> Result<IncomingMessage, BusError> {
        for await _ in table.readiness(id) {}
        let replies = table.expect(id)
        do throws(BusError) {
            if let end = table.end { throw end }
            try await publisher.publish(request)
        } catch {
            return .failure(error)
        }
        for await reply in replies { return .success(reply) }
        return .failure(table.end ?? BusError(.cancelled, during: .request))
    }

    /// By correlation data, else by the topic's last level.
    private static func id(of message: IncomingMessage, below prefix: String) -> UInt64? {
        if let data = message.properties.correlationData {
            guard data.count == 8 else { return nil }
            return data.reduce(0) { $0 << 8 | UInt64($1) }
        }
        return UInt64(message.topic.dropFirst(prefix.count + 1), radix: 16)
    }

    private static func bytes(_ id: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: id >> (56 - 8 * $0)) }
    }
}
