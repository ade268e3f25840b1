import VigilSchema

/// The time attempts to sign in are held back: longer with each failure, per address and per account, and never for ever.
///
/// An account's share stays within a second, so that nobody can lock its owner out by guessing; an address waits up to eight. Each replica counts for
/// itself: so many replicas, so many times as many guesses, of which an address has four under way about one account in eight seconds, and 64 in all.
/// Against passwords of ten characters and more that is nothing, and to sign in waits for no table that everybody writes to.
struct GuessDelay {
    private struct Failures {
        var count = 0
        var last = 0.0
    }

    private static let forgetting = 900.0
    private static let most = 10_000
    private var failures: [String: Failures] = [:]

    /// Seconds that an attempt on the account from the address waits; without an account one on what is no password.
    /// - Parameter isKnownThere: whether the account has signed in from the address before: then it waits there for its own failures, and for nobody
    ///   else's, who may be one of many behind one address.
    func delay(account: String?, address: String, isKnownThere: Bool = false, now: Double) -> Double {
        guard let account else { return min(8, delay(Self.key(address: address), now)) }
        let there = isKnownThere ? Self.key(account: account, address: address) : Self.key(address: address)
        return max(min(1, delay(Self.key(account: account), now)), min(8, delay(there, now)))
    }

    /// An attempt failed.
    mutating func failed(account: String?, address: String, now: Double) {
        if failures.count > Self.most { makeRoom(now) }
        let ofAccount = account.map { [Self.key(account: $0), Self.key(account: $0, address: address)] } ?? []
        for key in ofAccount + [Self.key(address: address)] {
            var known = failures[key] ?? Failures()
            known.count = abs(now - known.last) < Self.forgetting ? known.count + 1 : 1
            known.last = now
            failures[key] = known
        }
    }

    /// Forgets what is long ago, and where that is not enough the half that failed least and longest ago: who tries very many names takes nobody's count
    /// back that way, least of all the own address's.
    private mutating func makeRoom(_ now: Double) {
        failures = failures.filter { abs(now - $0.value.last) < Self.forgetting }
        guard failures.count > Self.most else { return }
        let order = failures.sorted { ($0.value.count, $0.value.last) > ($1.value.count, $1.value.last) }
        failures = Dictionary(uniqueKeysWithValues: order.prefix(Self.most / 2).map { ($0.key, $0.value) })
    }

    /// An attempt succeeded: the account's failures are forgotten, the address's are not, which may try many accounts.
    mutating func succeeded(account: String, address: String) {
        failures[Self.key(account: account)] = nil
        failures[Self.key(account: account, address: address)] = nil
    }

    private static func key(account: String) -> String { "a " + account.kept(64) }
    private static func key(account: String, address: String) -> String { "p \(network(address)) \(account.kept(64))" }
    private static func key(address: String) -> String { "h " + GuessDelay.network(address) }

    /// What one stranger is given of a kind of addresses: of IPv4 a single one, of IPv6 a network of 64 bits.
    static func network(_ address: String) -> String {
        guard address.contains(":") else { return address }
        if let mapped = address.split(separator: ":").last, mapped.contains(".") { return String(mapped) }
        let halves = address.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.split(separator: ":").map(String.init) }
        let missing = halves.count < 2 ? 0 : max(0, 8 - halves.joined().count)
        let groups = halves[0] + Array(repeating: "0", count: missing) + (halves.count < 2 ? [] : halves[1])
        return groups.prefix(4).joined(separator: ":") + "::/64"
    }

    private func delay(_ key: String, _ now: Double) -> Double {
        // A failure that is still to come is one of before the clock was set back.
        guard let known = failures[key], abs(now - known.last) < Self.forgetting, known.count > 2 else { return 0 }
        return 0.25 * Double(1 << min(6, known.count - 3))
    }
}
