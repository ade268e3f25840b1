import Access
import Foundation
import ServiceKit
import VigilSchema

/// The lines of the audit trail that tell of changed accounts: who changed which, and for whom it is now. An account stands where others' lines have
/// the participant, so that the trail keeps it under a pseudonym too; a line of its own tells of each participant. No secrets.
struct AccountNotes: Sendable {
    /// The account that makes the changes.
    let actor: String
    var now: @Sendable () -> Timestamp = { .now }

    /// The user at the command line of this machine.
    static var localUser: String { local(NSUserName()) }

    /// Somebody at the command line of this machine, by name, or by number where the user has none.
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

    /// An account that is taken away.
    func revoking(_ name: String, former: AccountList.Account?) -> [AuditEntry] {
        [entry("account-revoke", name, former.map(Self.words))]
            + (former?.participants ?? []).map { entry("account-unassign", $0, former?.role) }
    }

    /// The accounts of a participant who is to be erased: those of others go on without the participant.
    func forgetting(_ participant: String, _ accounts: [AccountList.Account]) -> [AuditEntry] {
        accounts.map { account in
            let others = account.participants.filter { $0 != participant }
            return others.isEmpty
                ? entry("account-revoke", account.name, Self.words(account))
                : entry("account-change", account.name, Self.words(.init(name: account.name, role: account.role, participants: others)))
        }
    }

    /// The line about a change that could not be made.
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
