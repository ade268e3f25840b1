import Cryptography
import Observability
import ServiceKit
import Settings
import Synchronization

/// The time attempts to sign in are held back: longer with each failure, per address and per account, and never for ever.
///
/// An account's share stays within a second, so that nobody can lock its owner out by guessing; an address waits up to eight. Each replica counts for
/// itself: so many replicas, so many times as many guesses, of which an address has four under way in eight seconds. Against passwords of ten characters and more
/// that is nothing, and to sign in waits for no table that everybody writes to.
struct GuessDelay {
    private struct Failures {
        var count = 0
        var last = 0.0
    }

    private static let forgetting = 900.0
    private static let most = 10_000
    private var failures: [String: Failures] = [:]

    /// Seconds that an attempt on the account from the address waits.
    func delay(account: String, address: String, now: Double) -> Double {
        max(min(1, delay("a " + account, now)), min(8, delay("h " + address, now)))
    }

    /// An attempt failed.
    mutating func failed(account: String, address: String, now: Double) {
        if failures.count > Self.most { failures = failures.filter { abs(now - $0.value.last) < Self.forgetting } }
        if failures.count > Self.most { failures = [:] }
        for key in ["a " + account.prefix(64), "h " + address] {
            var known = failures[key] ?? Failures()
            known.count = abs(now - known.last) < Self.forgetting ? known.count + 1 : 1
            known.last = now
            failures[key] = known
        }
    }

    /// An attempt succeeded: the account's failures are forgotten, the address's are not, which may try many accounts.
    mutating func succeeded(account: String) { failures["a " + account] = nil }

    private func delay(_ key: String, _ now: Double) -> Double {
        // A failure that is still to come is one of before the clock was set back.
        guard let known = failures[key], abs(now - known.last) < Self.forgetting, known.count > 2 else { return 0 }
        return 0.25 * Double(1 << min(6, known.count - 3))
    }
}

/// Checks passwords: two at a time, held back after failures, and as slowly for names that do not exist.
package final class SignIn: Sendable {
    /// The outcome of an attempt.
    package enum Outcome: Sendable, Equatable {
        /// With the hash of the password that was right: it may be another one's by the time that a session begins.
        case signedIn(Account, hash: String)
        case refused
        /// Too many attempts of this address wait already.
        case busy
    }

    private struct State {
        var delays = GuessDelay()
        var waiting: [String: Int] = [:]
        var all = 0
    }

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
        guard enter(address) else { return .busy }
        defer { leave(address) }
        let delay = state.withLock { $0.delays.delay(account: name, address: address, now: now()) }
        if delay > 0 { try await pause(delay) }
        let account = try await store.account(name)
        let hash = try await store.passwordHash(of: name)
        let fits = await hashing.run { PasswordHash.verify(password, hash ?? self.dummy) }
        guard fits, let hash, let account else {
            state.withLock { $0.delays.failed(account: name, address: address, now: now()) }
            return .refused
        }
        state.withLock { $0.delays.succeeded(account: name) }
        return .signedIn(account, hash: hash)
    }

    /// Sets a password, which ends every session of the account.
    /// - Parameter link: the secret of the link with which its owner chose it.
    /// - Returns: the password's hash.
    @discardableResult
    package func setPassword(_ password: String, of account: Account, with link: String? = nil) async throws -> String {
        try account.check(password: password)
        let hash = try await hashing.run { try PasswordHash.make(password) }
        try await store.setPassword(hash: hash, of: account.name, with: link, now: now())
        return hash
    }

    private func enter(_ address: String) -> Bool {
        state.withLock { state in
            guard state.waiting[address, default: 0] < 4, state.all < 64 else { return false }
            state.waiting[address, default: 0] += 1
            state.all += 1
            return true
        }
    }

    private func leave(_ address: String) {
        state.withLock { state in
            state.all -= 1
            let left = state.waiting[address, default: 1] - 1
            state.waiting[address] = left > 0 ? left : nil
        }
    }
}

/// Lets at most so many run at once; the others wait in their order. Bounded by who calls.
final class AsyncLimit: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    func run<Result: Sendable>(_ body: @Sendable () async throws -> Result) async rethrows -> Result {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
        defer { pass() }
        return try await body()
    }

    private func pass() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
