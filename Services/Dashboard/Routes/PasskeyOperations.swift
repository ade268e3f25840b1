import Cryptography
import Foundation
import Observability
import Passkeys
import ServiceKit
import Settings

/// The passkeys of who is signed in: with one, the password alone signs nobody in any more.
enum PasskeyOperations {
    /// What a browser says of a new passkey, or of an answer; bytes as base64url.
    struct Answer: Decodable, Sendable {
        let id: String?
        let clientData: String
        let authenticatorData: String
        let signature: String?
    }

    /// What the browser is to ask a passkey.
    struct Question: Encodable {
        let name: String
        let challenge: String
        let host: String
        /// The passkeys that may answer, or, for a new one, those that are known already.
        let known: [String]
    }

    static let all = [list, ask, add, remove]

    private static let list = APIOperation("GET", "/me/passkeys", "The passkeys that the account signs in with.", for: .signedIn) { call in
        struct Item: Encodable {
            let id: String
            let label: String
            let host: String
            let created: Double
            let used: Double?
        }
        let all = try await call.dashboard.accounts.passkeys(of: call.account.name)
        return APICall.json(
            all.map { Item(id: $0.id, label: $0.label, host: $0.passkey.host, created: $0.created, used: $0.used) })
    }

    private static let ask = APIOperation(
        "POST", "/me/passkeys/challenge", "What the browser is to ask a new passkey: good once and for two minutes.", for: .signedIn,
        body: [.init("password", "The present password.")]
    ) { call in
        try await call.checkPassword()
        let known = try await call.dashboard.accounts.passkeys(of: call.account.name).map(\.id)
        let ceremony = try await refusing {
            try await call.dashboard.passkeys.ask(
                call.account.name, for: .registration, authority: call.request.headers["host"] ?? "", now: call.dashboard.now())
        }
        return APICall.json(Question(name: call.account.name, challenge: ceremony.challenge, host: ceremony.host, known: known))
    }

    private static let add = APIOperation(
        "POST", "/me/passkeys", "Adds a passkey that answered.", for: .signedIn,
        body: [
            .init("label", "What its owner calls it."), .init("clientData", "As the browser gave it, in base64url."),
            .init("authenticatorData", "As the browser gave it, in base64url."),
        ]
    ) { call in
        struct Label: Decodable { let label: String }
        let (answer, label) = (try call.body(Answer.self), try call.body(Label.self).label)
        guard !call.account.isKiosk, !call.session.isToken else { throw APIError.notFound }
        let passkey = try await refusing {
            try await call.dashboard.passkeys.take(call.account.name, for: .registration, now: call.dashboard.now())
                .register(clientData: try answer.bytes(answer.clientData), authenticatorData: try answer.bytes(answer.authenticatorData))
        }
        try await call.dashboard.accounts.add(
            passkey, label: label, to: call.account.name, now: call.dashboard.now(), noting: call.note.line("passkey-added"))
        return APICall.done
    }

    private static let remove = APIOperation(
        "POST", "/me/passkeys/{id}/remove", "Removes a passkey; without any, the password alone signs in.", for: .signedIn,
        body: [.init("password", "The present password.")]
    ) { call in
        try await call.checkPassword()
        try await call.dashboard.accounts.removePasskey(
            id: try call.path("id"), of: call.account.name, noting: call.note.line("passkey-removed"))
        return APICall.done
    }

    /// Runs what may be refused for the passkey's sake.
    static func refusing<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as PasskeyError {
            throw APIError(status: 400, code: error == .noHostName ? "no-host-name" : "passkey-refused", reason: error.description)
        }
    }
}

extension PasskeyOperations.Answer {
    func bytes(_ text: String) throws(PasskeyError) -> [UInt8] {
        guard let bytes = Base64URL.decode(text) else { throw .malformed }
        return bytes
    }
}

/// The second step of signing in, for accounts that have a passkey.
struct PasskeyStep {
    let account: Account
    let request: HTTPRequest
    let dashboard: RouteContext

    /// Returns nil where the account has no passkey or a good answer was given; else what to answer: the question, or a refusal.
    func refusal(of answer: PasskeyOperations.Answer?) async throws -> HTTPResponse? {
        let known = try await dashboard.accounts.passkeys(of: account.name)
        guard !known.isEmpty else { return nil }
        guard let answer else { return try await question(known) }
        do {
            let used = try await check(answer, known)
            try await dashboard.accounts.used(used, of: account.name, now: dashboard.now())
            return nil
        } catch let error as PasskeyError {
            return APIError(status: 401, code: "passkey-refused", reason: error.description).response
        }
    }

    private func check(_ answer: PasskeyOperations.Answer, _ known: [KnownPasskey]) async throws -> Passkey {
        let ceremony = try await dashboard.passkeys.take(account.name, for: .signIn, now: dashboard.now())
        guard let passkey = known.first(where: { $0.id == answer.id })?.passkey, let signature = answer.signature else {
            throw PasskeyError.malformed
        }
        return try ceremony.verify(
            clientData: try answer.bytes(answer.clientData), authenticatorData: try answer.bytes(answer.authenticatorData),
            signature: try answer.bytes(signature), by: passkey)
    }

    /// The question for those that belong to these pages' host; where none does, which pages to open.
    private func question(_ known: [KnownPasskey]) async throws -> HTTPResponse {
        struct Body: Encodable {
            let error: [String: String]
            let passkey: PasskeyOperations.Question
        }
        let authority = request.headers["host"] ?? ""
        let ceremony: PasskeyCeremony?
        do {
            ceremony = try await dashboard.passkeys.ask(account.name, for: .signIn, authority: authority, now: dashboard.now())
        } catch PasskeyError.noHostName {
            ceremony = nil
        }
        let fitting = known.filter { $0.passkey.host == ceremony?.host }
        guard let ceremony, !fitting.isEmpty else {
            let hosts = Set(known.map(\.passkey.host)).sorted().joined(separator: ", ")
            return APIError(
                status: 401, code: "passkey-elsewhere", reason: "this account's passkey belongs to other pages: open \(hosts)"
            ).response
        }
        let question = PasskeyOperations.Question(
            name: account.name, challenge: ceremony.challenge, host: ceremony.host, known: fitting.map(\.id))
        let error = ["code": "passkey", "reason": "the password is right; now the passkey is asked for"]
        var response = APICall.json(Body(error: error, passkey: question))
        response.status = 401
        return response
    }
}
