import Cryptography
import Observability
import ServiceKit
import Settings
import TimelineStore

/// The cookie that a browser's session is kept in.
package struct SessionCookie: Sendable {
    /// Over TLS with the prefix that browsers hold to this very host; without, on loopback, where browsers would not take it.
    let name: String
    let isSecure: Bool

    package init(isSecure: Bool, port: Int) {
        self.isSecure = isSecure
        name = isSecure ? "__Host-vigil" : "vigil-\(port)"
    }

    /// The header that sets it; an empty secret takes it away.
    func header(_ secret: String, seconds: Int) -> String {
        "\(name)=\(secret); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(secret.isEmpty ? 0 : seconds)" + (isSecure ? "; Secure" : "")
    }

    /// The secret in a request's cookies.
    func secret(in header: String?) -> String? {
        for part in (header ?? "").split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingPrefix { $0 == " " } }
            if pair.count == 2, pair[0] == name, !pair[1].isEmpty { return String(pair[1]) }
        }
        return nil
    }
}

/// The checks of a request before anything is done.
struct RequestChecks {
    let request: HTTPRequest

    /// The session of the cookie, or of a personal token.
    /// - Parameter isLive: whether it is for what is live only: then one that was found a moment ago is believed while the database does not answer.
    func session(_ dashboard: RouteContext, isLive: Bool = false) async throws -> Session {
        let bearer = request.headers["authorization"].flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
        if let bearer, bearer.hasPrefix(AccountStore.readingPrefix), !["GET", "HEAD"].contains(request.method) {
            throw APIError(status: 403, code: "read-only", reason: "this token may only ask: it was made with --read-only")
        }
        guard let secret = bearer ?? dashboard.cookie.secret(in: request.headers["cookie"]) else { throw APIError.signedOut }
        let (id, now) = (SHA256.hex(of: secret), dashboard.now())
        do {
            let found =
                bearer == nil
                ? try await dashboard.accounts.session(secret: secret, now: now) : try await dashboard.accounts.session(token: secret)
            dashboard.recent.found(found, id: id, now: now)
            guard let found else { throw APIError.signedOut }
            return found
        } catch let error as StoreError where isLive && error.isAbsence {
            guard let known = dashboard.recent.session(id: id, now: dashboard.now()), known.isToken == (bearer != nil) else { throw error }
            return known
        }
    }

    /// A change is taken from our own pages only: `Sec-Fetch-Site` says so, else an `Origin` that is this host; and as JSON, which no
    /// form of another site can send; or, for pieces of files, as plain bytes, which none can send either.
    func sameOrigin(takesBytes: Bool = false) throws(APIError) {
        if let site = request.headers["sec-fetch-site"] {
            guard site == "same-origin" else { throw .foreign }
        } else {
            guard let origin = request.headers["origin"], let host = request.headers["host"],
                origin == "https://\(host)" || origin == "http://\(host)"
            else { throw .foreign }
        }
        let type = request.headers["content-type"] ?? ""
        let wanted = takesBytes ? "application/octet-stream" : "application/json"
        guard request.body.isEmpty || type.split(separator: ";").first == wanted[...] else {
            throw APIError(status: 415, code: takesBytes ? "not-bytes" : "not-json", reason: "the body must be \(wanted)")
        }
    }
}

/// The headers of every answer to browsers, and the host names that this server answers to.
package struct BrowserProtection: Sendable {
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:", "connect-src 'self'", "font-src 'self'",
        "manifest-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    /// Names that are answered to; empty: any, behind TLS, where the certificate says who this is.
    let hosts: Set<String>
    let isSecure: Bool

    package init(hosts: Set<String>, isSecure: Bool) {
        self.hosts = hosts
        self.isSecure = isSecure
    }

    /// Wraps a route: a request under a foreign name, which an attacker let point here, is refused, and each answer gets the headers.
    func guarding(_ route: HTTPRoute) -> HTTPRoute {
        HTTPRoute(route.method, route.pattern, body: route.body) { request in
            guard isKnown(request.headers["host"]) else {
                return protected(APIError(status: 421, code: "foreign-host", reason: "this server is not called so").response)
            }
            return protected(await route.handler(request))
        }
    }

    private func protected(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers["Content-Security-Policy"] = Self.policy
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
        response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        if isSecure { response.headers["Strict-Transport-Security"] = "max-age=31536000" }
        if response.headers["Cache-Control"] == nil { response.headers["Cache-Control"] = "no-store" }
        return response
    }

    private func isKnown(_ header: String?) -> Bool {
        guard !hosts.isEmpty else { return true }
        guard let header else { return false }
        // The port does not matter; an IPv6 address stands in brackets.
        let name = header.hasPrefix("[") ? header.prefix { $0 != "]" } + "]" : header.prefix { $0 != ":" }
        return hosts.contains(name.lowercased())
    }
}
