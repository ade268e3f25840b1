import Access
import Foundation
import Observability
import ServiceKit
import Settings
import VigilSchema

/// Signing in and out, and what an account sets about itself.
enum SessionOperations {
    private struct Credentials: Decodable {
        let name: String
        let password: String
        let passkey: PasskeyOperations.Answer?
    }

    private struct LinkUse: Decodable {
        let token: String
        let password: String
    }

    private struct PasswordChange: Decodable {
        let old: String
        let new: String
    }

    /// An account as its owner sees it.
    struct Me: Encodable {
        let name: String
        let roles: [Role]
        let permissions: [Permission]
        let kiosk: Bool
        let preferences: [String: Preference]

        init(_ account: Account) {
            name = account.name
            roles = account.roles.sorted { $0.rawValue < $1.rawValue }
            permissions = account.permissions.sorted { $0.rawValue < $1.rawValue }
            kiosk = account.isKiosk
            preferences = Preference.read(account.preferences)
        }
    }

    static let all = [signIn, useLink, me, signOut, setPreferences, setPassword, sessions, endSession]

    private static let signIn = APIOperation(
        open: "POST", "/session",
        "Signs in: sets the cookie of a new session. An account with a passkey gets 401 passkey with the question, then signs in with its answer.",
        body: [
            .init("name", "The account."), .init("password", "Its password."),
            .init("passkey", .object, "id, clientData, authenticatorData and signature as the browser gave them, in base64url."),
        ]
    ) { request, dashboard in
        let given = try APICall.body(of: request, as: Credentials.self)
        let name = given.name.kept(128)
        switch try await dashboard.signIn.attempt(name: name, password: given.password, address: request.peer) {
        case .signedIn(let account, let hash):
            if let refusal = try await PasskeyStep(account: account, request: request, dashboard: dashboard).refusal(of: given.passkey) {
                if given.passkey != nil { try await note(refusal: "passkey-refused", name, request, dashboard) }
                return refusal
            }
            let answer = try await begin(account, knowing: hash, request, dashboard)
            try await note("sign-in", account.name, "", request, dashboard)
            return answer
        case .refused:
            try await note(refusal: "sign-in-refused", name, request, dashboard)
            throw APIError(status: 401, code: "refused", reason: "the name or the password is wrong")
        case .busy: throw APIError.busy
        }
    }

    private static let useLink = APIOperation(
        open: "POST", "/session/link", "Chooses a password with a one-time link, which ends the link and every session, and signs in.",
        body: [.init("token", "The link's secret."), .init("password", "10 to 200 characters.")]
    ) { request, dashboard in
        let given = try APICall.body(of: request, as: LinkUse.self)
        let answer = try await dashboard.signIn.tryOut(given.token, address: request.peer) { try await use(given, request, dashboard) }
        if let answer { return answer }
        try await note(refusal: "link-refused", "", request, dashboard)
        throw APIError(status: 401, code: "refused", reason: AccountError.usedLink.description)
    }

    /// The answer to a link that holds; nil for another.
    private static func use(_ given: LinkUse, _ request: HTTPRequest, _ dashboard: RouteContext) async throws -> HTTPResponse? {
        guard let account = try await dashboard.accounts.account(ofLink: given.token, now: dashboard.now()) else { return nil }
        let chosen = AccountNote(actor: account.name, address: request.peer, time: dashboard.now()).line("password-chosen")
        let hash: String
        do {
            hash = try await dashboard.signIn.setPassword(given.password, of: account, with: given.token, noting: chosen)
        } catch AccountError.usedLink {
            return nil
        }
        if let question = try await PasskeyStep(account: account, request: request, dashboard: dashboard).refusal(of: nil) {
            return question
        }
        return try await begin(account, knowing: hash, request, dashboard)
    }

    private static let me = APIOperation("GET", "/me", "Who is signed in, and what that account may.", for: .signedIn, isLive: true) {
        APICall.json(Me($0.account))
    }

    private static let signOut = APIOperation("DELETE", "/session", "Signs out: the session and its streams end.", for: .signedIn) { call in
        try await call.dashboard.accounts.endSession(
            id: call.session.id, of: call.account.name, noting: call.note.line("sign-out"))
        var response = APICall.done
        response.headers["Set-Cookie"] = call.dashboard.cookie.header("", seconds: 0)
        return response
    }

    private static let setPreferences = APIOperation(
        "PATCH", "/me", "Changes settings of the pages; those that are not named stay.", for: .signedIn,
        body: [.init("preferences", .object, "Texts, numbers, true or false, or lists of texts by name; null takes one away.")]
    ) { call in
        struct Change: Decodable { let preferences: [String: Preference?] }
        let changes = try call.body(Change.self).preferences
        let account = try await call.dashboard.accounts.change(call.account.name) { account in
            var all = Preference.read(account.preferences)
            for (name, value) in changes { all[name] = value }
            account.preferences = try Preference.write(all)
            guard account.preferences.utf8.count <= 16_384 else { throw APIError.malformed("the settings are longer than 16 KB") }
        }
        return APICall.json(Me(account))
    }

    private static let setPassword = APIOperation(
        "POST", "/me/password", "Changes the password; every session of the account ends.", for: .signedIn,
        body: [.init("old", "The present password."), .init("new", "10 to 200 characters.")]
    ) { call in
        let change = try call.body(PasswordChange.self)
        try await call.check(password: change.old)
        let hash = try await call.dashboard.signIn.setPassword(
            change.new, of: call.account, noting: call.note.line("password-changed"))
        return try await begin(call.account, knowing: hash, call.request, call.dashboard)
    }

    private static let sessions = APIOperation("GET", "/me/sessions", "Where the account is signed in.", for: .signedIn) { call in
        struct Item: Encodable {
            let id: String
            let created: Double
            let seen: Double
            let address: String
            let agent: String
            let isThis: Bool
        }
        let all = try await call.dashboard.accounts.sessions(of: call.account.name, now: call.dashboard.now())
        return APICall.json(
            all.map {
                Item(id: $0.id, created: $0.created, seen: $0.seen, address: $0.address, agent: $0.agent, isThis: $0.id == call.session.id)
            })
    }

    private static let endSession = APIOperation(
        "DELETE", "/me/sessions/{id}", "Ends another session of the account.", for: .signedIn
    ) { call in
        try await call.dashboard.accounts.endSession(
            id: try call.path("id"), of: call.account.name, noting: call.note.line("session-ended"))
        return APICall.done
    }

    private static func begin(
        _ account: Account, knowing hash: String, _ request: HTTPRequest, _ dashboard: RouteContext
    ) async throws -> HTTPResponse {
        let secret = try await dashboard.accounts.beginSession(
            of: account.name, knowing: hash, address: request.peer, agent: request.headers["user-agent"] ?? "", now: dashboard.now())
        var response = APICall.json(Me(account))
        let life = account.isKiosk ? AccountStore.kiosk : AccountStore.longest
        response.headers["Set-Cookie"] = dashboard.cookie.header(secret, seconds: Int(life))
        return response
    }

    private static func note(
        _ action: String, _ actor: String, _ detail: String, _ request: HTTPRequest, _ dashboard: RouteContext
    ) async throws {
        try await dashboard.accounts.audit(
            AuditRecord(time: dashboard.now(), actor: actor, action: action, participant: "", detail: detail, address: request.peer))
    }

    /// Notes what anybody may do as often as they like: so many a minute, and then how many there were.
    private static func note(
        refusal action: String, _ actor: String, _ request: HTTPRequest, _ dashboard: RouteContext
    ) async throws {
        let count = action == "link-refused" ? dashboard.signIn.refusedLinks : dashboard.signIn.refusedNames
        guard let omitted = count.note() else { return }
        try await note(action, actor, omitted > 0 ? "and \(omitted) more refused before" : "", request, dashboard)
    }
}
