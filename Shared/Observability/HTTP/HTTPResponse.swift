/// A route's response: all at once, or as a stream.
package struct HTTPResponse: Sendable {
    /// The content.
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Writes until it returns; `HTTPStream.write` suspends while the client takes no more.
        case stream(@Sendable (HTTPStream) async throws -> Void)
    }

    package var status: Int
    package var headers: [String: String]
    package var body: Body

    package init(status: Int = 200, headers: [String: String] = [:], body: Body) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Text with its content type.
    package static func text(_ text: String, status: Int = 200, type: String = "text/plain; charset=utf-8") -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": type], body: .bytes([UInt8](text.utf8)))
    }

    /// JSON that is already encoded.
    package static func json(_ bytes: [UInt8], status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: .bytes(bytes))
    }

    /// Server-sent events: a stream that is neither cached nor buffered on its way.
    package static func events(_ write: @escaping @Sendable (HTTPStream) async throws -> Void) -> HTTPResponse {
        HTTPResponse(
            headers: ["Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"], body: .stream(write))
    }

    /// The answer to a request whose head contradicts itself. Nobody knows where such a request ends, so that the connection ends with it.
    static let contradictoryFraming: HTTPResponse = {
        var response = HTTPResponse.text("the request's head contradicts itself, or holds a NUL or a folded line\n", status: 400)
        response.headers["Connection"] = "close"
        return response
    }()
}
