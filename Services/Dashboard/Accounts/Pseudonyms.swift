import Cryptography

/// The names under which accounts that may not know who is who see participants: the same for all such accounts, and not to be undone
/// without this installation's secret.
package struct Pseudonyms: Sendable {
    private let key: [UInt8]

    package init(secret: String) { key = Array(secret.utf8) }

    /// The participant's name as the account sees it.
    package func name(_ participant: String, for account: Account) -> String {
        account.seesPseudonyms ? "p-" + MessageAuthentication.hmacSHA256(Array(participant.utf8), key: key).prefix(12) : participant
    }

    /// The participant that the account calls so, if it may see it.
    /// - Parameter known: everybody who was heard of, for accounts that see everybody.
    package func participant(_ name: String, for account: Account, known: @autoclosure () -> Set<String>) -> String? {
        guard account.seesPseudonyms else { return account.sees(name) ? name : nil }
        let candidates = account.participants.contains("*") ? known() : Set(account.participants)
        return candidates.first { account.sees($0) && self.name($0, for: account) == name }
    }
}
