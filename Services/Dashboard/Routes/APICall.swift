import Access
import Foundation
import Observability
import ServiceKit
import Settings
import TimelineStore
import VigilSchema

/// The reason why a call of the REST interface was refused, as its caller is told.
struct APIError: Error, Sendable, Hashable {
    let status: Int
    /// For programs, for example `not-found`.
    let code: String
    let reason: String

    static let notFound = APIError(status: 404, code: "not-found", reason: "there is nothing here, or nothing that this account may see")
    static let signedOut = APIError(status: 401, code: "signed-out", reason: "nobody is signed in, or the session has ended")
    static let foreign = APIError(status: 403, code: "foreign-origin", reason: "the request comes from another site")
    /// Who is signed in, or wants to be, cannot be looked up.
    static let accountsAway = APIError(
        status: 503, code: "accounts-away",
        reason:
            "it cannot be checked just now who you are and what you may see, as the database of the accounts does not answer; try again in a moment"
    )
    static let wrongPassword = APIError(status: 400, code: "refused", reason: "the present password is wrong")
    static let otherAccount = APIError(status: 409, code: "other-account", reason: "another account has signed in since; nothing was done")
    /// Too many attempts are under way that may be guesses.
    static let busy = APIError(status: 429, code: "busy", reason: "too many attempts at once; try again in a moment")
    static func malformed(_ reason: String) -> APIError { APIError(status: 400, code: "malformed", reason: reason) }
    static func away(_ what: String) -> APIError { APIError(status: 503, code: "unavailable", reason: what) }
    static func notConfirmed(_ what: String) -> APIError { APIError(status: 504, code: "not-confirmed", reason: what) }

    var response: HTTPResponse {
        var response = APICall.json(["error": ["code": code, "reason": reason]])
        response.status = status
        if status == 429 { response.headers["Retry-After"] = "8" }
        return response
    }
}

/// One call of the REST interface by somebody who is signed in, with everything that an operation needs.
struct APICall: Sendable {
    let request: HTTPRequest
    let session: Session
    /// The participant that the path names, as the suite knows it; empty where it names none.
    let participant: String
    let dashboard: RouteContext

    var account: Account { session.account }

    /// The suite's other services, asked for the caller.
    var bus: SuiteClient { dashboard.bus.acting(for: account.name, from: request.peer) }

    /// A parameter of the path.
    func path(_ name: String) throws -> String {
        guard let value = request.parameters[name], !value.isEmpty else { throw APIError.notFound }
        return value
    }

    /// The body, read as JSON.
    func body<Body: Decodable>(_ type: Body.Type = Body.self) throws -> Body { try Self.body(of: request, as: type) }

    /// A number in the query.
    func number(_ name: String) throws -> Double? {
        guard let text = request.query[name] else { return nil }
        guard let number = Double(decimal: text), abs(number) < 1e11 else {
            throw APIError.malformed("\(name) is no number that is possible here")
        }
        return number
    }

    /// A moment in the query, in Unix seconds.
    func time(_ name: String) throws -> Timestamp? { try number(name).map { Timestamp(seconds: $0) } }

    /// Appends to the audit what the caller sees or does.
    /// - Parameter other: the participant, where something else than the path names it.
    func audit(_ action: String, _ detail: String = "", of other: String? = nil) async throws {
        try await dashboard.accounts.audit(record(action, detail, of: other))
    }

    /// What the audit is told of a change of accounts, in the transaction that makes it.
    var note: AccountNote { AccountNote(actor: account.name, address: request.peer, time: dashboard.now()) }

    /// Checks the present password, which `password` in the body is: who found a browser open may make nothing that outlives the session.
    func checkPassword() async throws {
        struct Given: Decodable { let password: String }
        let given = try body(Given.self).password
        guard !account.isKiosk else { throw APIError.wrongPassword }
        try await check(password: given)
    }

    /// Checks the present password, which a program does not have.
    func check(password: String) async throws {
        guard !session.isToken else { throw APIError.wrongPassword }
        switch try await dashboard.signIn.attempt(name: account.name, password: password, address: request.peer) {
        case .signedIn: return
        case .refused: throw APIError.wrongPassword
        case .busy: throw APIError.busy
        }
    }

    /// The same for what is live: while the database does not answer, the line is written later.
    func auditLive(_ action: String, _ detail: String = "") async throws {
        do {
            try await audit(action, detail)
        } catch let error as StoreError where error.isAbsence {
            guard dashboard.unwritten.take(record(action, detail)) else { throw error }
        }
    }

    /// What a program sees that the pages ask for all the time: of them it would say nothing, of a token it does.
    func auditProgram(_ action: String) async throws {
        if session.isToken { try await auditLive(action) }
    }

    private func record(_ action: String, _ detail: String, of other: String? = nil) -> AuditRecord {
        AuditRecord(
            time: dashboard.now(), actor: account.name, action: action, participant: other ?? participant, detail: detail,
            address: request.peer)
    }

    /// A request's body, read as JSON.
    static func body<Body: Decodable>(of request: HTTPRequest, as type: Body.Type = Body.self) throws -> Body {
        try decoded(Data(request.body))
    }

    /// JSON of a request.
    static func decoded<Body: Decodable>(_ json: Data) throws -> Body {
        do {
            return try JSONDecoder().decode(Body.self, from: json)
        } catch let error as DecodingError {
            throw APIError.malformed(words(error))
        }
    }

    /// A value as JSON.
    static func json(_ value: some Encodable) -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Plain members always encode; a number that is not finite is refused where it is read.
        return .json((try? encoder.encode(value)).map { [UInt8]($0) } ?? Array("null".utf8))
    }

    static let done = HTTPResponse(status: 204, body: .bytes([]))

    private static func words(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): return "\(key.stringValue) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            return path.isEmpty ? "the body is no JSON object" : "\(path) is wrong"
        @unknown default: return "the body is wrong"
        }
    }
}

/// The services that the routes work with.
package struct RouteContext: Sendable {
    let accounts: AccountStore
    let recent: RecentSessions
    let unwritten: UnwrittenAudit
    let signIn: SignIn
    let passkeys: PasskeyChallenges
    let hub: LiveHub
    let bus: SuiteClient
    let shares: AccountShares
    let directory: ParticipantDirectory
    let pseudonyms: Pseudonyms
    let cookie: SessionCookie
    /// The key of the links in messages; nil: nobody answers with one.
    var answerKey: AnswerKey?
    let attempts = AnswerAttempts()
    let words: PageWords
    let questionnaires: [Questionnaire]
    let log: Logger
    let now: @Sendable () -> Double
}
