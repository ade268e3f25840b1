import Access
import Cryptography
import Synchronization

/// Checks passwords: two at a time, held back after failures, and as slowly for names that do not exist.
///
/// Who is held back takes no place of whoever wants to sign in to another account, also from the same address, which behind a proxy is everybody's.
package final class SignIn: Sendable {
    /// The outcome of an attempt.
    package enum Outcome: Sendable, Equatable {
        /// With the hash of the password that was right: it may be another one's by the time that a session begins.
        case signedIn(Account, hash: String)
        case refused
        /// Too many attempts on this account from this address are under way already.
        case busy
    }

    private struct State {
        var delays = GuessDelay()
        var attempts = OpenAttempts()
        var places = SignInPlaces()
    }

    /// Refusals that the audit is told of: of each kind so many that no stranger fills it, and then how many there were.
    let refusedNames = RefusalCount()
    let refusedLinks = RefusalCount()
    private let store: AccountStore
    private let now: @Sendable () -> Double
    private let pause: @Sendable (Double) async throws -> Void
    private let state = Mutex(State())
    private let hashing = AsyncLimit(2)
    /// Of a password that nobody knows, so that an unknown name takes as long as a wrong password.
    private let dummy: String

    package init(
        store: AccountStore, now: @escaping @Sendable () -> Double,
        pause: @escaping @Sendable (Double) async throws -> Void = { try await ContinuousClock().sleep(for: .seconds($0)) }
    ) throws {
        self.store = store
        self.now = now
        self.pause = pause
        dummy = try PasswordHash.make(RandomToken.make())
    }

    /// Checks a name and password from an address.
    package func attempt(name: String, password: String, address: String) async throws -> Outcome {
        guard enter(name, address) else { return .busy }
        defer { leave(name, address) }
        try await holdBack(name, address)
        let account = try await store.account(name)
        let hash = try await store.passwordHash(of: name)
        let fits = await hashing.run { PasswordHash.verify(password, hash ?? self.dummy) }
        guard fits, let hash, let account else {
            state.withLock { $0.delays.failed(account: name, address: address, now: now()) }
            return .refused
        }
        state.withLock { state in
            state.delays.succeeded(account: name, address: address)
            state.places.note(name, address, now: now())
        }
        return .signedIn(account, hash: hash)
    }

    /// Sets a password, which ends every session of the account.
    /// - Parameters:
    ///   - link: the secret of the link with which its owner chose it.
    ///   - lines: what the audit is told of it.
    /// - Returns: the password's hash.
    @discardableResult
    package func setPassword(
        _ password: String, of account: Account, with link: String? = nil, noting lines: [AuditRecord] = []
    ) async throws -> String {
        try account.check(password: password)
        let hash = try await hashing.run { try PasswordHash.make(password) }
        try await store.setPassword(hash: hash, of: account.name, with: link, now: now(), noting: lines)
        return hash
    }

    /// Runs what a stranger may try that is no password, held back after failures from the address as passwords are.
    /// - Parameters:
    ///   - secret: what is tried.
    ///   - body: makes what it is good for; nil where it was wrong.
    /// - Throws: `AccountError.tooManyAttempts` where too many are under way already.
    func tryOut<Result>(_ secret: String, address: String, _ body: () async throws -> Result?) async throws -> Result? {
        // Of a digest, which no account is called: who tries other secrets does not take the place of whoever has the right one.
        let name = "#" + SHA256.hex(of: secret)
        guard enter(name, address) else { throw AccountError.tooManyAttempts }
        defer { leave(name, address) }
        try await holdBack(nil, address)
        let result = try await body()
        if result == nil { state.withLock { $0.delays.failed(account: nil, address: address, now: now()) } }
        return result
    }

    private func holdBack(_ name: String?, _ address: String) async throws {
        var delay = state.withLock { state in
            let isKnown = name.map { state.places.holds($0, address, now: now()) } ?? false
            return state.delays.delay(account: name, address: address, isKnownThere: isKnown, now: now())
        }
        // Before a restart, or at another replica.
        if delay > 1, let name, await hasSignedIn(name, from: address) {
            delay = state.withLock { $0.delays.delay(account: name, address: address, isKnownThere: true, now: now()) }
        }
        if delay > 0 { try await pause(delay) }
    }

    /// Whether one of the account's sessions was begun from there. Where that cannot be looked up it waits like everybody.
    private func hasSignedIn(_ name: String, from address: String) async -> Bool {
        guard let sessions = try? await store.sessions(of: name, now: now()) else { return false }
        let network = GuessDelay.network(address)
        return sessions.contains { GuessDelay.network($0.address) == network }
    }

    private func enter(_ name: String, _ address: String) -> Bool { state.withLock { $0.attempts.enter(name, address) } }
    private func leave(_ name: String, _ address: String) { state.withLock { $0.attempts.leave(name, address) } }
}

/// The addresses from which accounts have signed in within thirty days, as many as fit. A value.
struct SignInPlaces {
    private static let most = 10_000
    private static let life = 30 * 86_400.0
    private var places: [String: Double] = [:]

    func holds(_ account: String, _ address: String, now: Double) -> Bool {
        places[Self.key(account, address)].map { abs(now - $0) < Self.life } ?? false
    }

    /// Notes that somebody has signed in. Where there are too many the older half goes.
    mutating func note(_ account: String, _ address: String, now: Double) {
        places[Self.key(account, address)] = now
        guard places.count > Self.most else { return }
        places = Dictionary(uniqueKeysWithValues: places.sorted { $0.value > $1.value }.prefix(Self.most / 2).map { ($0.key, $0.value) })
    }

    private static func key(_ account: String, _ address: String) -> String { "\(GuessDelay.network(address)) \(account)" }
}

/// The attempts that are under way: so many on an account from an address, from an address, and in all, that they keep nobody else out. An address may have
/// at most half as many as are still free, so that some are left for others however few addresses try. A value.
struct OpenAttempts {
    private static let ofAccount = 4
    private static let ofAddress = 64
    private static let most = 256
    private var open: [String: Int] = [:]
    private var all = 0

    /// Takes an attempt; false where there is no room for it.
    mutating func enter(_ account: String, _ address: String) -> Bool {
        let (pair, address) = Self.keys(account, address)
        let share = min(Self.ofAddress, (Self.most - all + 1) / 2)
        guard open[pair, default: 0] < Self.ofAccount, open[address, default: 0] < share else { return false }
        all += 1
        for key in [pair, address] { open[key, default: 0] += 1 }
        return true
    }

    mutating func leave(_ account: String, _ address: String) {
        let (pair, address) = Self.keys(account, address)
        all -= 1
        for key in [pair, address] {
            let left = open[key, default: 1] - 1
            open[key] = left > 0 ? left : nil
        }
    }

    private static func keys(_ account: String, _ address: String) -> (pair: String, address: String) {
        let network = GuessDelay.network(address)
        return ("\(network) \(account)", network)
    }
}
