import Observability
import ServiceKit
import Settings
import TimelineStore
import VigilSchema

/// One operation of the REST interface: what it is called by, who may call it, and what it does. The OpenAPI document is made of these.
struct APIOperation: Sendable {
    /// A parameter of the query, or a member of the body.
    struct Parameter: Sendable {
        enum Kind: String, Sendable { case string, number, integer, boolean, object, array }

        let name: String
        let kind: Kind
        let about: String

        init(_ name: String, _ about: String) { self.init(name, .string, about) }

        init(_ name: String, _ kind: Kind, _ about: String) {
            self.name = name
            self.kind = kind
            self.about = about
        }
    }

    /// The callers that are allowed.
    enum Caller: Sendable {
        case anybody
        /// Whoever is signed in.
        case signedIn
        case permitted(Permission)
    }

    let method: String
    /// Below `/api/v1`.
    let path: String
    let summary: String
    let caller: Caller
    let parameters: [Parameter]
    /// The members of the body; empty where there is none.
    let members: [Parameter]
    /// A Boolean value that indicates whether the body is bytes rather than JSON.
    let takesBytes: Bool
    /// A Boolean value that indicates whether it shows what is live, out of memory: also to who was signed in a moment ago, while that cannot be looked up.
    let isLive: Bool
    private let action: @Sendable (APICall) async throws -> HTTPResponse
    private let open: (@Sendable (HTTPRequest, RouteContext) async throws -> HTTPResponse)?

    /// An operation for who is signed in.
    init(
        _ method: String, _ path: String, _ summary: String, for caller: Caller, query parameters: [Parameter] = [],
        body members: [Parameter] = [], isLive: Bool = false, _ action: @escaping @Sendable (APICall) async throws -> HTTPResponse
    ) {
        self.method = method
        self.path = path
        self.summary = summary
        self.caller = caller
        self.parameters = parameters
        self.members = members
        self.action = action
        self.isLive = isLive
        takesBytes = false
        open = nil
    }

    /// An operation whose body is a piece of a file.
    init(
        bytes method: String, _ path: String, _ summary: String, for caller: Caller, query parameters: [Parameter],
        _ action: @escaping @Sendable (APICall) async throws -> HTTPResponse
    ) {
        self.method = method
        self.path = path
        self.summary = summary
        self.caller = caller
        self.parameters = parameters
        self.action = action
        members = []
        isLive = false
        takesBytes = true
        open = nil
    }

    /// An operation for anybody, before a session exists.
    init(
        open method: String, _ path: String, _ summary: String, body members: [Parameter] = [],
        _ action: @escaping @Sendable (HTTPRequest, RouteContext) async throws -> HTTPResponse
    ) {
        self.method = method
        self.path = path
        self.summary = summary
        caller = .anybody
        parameters = []
        self.members = members
        self.action = { _ in throw APIError.notFound }
        isLive = false
        takesBytes = false
        open = action
    }

    /// A Boolean value that indicates whether it changes something.
    var isChanging: Bool { method != "GET" }

    /// The route that serves it.
    /// - Parameter failure: makes the answer of a refusal.
    func route(
        _ dashboard: RouteContext, below base: String = "/api/v1", failure: @escaping @Sendable (APIError) -> HTTPResponse = \.response
    ) -> HTTPRoute {
        HTTPRoute(method, base + path, body: takesBytes ? 1 << 20 : nil) { request in
            do {
                return try await perform(request, dashboard)
            } catch {
                return failure(refusal(error, dashboard.log))
            }
        }
    }

    private func refusal(_ error: any Error, _ log: Logger) -> APIError {
        switch error {
        case let error as APIError: return error
        case AccountError.tooManyAttempts: return .busy
        case let error as AccountError: return APIError(status: 400, code: "refused", reason: error.description)
        case let error as StoreError where error.isRetryable:
            // That the database is away is said by the watch, once, not by each of those who come meanwhile.
            if !error.isAbsence {
                log.warning("the accounts could not be asked", ["operation": "\(method) \(path)", "error": "\(error)"])
            }
            return .accountsAway
        default:
            log.error("an operation failed", ["operation": "\(method) \(path)", "error": "\(error)"])
            return APIError(status: 500, code: "failed", reason: "it did not work; the service's log says why")
        }
    }

    private func perform(_ request: HTTPRequest, _ dashboard: RouteContext) async throws -> HTTPResponse {
        let checks = RequestChecks(request: request)
        if let open {
            if isChanging { try checks.sameOrigin() }
            return try await open(request, dashboard)
        }
        let session = try await checks.session(dashboard, isLive: isLive)
        if isChanging, !session.isToken { try checks.sameOrigin(takesBytes: takesBytes) }
        // A page that was open before somebody else signed in does nothing under their name.
        if isChanging, let meant = request.headers["vigil-account"], meant != session.account.name { throw APIError.otherAccount }
        if case .permitted(let permission) = caller, !session.account.permissions.contains(permission) { throw APIError.notFound }
        try dashboard.shares.enter(session.account.name)
        defer { dashboard.shares.leave(session.account.name) }
        let participant = try await named(request, session, dashboard)
        return try await action(APICall(request: request, session: session, participant: participant, dashboard: dashboard))
    }

    /// The participant of the path. One whom the account may not see does not exist for it.
    private func named(_ request: HTTPRequest, _ session: Session, _ dashboard: RouteContext) async throws -> String {
        guard let name = request.parameters["participant"] else { return "" }
        let known = session.account.seesPseudonyms ? await dashboard.directory.names() : []
        guard Name.isValid(name), let found = dashboard.pseudonyms.participant(name, for: session.account, known: known) else {
            throw APIError.notFound
        }
        return found
    }
}
