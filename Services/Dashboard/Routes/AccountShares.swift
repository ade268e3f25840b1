package import Observability
import Synchronization

/// The shares that one account, and one address, may have of what the dashboard has for everybody: live streams and requests that are being answered.
///
/// Whoever has used their share up is refused with 429, and nobody else is. Threading: from anywhere.
package final class AccountShares: Sendable {
    /// How much one may have at once.
    package struct Limits: Sendable {
        /// Live streams of an account, of the 512 that there are.
        package var streams = 32
        /// Live streams of an address, behind which there may be a whole ward.
        package var streamsOfAddress = 256
        /// Requests of an account that are being answered.
        package var requests = 32

        package init() {}
    }

    private struct State {
        var streams: [String: Int] = [:]
        var streamsByAddress: [String: Int] = [:]
        var requests: [String: Int] = [:]
    }

    private let limits: Limits
    private let refusals: Counter?
    private let state = Mutex(State())

    package init(limits: Limits = Limits(), metrics: MetricsRegistry? = nil) {
        self.limits = limits
        refusals = metrics?.counter(
            "vigil_dashboard_share_refused_total",
            help: "Requests and live streams refused because of the limit of their account or address."
        )
    }

    /// Takes a request's place of the account's share, until `leave`.
    func enter(_ account: String) throws(APIError) {
        try take(\.requests, account, limits.requests, "requests are being answered already; send the next once one of them is")
    }

    func leave(_ account: String) { give(\.requests, account) }

    /// Throws where the account or the address has its share of streams already. Takes none.
    func checkStreams(_ account: String, address: String) throws(APIError) {
        let (own, there) = state.withLock {
            ($0.streams[account, default: 0], $0.streamsByAddress[GuessDelay.network(address), default: 0])
        }
        guard own < limits.streams else { throw refusal(limits.streams, "live streams of this account are open already; close one") }
        guard there < limits.streamsOfAddress else {
            throw refusal(limits.streamsOfAddress, "live streams are open from this address already; close one")
        }
    }

    /// Takes a stream's place of the account's and the address's share, until `leaveStream`.
    func enterStream(_ account: String, address: String) throws(APIError) {
        try take(\.streams, account, limits.streams, "live streams of this account are open already; close one")
        do {
            try take(
                \.streamsByAddress, GuessDelay.network(address), limits.streamsOfAddress, "live streams are open from this address already")
        } catch {
            give(\.streams, account)
            throw error
        }
    }

    func leaveStream(_ account: String, address: String) {
        give(\.streams, account)
        give(\.streamsByAddress, GuessDelay.network(address))
    }

    private func take(
        _ pool: WritableKeyPath<State, [String: Int]>, _ key: String, _ limit: Int, _ words: String
    ) throws(APIError) {
        let isTaken = state.withLock { state in
            guard state[keyPath: pool][key, default: 0] < limit else { return false }
            state[keyPath: pool][key, default: 0] += 1
            return true
        }
        guard isTaken else { throw refusal(limit, words) }
    }

    private func give(_ pool: WritableKeyPath<State, [String: Int]>, _ key: String) {
        state.withLock { state in
            let left = state[keyPath: pool][key, default: 1] - 1
            state[keyPath: pool][key] = left > 0 ? left : nil
        }
    }

    private func refusal(_ limit: Int, _ words: String) -> APIError {
        refusals?.add()
        return APIError(status: 429, code: "share-used-up", reason: "\(limit) \(words)")
    }
}
