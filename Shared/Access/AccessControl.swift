import Foundation
import Synchronization
package import VigilSchema

/// Decides whether an account may have a service do something.
///
/// With a list of accounts, every request must come from one of them, and its role must have the operation. Without one, as under a plain
/// `vigil up` on loopback, everybody may ask for everything. The list is read again when its file changes. Threading: from anywhere.
package final class AccessControl: Sendable {
    /// A request as far as rights go.
    package struct Request: Sendable, Hashable {
        /// The account in the topic.
        package var account: String
        package var service: String
        package var operation: String
        package var participant: String?
        /// The time a silence is to last, in seconds.
        package var silence: Double?

        package init(account: String, service: String, operation: String, participant: String?, silence: Double? = nil) {
            (self.account, self.service, self.operation) = (account, service, operation)
            (self.participant, self.silence) = (participant, silence)
        }
    }

    /// A request that is not carried out, and why, in words for the asker.
    package struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    private struct Loaded {
        var accounts: AccountList
        var version: FileVersion?
        var looked: ContinuousClock.Instant
    }

    /// The time a list is taken for unchanged.
    private static let freshness = Duration.seconds(1)
    /// The operations that are about nobody.
    private static let impersonal: Set<String> = ["rules", "reload", "notify-test", "notifiers"]

    private let roles: RoleTable
    private let file: String?
    private let loaded: Mutex<Loaded?>

    /// Everybody may ask for everything.
    package static let open = AccessControl()

    private init() {
        (roles, file) = (RoleTable(roles: [:]), nil)
        loaded = Mutex(nil)
    }

    /// Reads the table and the list of accounts.
    /// - Throws: `AccessError` where one of them is missing or wrong.
    package init(roles: String, accounts: String) throws(AccessError) {
        guard let text = try? String(contentsOfFile: roles, encoding: .utf8) else { throw AccessError("\(roles) cannot be read") }
        self.roles = try RoleTable(parsing: text, file: roles)
        file = accounts
        loaded = Mutex(try Self.load(accounts))
    }

    /// Indicates whether requests are checked at all.
    package var isGuarded: Bool { file != nil }

    /// Returns where a request may go on.
    /// - Throws: `Refusal` with the reason.
    package func check(_ request: Request) throws(Refusal) {
        guard isGuarded else { return }
        let account = try account(request)
        guard let rights = roles.roles[account.role] else { throw refusal("the role \(account.role) of \(account.name) is in no table") }
        guard rights.operations[request.service]?.contains(request.operation) == true else {
            throw refusal("\(account.role) may not ask \(request.service) for \(request.operation.prefix(40))")
        }
        guard
            Self.impersonal.contains(request.operation) || rights.scope == .all
                || request.participant.map(account.participants.contains) == true
        else {
            let whom = request.participant.map { "about \($0.prefix(64))" } ?? "about everybody"
            throw refusal("\(account.name) may not ask \(whom)")
        }
        if let limit = rights.longestSilence, let silence = request.silence, silence > limit {
            throw refusal("\(account.role) may silence an alert for \(Int(limit / 3600)) h at most")
        }
    }

    /// Indicates whether an account's requests may bear another's name: where nobody is known, every name is as good.
    package func signsForOthers(_ account: String) -> Bool {
        !isGuarded || accounts()[account].flatMap { roles.roles[$0.role] }?.signsForOthers == true
    }

    /// The share by which an account may ease a threshold, as `RoleTable.Rights.thresholdEasing`; nil if it may set any. An account that was
    /// revoked since the request was checked, or whose role is in no table, eases nothing.
    package func thresholdEasing(of account: String) -> Double? {
        guard isGuarded else { return nil }
        guard let rights = accounts()[account].flatMap({ roles.roles[$0.role] }) else { return 0 }
        return rights.thresholdEasing
    }

    /// Indicates whether an account may send readings for a participant, and so may be told what became of them: one of the suite's services, or a
    /// device of the participant. Nobody is told by a device of somebody else's what they had not asked for.
    package func sends(_ account: String, for participant: String) -> Bool {
        guard isGuarded else { return true }
        if AccountList.services.contains(account) { return true }
        guard let known = accounts()[account] else { return false }
        return known.role == "device" && known.participants.contains(participant)
    }

    private func account(_ request: Request) throws(Refusal) -> AccountList.Account {
        guard let account = accounts()[request.account] else { throw refusal("there is no account \(request.account.prefix(64))") }
        return account
    }

    private func refusal(_ words: String) -> Refusal { Refusal(description: words) }

    /// The list, read again where the file has changed; a damaged one leaves the former in force.
    private func accounts() -> AccountList {
        loaded.withLock { loaded in
            guard let file, let known = loaded else { return AccountList() }
            guard known.looked.duration(to: .now) > Self.freshness else { return known.accounts }
            loaded?.looked = .now
            guard FileVersion(file) != known.version, let read = try? Self.load(file) else { return known.accounts }
            loaded = read
            return read.accounts
        }
    }

    private static func load(_ file: String) throws(AccessError) -> Loaded {
        let version = FileVersion(file)
        guard let data = FileManager.default.contents(atPath: file) else { throw AccessError("\(file) cannot be read") }
        return Loaded(accounts: try AccountList(decoding: data), version: version, looked: .now)
    }
}

extension Topic {
    /// The account that a request's topic names; nil for another topic.
    package static func requester(of path: String, service: String) -> String? {
        guard case .request(let account, service)? = try? Topic(parsing: path) else { return nil }
        return account
    }
}
