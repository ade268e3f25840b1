import Synchronization

/// An HTTP/1.1 server with routes, on libmicrohttpd's one thread; each request is answered by a task of its own.
///
/// Waiting requests are bounded by the connections: one request each. At the limit a new connection ends the one that has waited longest for its
/// request or for its answer to be taken, so slow clients keep nobody out. Bodies above their route's limit are refused with 413; where all bodies together
/// are too many bytes, whoever has been sending for longest gets 503. Without TLS it is meant for loopback, a private network, or a proxy before it.
package final class HTTPServer: Sendable {
    /// The bounds of a server's use of memory.
    package struct Limits: Sendable {
        /// Connections at once.
        package var connections: Int
        /// Those of them that may be streams; more are refused with 503.
        package var streams: Int
        /// Bytes of a request's body, unless its route says otherwise.
        package var body: Int
        /// Bytes of all bodies that are there at once.
        package var bodies: Int
        /// Seconds after which a silent connection is closed.
        package var idleSeconds: Int

        /// - Parameter bodies: as a rule 32 MiB, or four of the longest.
        package init(connections: Int = 256, streams: Int? = nil, body: Int = 1 << 20, bodies: Int? = nil, idleSeconds: Int = 60) {
            self.connections = connections
            self.streams = streams ?? connections * 3 / 4
            self.body = body
            self.bodies = bodies ?? max(32 << 20, 4 * body)
            self.idleSeconds = idleSeconds
        }
    }

    /// A certificate chain and its key, both as PEM; TLS 1.2 and newer.
    package struct TLS: Sendable {
        let certificate: String
        let key: String

        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    private let host: String
    private let requestedPort: Int
    private let routes: [HTTPRoute]
    private let limits: Limits
    private let tls: TLS?
    private let isListening = Latch()
    private let running = Mutex<HTTPDaemon?>(nil)
    private let boundPort = Mutex<Int?>(nil)

    /// - Parameters:
    ///   - host: an IPv4 or IPv6 address.
    ///   - port: 0 lets the system choose one; see `port`.
    ///   - routes: the first that fits answers.
    package init(host: String, port: Int, routes: [HTTPRoute], limits: Limits = Limits(), tls: TLS? = nil) {
        self.host = host
        requestedPort = port
        self.routes = routes
        self.limits = limits
        self.tls = tls
    }

    /// Returns once it listens, or has failed to.
    package func started() async { await isListening.wait() }

    /// The port that it listens on; nil before.
    package var port: Int? { boundPort.withLock { $0 } }

    /// The bytes of bodies that it keeps now.
    package var bodyBytes: Int { running.withLock { $0?.bodyBytes ?? 0 } }

    /// Serves until it is cancelled; then open streams end, and clients get two seconds to take what is left.
    package func run() async throws {
        let (waiting, arrival) = AsyncStream.makeStream(of: HTTPExchange.self)
        defer { isListening.open() }
        let daemon = try HTTPDaemon(host: host, port: requestedPort, limits: limits, tls: tls, bodyLimit: bodyLimit) {
            _ = arrival.yield($0)
        }
        running.withLock { $0 = daemon }
        defer { running.withLock { $0 = nil } }
        boundPort.withLock { $0 = daemon.port }
        isListening.open()
        await withDiscardingTaskGroup { tasks in
            for await exchange in waiting { tasks.addTask { await self.answer(exchange) } }
            tasks.cancelAll()
            daemon.refuseNew()
        }
        await daemon.completed(within: 2)
        daemon.stop()
    }

    private func answer(_ exchange: HTTPExchange) async {
        let response = await response(to: exchange.takeRequest())
        exchange.respond(response)
        guard case .stream(let write) = response.body, let stream = exchange.stream else { return }
        // A stream ends when its writer has nothing more, when the client leaves, and when the server stops: all the same here.
        try? await write(stream)
        stream.finish()
    }

    private func bodyLimit(_ exchange: HTTPExchange) -> Int {
        let route = routes.first { $0.method == exchange.method && $0.match(exchange.path) != nil }
        return route?.body ?? limits.body
    }

    private func response(to request: HTTPRequest) async -> HTTPResponse {
        var allowed: Set<String> = []
        for route in routes {
            guard let parameters = route.match(request.path) else { continue }
            if route.method == request.method || (route.method == "GET" && request.method == "HEAD") {
                return await route.handler(request.with(parameters))
            }
            allowed.insert(route.method)
        }
        guard !allowed.isEmpty else { return .text("not found\n", status: 404) }
        var refusal = HTTPResponse.text("method not allowed\n", status: 405)
        refusal.headers["Allow"] = allowed.sorted().joined(separator: ", ")
        return refusal
    }
}

extension HTTPRequest {
    fileprivate func with(_ parameters: [String: String]) -> HTTPRequest {
        HTTPRequest(
            method: method, path: path, query: query, arguments: arguments, headers: headers, body: body, parameters: parameters, peer: peer
        )
    }
}
