import Foundation
import Observability
import ServiceKit
import Settings
import VigilSchema

/// Modules with their parameters, accounts, and the audit.
enum OperatorOperations {
    private static let operate = APIOperation.Caller.permitted(.operate)
    private static let manage = APIOperation.Caller.permitted(.manageAccounts)

    static let all = [
        modules, parameter, setParameter, people, addPerson, changePerson, removePerson, makeLink, audit,
    ]

    private static let modules = APIOperation(
        "GET", "/modules", "The services' instances, their states, and the parameters that each offers.", for: operate
    ) { call in
        let hub = call.dashboard.hub
        return .json(
            Array("{\"modules\":[\(hub.modules.joined(separator: ","))],\"parameters\":{\(hub.exchanges.joined(separator: ","))}}".utf8))
    }

    private static let parameter = APIOperation(
        "GET", "/modules/{service}/parameters/{name}", "A parameter's present value.", for: operate
    ) { call in
        .json(try await call.bus.parameter(try name(call, "name"), of: try name(call, "service")))
    }

    private static let setParameter = APIOperation(
        "PUT", "/modules/{service}/parameters/{name}", "Sets a parameter; what is refused is told in words.", for: operate,
        body: [.init("value", "A text, a number, true or false.")]
    ) { call in
        struct Form: Decodable { let value: ParameterValue }
        let form = try call.body(Form.self)
        let (service, name) = (try name(call, "service"), try name(call, "name"))
        try await call.audit("set-parameter", "\(service) \(name)")
        return .json(try await call.bus.parameter(name, of: service, set: form.value))
    }

    // MARK: Accounts

    private struct AccountForm: Decodable {
        var name: String?
        var roles: [Role]?
        var participants: [String]?
        var kiosk: Bool?
    }

    private struct Item: Encodable {
        let name: String
        let roles: [Role]
        let participants: [String]
        let kiosk: Bool
        let hasPassword: Bool
    }

    private static let members: [APIOperation.Parameter] = [
        .init("roles", .array, Role.allCases.map(\.rawValue).joined(separator: ", ") + "."),
        .init("participants", .array, "The participants that the account is concerned with; * for everybody."),
        .init("kiosk", .boolean, "A screen on a wall: it only reads."),
    ]

    private static let people = APIOperation("GET", "/people", "All accounts.", for: manage) { call in
        var items: [Item] = []
        for account in try await call.dashboard.accounts.accounts() {
            let hash = try await call.dashboard.accounts.passwordHash(of: account.name)
            items.append(
                Item(
                    name: account.name, roles: account.roles.sorted { $0.rawValue < $1.rawValue }, participants: account.participants,
                    kiosk: account.isKiosk, hasPassword: hash != nil))
        }
        return APICall.json(items)
    }

    private static let addPerson = APIOperation(
        "POST", "/people", "Adds an account; the answer holds the secret of its one-time link, shown only now.", for: manage,
        body: [.init("name", "1 to 64 of A-Z a-z 0-9 _ . -.")] + members
    ) { call in
        let form = try call.body(AccountForm.self)
        let account = Account(
            name: form.name ?? "", roles: Set(form.roles ?? []), participants: form.participants ?? [], isKiosk: form.kiosk ?? false)
        try await call.dashboard.accounts.add(account, now: call.dashboard.now(), note: call.note)
        return try await link(account.name, call)
    }

    private static let changePerson = APIOperation(
        "PATCH", "/people/{name}", "Changes an account's roles or participants, which counts at once, also for open streams.", for: manage,
        body: members
    ) { call in
        let form = try call.body(AccountForm.self)
        try await call.dashboard.accounts.change(try await known(call).name, note: call.note) { account in
            if let roles = form.roles { account.roles = Set(roles) }
            if let participants = form.participants { account.participants = participants }
            if let kiosk = form.kiosk { account.isKiosk = kiosk }
        }
        return APICall.done
    }

    private static let removePerson = APIOperation(
        "DELETE", "/people/{name}", "Removes an account; its sessions, streams and tokens end.", for: manage
    ) { call in
        let account = try await known(call)
        try await call.dashboard.accounts.remove(account.name, noting: call.note.line("remove-account", account.name))
        return APICall.done
    }

    private static let makeLink = APIOperation(
        "POST", "/people/{name}/link", "Makes a new one-time link, for a forgotten password; the answer holds its secret.", for: manage
    ) { call in
        let account = try await known(call)
        return try await link(account.name, call, noting: call.note.line("make-link", account.name))
    }

    private static let audit = APIOperation(
        "GET", "/audit", "Who saw or changed what of whom, newest first.", for: .permitted(.seeAudit),
        query: [
            .init("before", .integer, "Only entries older than this id."), .init("limit", .integer, "Up to 500."),
            .init("participant", "Only about this one."),
        ]
    ) { call in
        let before = try call.number("before").flatMap { Int64(exactly: $0.rounded()) }
        let limit = min(500, max(1, try call.number("limit").map { Int($0) } ?? 100))
        return APICall.json(
            try await call.dashboard.accounts.audit(before: before, limit: limit, participant: call.request.query["participant"]))
    }

    private static func known(_ call: APICall) async throws -> Account {
        guard let account = try await call.dashboard.accounts.account(try call.path("name")) else { throw APIError.notFound }
        return account
    }

    private static func link(_ name: String, _ call: APICall, noting lines: [AuditRecord] = []) async throws -> HTTPResponse {
        let secret = try await call.dashboard.accounts.makeLink(for: name, now: call.dashboard.now(), noting: lines)
        return APICall.json(["link": "/welcome#" + secret])
    }

    private static func name(_ call: APICall, _ parameter: String) throws -> String {
        let name = try call.path(parameter)
        guard Name.isValid(name) else { throw APIError.notFound }
        return name
    }
}
