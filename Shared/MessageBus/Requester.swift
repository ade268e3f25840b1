/// Asks over the bus and awaits the answer.
///
/// Every request gets a response topic of its own below one prefix, and correlation data, so that answers match over MQTT 5 and 3.1.1
/// alike. Run `run()` in one task; it owns a connection for the answers, and uses a publisher that runs elsewhere for the requests.
package final class Requester: Sendable {
    /// - Parameters:
    ///   - broker: How the answers' connection is made; its session is always clean.
    ///   - responsePrefix: Topic below which answers come, such as `vigil/v1/responses/cli-42`.
    ///   - publisher: Sends the requests.
    package init(
        broker: BrokerConfiguration, responsePrefix: String, publisher: any MessagePublisher,
        onEvent: @escaping @Sendable (BusEvent) -> Void = { _ in }
    ) {}

    /// Receives answers until `drain()`, cancellation or an error.
    package func run() async throws(BusError) {}

    /// Lets requests that wait end with `closed`, disconnects, and `run()` returns.
    package func drain() {}

    /// Publishes a request, with response topic and correlation data filled in, and returns the answer.
    ///
    /// - Parameter message: Makes the request; gets the response topic for payloads that must hold it (MQTT 3.1.1).
    package func request(
        timeout: Duration, _ message: @Sendable (_ responseTopic: String) -> OutgoingMessage
    ) async throws(BusError) -> IncomingMessage {
        throw BusError(.closed, during: .request)
    }
}
