import Cryptography
import Passkeys
import Synchronization

/// The questions that were put to people's passkeys and are not answered yet: each is good once and for two minutes.
///
/// Only who knows an account's password is asked, so that no stranger can fill it or take the place of the owner's.
package final class PasskeyChallenges: Sendable {
    /// What an answer is for. One to the other is not taken.
    enum Purpose: Hashable, Sendable { case signIn, registration }

    private struct Key: Hashable {
        let account: String
        let purpose: Purpose
    }

    private struct Asked {
        let ceremony: PasskeyCeremony
        let expires: Double

        /// Not where the clock was set back far since: then nobody knows how old it is.
        func holds(at now: Double) -> Bool { expires > now && expires <= now + 2 * PasskeyChallenges.life }
    }

    private static let life = 120.0
    private static let most = 1_000
    private let makeChallenge: @Sendable () -> String
    private let asked = Mutex<[Key: Asked]>([:])

    /// - Parameter makeChallenge: gives whole bytes in base64url that nobody can guess, others each time.
    package init(makeChallenge: @escaping @Sendable () -> String = RandomToken.make) { self.makeChallenge = makeChallenge }

    /// Puts a question; an earlier one for the same purpose holds no more.
    func ask(_ account: String, for purpose: Purpose, authority: String, now: Double) throws(PasskeyError) -> PasskeyCeremony {
        let ceremony = try PasskeyCeremony(challenge: makeChallenge(), authority: authority)
        asked.withLock { asked in
            if asked.count >= Self.most { asked = asked.filter { $0.value.holds(at: now) } }
            if asked.count >= Self.most { asked = [:] }
            asked[Key(account: account, purpose: purpose)] = Asked(ceremony: ceremony, expires: now + Self.life)
        }
        return ceremony
    }

    /// The question that an answer is for. Whatever the answer says, it is not asked again.
    func take(_ account: String, for purpose: Purpose, now: Double) throws(PasskeyError) -> PasskeyCeremony {
        let found = asked.withLock { $0.removeValue(forKey: Key(account: account, purpose: purpose)) }
        guard let found, found.holds(at: now) else { throw .wrongChallenge }
        return found.ceremony
    }
}
