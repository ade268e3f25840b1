import Foundation
package import MessageBus
package import Observability
import Synchronization
import VigilSchema

/// `POST /ingest/<participant>/<device>`: what a phone or a web hook sends, put on the bus as if the device had published it itself.
///
/// The answer is the receipt, after the commit. Formats, mappings, rates and quarantine are those of the topic. Several requests at once.
package struct HTTPIngest: Sendable {
    /// Asks over the bus, and throws what the bus throws.
    package typealias Exchange = @Sendable (OutgoingMessage) async throws(BusError) -> IncomingMessage

    private let tokens: @Sendable () async -> IngestTokens
    private let exchange: Exchange
    private let metrics: HTTPIngestMetrics
    private let inFlight = RequestsInFlight(limit: 4)

    package init(tokens: @escaping @Sendable () async -> IngestTokens, metrics: HTTPIngestMetrics, exchange: @escaping Exchange) {
        self.tokens = tokens
        self.metrics = metrics
        self.exchange = exchange
    }

    /// The routes that are served. Uploaders that add a path of their own to the address (`/api/v1/entries`) are accepted as well.
    package var routes: [HTTPRoute] {
        [
            HTTPRoute("POST", "/ingest/{participant}/{device}") { await answer($0) },
            HTTPRoute("POST", "/ingest/{participant}/{device}/{rest*}") { await answer($0) },
        ]
    }

    private func answer(_ request: HTTPRequest) async -> HTTPResponse {
        metrics.requests.add()
        do throws(HTTPIngestRefusal) {
            return try await take(request)
        } catch {
            metrics.refused.add()
            return error.response
        }
    }

    private func take(_ request: HTTPRequest) async throws(HTTPIngestRefusal) -> HTTPResponse {
        let address = DeviceAddress(participant: request.parameters["participant"] ?? "", device: request.parameters["device"] ?? "")
        let allowed = await tokens().entries(for: Self.token(of: request))
        guard !allowed.isEmpty else { throw .unauthorized }
        guard Name.isValid(address.participant), Name.isValid(address.device), allowed.contains(where: { $0.covers(address) }) else {
            throw .forbidden
        }
        guard inFlight.begin(address) else { throw .busy }
        defer { inFlight.end(address) }
        guard !request.body.isEmpty else { throw .empty }
        if let coding = request.headers["content-encoding"], coding.lowercased() != "identity" { throw .coded }
        let message = OutgoingMessage(
            topic: Topic.ingest(participant: address.participant, device: address.device).path, payload: request.body,
            properties: MessageProperties(contentType: request.headers["content-type"].flatMap { $0.utf8.count > 256 ? nil : $0 }))
        let reply: IncomingMessage
        do throws(BusError) {
            reply = try await exchange(message)
        } catch {
            throw error.code == .timedOut ? .unconfirmed : .unavailable
        }
        guard let receipt = try? Receipt(decoding: reply.payload) else { throw .unavailable }
        // What was there already is fine; only where nothing of it is kept has the request failed.
        let isKept = receipt.stored + receipt.duplicates + receipt.corrections > 0 || receipt.rejected == 0
        return .json(reply.payload, status: isKept ? 200 : 422)
    }

    /// `Authorization: Bearer …`, `X-Vigil-Token`, Nightscout's `api-secret`, or, for hooks that take nothing but an address, `?token=`.
    private static func token(of request: HTTPRequest) -> String {
        if let header = request.headers["authorization"] {
            let words = header.split(separator: " ", maxSplits: 1)
            if words.count == 2, words[0].lowercased() == "bearer" { return String(words[1]) }
        }
        return request.headers["x-vigil-token"] ?? request.headers["api-secret"] ?? request.query["token"] ?? ""
    }
}

/// The reason why a request was not taken, with its status and what the sender can do.
enum HTTPIngestRefusal: Error {
    case unauthorized, forbidden, empty, coded, busy, unconfirmed, unavailable

    var response: HTTPResponse {
        let (status, text) = words
        var response = HTTPResponse.json(Array(#"{"error":"\#(text)"}"#.utf8), status: status)
        if status == 401 { response.headers["WWW-Authenticate"] = "Bearer" }
        if status >= 429 { response.headers["Retry-After"] = "30" }
        return response
    }

    private var words: (Int, String) {
        switch self {
        case .unauthorized: (401, "a token is needed: Authorization: Bearer TOKEN; vigil tokens add makes one")
        case .forbidden: (403, "the token is for another participant or device")
        case .empty: (400, "the body is empty")
        case .coded: (415, "send the body as it is, without a content encoding")
        case .busy: (429, "four requests of this device are being answered; send the next when one of them is")
        case .unconfirmed: (504, "not confirmed in time; it may be stored yet, and sending readings with their times again changes nothing")
        case .unavailable: (503, "the broker cannot be reached; send it again later")
        }
    }
}

/// The requests that are being answered, of each device: one that sends more than it waits for takes no other's place.
final class RequestsInFlight: Sendable {
    private let limit: Int
    private let counts = Mutex<[DeviceAddress: Int]>([:])

    init(limit: Int) { self.limit = limit }

    /// Counts a request; false where there are too many of the device already.
    func begin(_ address: DeviceAddress) -> Bool {
        counts.withLock { counts in
            guard counts[address, default: 0] < limit else { return false }
            counts[address, default: 0] += 1
            return true
        }
    }

    func end(_ address: DeviceAddress) {
        counts.withLock { counts in
            let left = (counts[address] ?? 1) - 1
            counts[address] = left > 0 ? left : nil
        }
    }
}

/// The counters of requests over HTTP.
package struct HTTPIngestMetrics: Sendable {
    let requests: Counter
    let refused: Counter

    package init(_ registry: MetricsRegistry) {
        requests = registry.counter("vigil_ingest_http_requests_total", help: "Requests with readings over HTTP")
        refused = registry.counter(
            "vigil_ingest_http_refused_total", help: "Requests over HTTP that were not published or not confirmed in time")
    }
}
