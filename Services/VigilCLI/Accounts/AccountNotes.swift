import Access
import Foundation
import ServiceKit
import VigilSchema

/// The audit lines about accounts: who changed which account, and its participants. The account is in the column of the
/// participant, so that it gets a pseudonym too; each participant has a line of its own. No secrets.
struct AccountNotes: Sendable {
    /// The account that makes the changes.
    let actor: String
    var now: @Sendable () -> Timestamp = { .now }

    /// The user at this machine's command line.
    static var localUser: String { local(NSUserName()) }

    /// A user at this machine's command line, by name, or by number without a name.
    static func local(_ name: String) -> String {
        let plain = String(name.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(32).map(Character.init))
        return "local:" + (plain.isEmpty ? "\(getuid())" : plain)
    }

    /// An account that is added, or gets another password, role or participants.
    func setting(_ account: AccountList.Account, isKnown: Bool, former: AccountList.Account?) -> [AuditEntry] {
        let lost = former.map { Set($0.participants).subtracting(account.participants).sorted() } ?? []
        return [entry(isKnown ? "account-change" : "account-add", account.name, Self.words(account))]
            + account.participants.map { entry("account-assign", $0, account.role) }
            + lost.map { entry("account-unassign", $0, former?.role) }
    }

    /// An account that is removed.
    func revoking(_ name: String, former: AccountList.Account?) -> [AuditEntry] {
        [entry("account-revoke", name, former.map(Self.words))]
            + (former?.participants ?? []).map { entry("account-unassign", $0, former?.role) }
    }

    /// The accounts of a participant before an erasure; accounts with others continue without this one.
    func forgetting(_ participant: String, _ accounts: [AccountList.Account]) -> [AuditEntry] {
        accounts.map { account in
            let others = account.participants.filter { $0 != participant }
            return others.isEmpty
                ? entry("account-revoke", account.name, Self.words(account))
                : entry("account-change", account.name, Self.words(.init(name: account.name, role: account.role, participants: others)))
        }
    }

    /// The line about a failed change.
    func failed(_ entry: AuditEntry) -> AuditEntry {
        var entry = entry
        (entry.time, entry.outcome) = (now(), "failed")
        return entry
    }

    private func entry(_ operation: String, _ whom: String, _ detail: String?) -> AuditEntry {
        AuditEntry(time: now(), actor: actor, operation: operation, participant: whom, detail: detail)
    }

    private static func words(_ account: AccountList.Account) -> String {
        account.participants.isEmpty ? account.role : "\(account.role) of \(account.participants.count)"
    }
}
