import Cryptography
import Foundation
import Glibc
import HTTPClient

/// The parts of an address that say to whom a request goes.
struct PollAddress: Hashable, Sendable {
    let scheme: String
    let host: String
    let port: Int

    /// Nil for anything but an http or https address.
    init?(_ url: String) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(), scheme == "https" || scheme == "http",
            let host = parts.host?.lowercased(), !host.isEmpty
        else { return nil }
        (self.scheme, self.host) = (scheme, host)
        port = parts.port ?? (scheme == "https" ? 443 : 80)
    }

    /// Whether nobody on the way can read along: TLS, or no network at all.
    var isPrivate: Bool { scheme == "https" || ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host) }

    /// Whether the host is this machine, or one that its own network segment alone reaches, however it is written: a request that a server wishes
    /// for is not to go there. Looks the name up.
    var isLocal: Bool {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host.filter { $0 != "[" && $0 != "]" }, nil, &hints, &list) == 0 else { return false }
        defer { freeaddrinfo(list) }
        return sequence(first: list, next: { $0?.pointee.ai_next }).contains { entry in
            guard let entry, let address = entry.pointee.ai_addr else { return false }
            let bytes = [UInt8](UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen)))
            switch entry.pointee.ai_family {
            case AF_INET: return Self.isLocal(bytes[4..<8])
            case AF_INET6: return Self.isLocal(bytes[8..<24])
            default: return false
            }
        }
    }

    /// Loopback, link-local and unspecified addresses. Sources: RFC 1122, 3.2.1.3; RFC 3927; RFC 4291, 2.5.
    private static func isLocal(_ address: ArraySlice<UInt8>) -> Bool {
        let bytes = Array(address)
        if bytes.count == 4 { return [0, 127].contains(bytes[0]) || bytes[0] == 169 && bytes[1] == 254 }
        if bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]) { return isLocal(bytes[12...]) }
        return bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] <= 1 || bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }

    /// The reason why an address is not asked, in words; nil: it is.
    static func objection(_ url: String) -> String? {
        guard let address = PollAddress(url), (try? HTTPClient.check(url)) != nil else {
            return "an address begins with https:// and has a host"
        }
        if URLComponents(string: url)?.user != nil { return "a credential belongs into a file: credentialFile" }
        return address.isPrivate ? nil : "only https is taken, except on this machine"
    }
}

/// Sends a source's requests: bounded in time and size, over TLS, redirected a few times at most, and the credential to the source's own
/// server only.
struct PollClient: Sendable {
    private static let mostRedirects = 5
    /// The longest wait that a server may ask for.
    static let longestRetryAfter = Duration.seconds(86_400)

    private let source: PolledSource
    private let limit: Int
    private let http: HTTPClient

    /// - Parameter limit: the largest answer in bytes.
    init(_ source: PolledSource, limit: Int) {
        (self.source, self.limit) = (source, limit)
        var configuration = HTTPClientConfiguration(maximumRedirects: 0, certificateAuthorities: source.authorities)
        configuration.connectTimeout = min(source.timeout, .seconds(10))
        http = HTTPClient(configuration: configuration)
    }

    /// The answer, with status 200–299 or 304.
    func get(_ url: String, _ headers: [HTTPHeader] = []) async throws -> HTTPClientResponse {
        guard let own = PollAddress(url) else { throw PollFailure("its address cannot be read") }
        let secret = try source.secret()
        var next = url
        for _ in 0...Self.mostRedirects {
            let isOwn = PollAddress(next) == own
            let response = try await send(next, headers, isOwn ? secret : nil)
            guard [301, 302, 303, 307, 308].contains(response.status) else { return try check(response) }
            next = try Self.target(of: response.headers["Location"], status: response.status, from: next, source: own)
        }
        throw PollFailure("the server redirects more than \(Self.mostRedirects) times")
    }

    private func send(_ url: String, _ headers: [HTTPHeader], _ secret: String?) async throws -> HTTPClientResponse {
        var (url, headers) = (url, headers)
        if let secret, let form = source.credential?.form {
            switch form {
            case .bearer: headers.append(HTTPHeader("Authorization", "Bearer \(secret)"))
            case .secret: headers.append(HTTPHeader("api-secret", SHA1.hex(Array(secret.utf8)) ?? ""))
            case .query: url += (url.contains("?") ? "&" : "?") + "token=" + PercentEncoding.encode(secret)
            }
        }
        do {
            return try await http.get(url, headers: headers, timeout: source.timeout, limit: limit)
        } catch {
            try Task.checkCancellation()
            throw PollFailure(error.message)
        }
    }

    /// The address to which a server redirects.
    /// - Parameter source: The server that an operator named: only one of this machine's own may name another of them.
    static func target(of location: String?, status: Int, from url: String, source: PollAddress) throws(PollFailure) -> String {
        guard let location, let base = URL(string: url), let target = URL(string: location, relativeTo: base)?.absoluteURL.absoluteString
        else {
            throw PollFailure("the server redirects to nowhere", status: status)
        }
        guard PollAddress.objection(target) == nil, let address = PollAddress(target),
            address == source || !address.isLocal || source.isLocal
        else { throw PollFailure("the server redirects to an address that is not taken", status: status) }
        return target
    }

    private func check(_ response: HTTPClientResponse) throws(PollFailure) -> HTTPClientResponse {
        if response.isSuccess || response.status == 304 { return response }
        let wait = response.headers["Retry-After"].flatMap { RetryAfter.pause($0, now: .now, longest: Self.longestRetryAfter) }
        let words =
            switch response.status {
            case 401, 403: "the server refuses the credential: status \(response.status)"
            case 429: "the server asks for a pause: status 429"
            default: "the server answered with status \(response.status)"
            }
        throw PollFailure(words, status: response.status, retryAfter: wait)
    }
}

/// A query of an address.
enum PollQuery {
    /// `?name=value&…`, both escaped.
    static func text(_ parameters: [(String, String)]) -> String {
        parameters.isEmpty
            ? "" : "?" + parameters.map { "\(PercentEncoding.encode($0))=\(PercentEncoding.encode($1))" }.joined(separator: "&")
    }
}
