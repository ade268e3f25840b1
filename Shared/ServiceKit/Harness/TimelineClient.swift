package import MessageBus
package import VigilSchema

/// Asks `vigil-timeline` over the bus; what is asked and what is answered are types of `VigilSchema`.
///
/// May be used from any number of tasks at once, over MQTT 5 and 3.1.1. Each request is published once: whoever asks again decides whether the
/// order may be carried out twice. Errors are a `BusError` where no answer came, and the `Failure` of the `TimelineResponse` where it says no.
package struct TimelineClient: Sendable {
    /// The time that an answer may take, unless a request says otherwise.
    package static let usualTimeout = Duration.seconds(10)

    private let timeout: Duration
    private let exchange: @Sendable (TimelineRequest, Duration) async throws -> [UInt8]

    /// A client over a connection, whose response topics name the account that asks.
    package init(_ requester: Requester, timeout: Duration = usualTimeout) {
        self.init(timeout: timeout) { request, timeout in
            let request = try ServiceRequest(request, to: "timeline")
            return try await requester.request(timeout: timeout) { request.message(answeredOn: $0) }.payload
        }
    }

    /// A client over something else than a connection, such as a test's script.
    /// - Parameter exchange: Sends a request, and returns the payload of its answer within the time.
    package init(timeout: Duration = usualTimeout, exchange: @escaping @Sendable (TimelineRequest, Duration) async throws -> [UInt8]) {
        (self.timeout, self.exchange) = (timeout, exchange)
    }

    /// Asks, and returns the result.
    package func ask<Result: Codable & Sendable>(
        _ query: TimelineQuery, after: String? = nil, as type: Result.Type = Result.self
    ) async throws -> Result {
        try TimelineResponse<Result>(decoding: await answer(to: TimelineRequest(query, after: after))).get()
    }

    /// Asks for a list, and returns all of it, however many answers it comes in.
    /// - Parameter timeout: for each of them; the usual one where it is nil.
    package func list<Element: Codable & Sendable>(
        _ query: TimelineQuery, of type: Element.Type = Element.self, within timeout: Duration? = nil
    ) async throws -> [Element] {
        var list: [Element] = []
        try await forEachPart(of: query, within: timeout) { list += $0 }
        return list
    }

    /// Asks for a list, and hands on what each answer has of it: it may be longer than there is memory for.
    package func forEachPart<Element: Codable & Sendable>(
        of query: TimelineQuery, within timeout: Duration? = nil, _ take: ([Element]) -> Void
    ) async throws {
        var after: String?
        repeat {
            let response = try TimelineResponse<[Element]>(
                decoding: await answer(to: TimelineRequest(query, after: after), within: timeout))
            let part = try response.get()
            take(part)
            after = part.isEmpty ? nil : response.next
        } while after != nil
    }

    /// Sends a request, and returns its answer's JSON, for those who pass it on.
    package func answer(to request: TimelineRequest, within timeout: Duration? = nil) async throws -> [UInt8] {
        try await exchange(request, timeout ?? self.timeout)
    }
}
