import Observability

/// The tokens with which an account's programs use the REST interface. Only who is signed in with a browser makes and ends them.
enum TokenOperations {
    static let all = [list, make, end]

    private static let list = APIOperation("GET", "/me/tokens", "The personal tokens that hold, without their secrets.", for: .signedIn) {
        call in
        struct Item: Encodable {
            let id: String
            let label: String
            let created: Double
        }
        guard !call.session.isToken else { throw APIError.notFound }
        let all = try await call.dashboard.accounts.tokens(of: call.account.name)
        return APICall.json(all.map { Item(id: $0.id, label: $0.label, created: $0.created) })
    }

    private static let make = APIOperation(
        "POST", "/me/tokens", "Makes a personal token for programs, shown only now.", for: .signedIn,
        body: [
            .init("label", "What it is for."), .init("password", "The present password."),
            .init("readOnly", .boolean, "true: it may only ask, and change nothing."),
        ]
    ) { call in
        struct Form: Decodable {
            let label: String
            var readOnly: Bool?
        }
        guard !call.session.isToken, !call.account.isKiosk else { throw APIError.notFound }
        let form = try call.body(Form.self)
        try await call.checkPassword()
        let token = try await call.dashboard.accounts.makeToken(
            for: call.account.name, label: form.label, isReadOnly: form.readOnly == true, now: call.dashboard.now(),
            noting: call.note.line("make-token", form.label))
        return APICall.json(["token": token])
    }

    private static let end = APIOperation(
        "DELETE", "/me/tokens/{id}", "Ends a personal token; programs that have it are refused from now on.", for: .signedIn
    ) { call in
        guard !call.session.isToken, !call.account.isKiosk else { throw APIError.notFound }
        try await call.dashboard.accounts.endToken(
            id: try call.path("id"), of: call.account.name, noting: call.note.line("token-ended"))
        return APICall.done
    }
}
