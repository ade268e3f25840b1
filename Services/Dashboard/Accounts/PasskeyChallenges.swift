import Cryptography
import Passkeys
import TimelineStore

/// The questions that were put to people's passkeys and are not answered yet: each is good once and for two minutes, whichever replica asked it.
///
/// Only who knows an account's password is asked, so that no stranger can take the place of the owner's. There is one for each purpose of an account at the most.
package struct PasskeyChallenges: Sendable {
    /// What an answer is for. One to the other is not taken.
    enum Purpose: String, Sendable {
        case signIn = "sign-in"
        case registration
    }

    private static let life = 120.0
    private let store: AccountStore
    private let makeChallenge: @Sendable () -> String

    /// - Parameter makeChallenge: gives whole bytes in base64url that nobody can guess, others each time.
    package init(store: AccountStore, makeChallenge: @escaping @Sendable () -> String = RandomToken.make) {
        (self.store, self.makeChallenge) = (store, makeChallenge)
    }

    /// Puts a question; an earlier one for the same purpose holds no more.
    func ask(_ account: String, for purpose: Purpose, authority: String, now: Double) async throws -> PasskeyCeremony {
        let challenge = makeChallenge()
        let ceremony = try PasskeyCeremony(challenge: challenge, authority: authority)
        try await store.database.transaction { connection in
            guard try AccountStore.lock(account, connection) else { throw AccountError.unknown(account) }
            try connection.run(
                """
                INSERT INTO challenges VALUES ($1, $2, $3, $4, $5) ON CONFLICT (account, purpose)
                DO UPDATE SET challenge = excluded.challenge, authority = excluded.authority, expires = excluded.expires
                """, [.text(account), .text(purpose.rawValue), .text(challenge), .text(authority), .real(now + Self.life)])
        }
        return ceremony
    }

    /// The question that an answer is for. Whatever the answer says, it is not asked again.
    func take(_ account: String, for purpose: Purpose, now: Double) async throws -> PasskeyCeremony {
        let found = try await store.database.transaction { connection in
            try connection.rows(
                "DELETE FROM challenges WHERE account = $1 AND purpose = $2 RETURNING challenge, authority, expires",
                [.text(account), .text(purpose.rawValue)]
            ).first
        }
        // Nor where the clock was set back far since: then nobody knows how old it is.
        guard let found, found.real(2) > now, found.real(2) <= now + 2 * Self.life else { throw PasskeyError.wrongChallenge }
        return try PasskeyCeremony(challenge: found.text(0), authority: found.text(1))
    }
}
