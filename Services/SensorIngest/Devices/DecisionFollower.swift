package import Observability
package import ServiceKit
import Synchronization

/// Learns at the start, when this process is to take what devices send, and now and then, what operators have decided at another.
package struct DecisionFollower: Service {
    private static let pause = Duration.seconds(10)
    private let decisions: DeviceDecisions
    private let shared: SharedDecisions
    private let exchange: Exchange
    private let replica: String
    private let log: Logger
    private let clock: any Clock<Duration>
    /// The number of the newest decision that was learnt; nil: none was asked for yet.
    private let known = KnownNumber()

    package init(
        _ decisions: DeviceDecisions, _ shared: SharedDecisions, _ exchange: Exchange, replica: String, log: Logger,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        (self.decisions, self.shared, self.exchange, self.replica) = (decisions, shared, exchange, replica)
        (self.log, self.clock) = (log, clock)
    }

    /// Looks every ten seconds, until it is cancelled.
    package func run() async throws {
        while true {
            do { try await clock.sleep(for: Self.pause) } catch { return }
            try? await learn(orFail: false)
        }
    }

    /// Learns what is new.
    /// - Parameter orFail: whether it throws where nothing has ever been learnt; otherwise that is only told.
    package func learn(orFail: Bool) async throws {
        do {
            try await learn()
            if known.fails(false) { log.notice("what was decided elsewhere is known again") }
        } catch {
            guard known.number != nil || !orFail else { throw error }
            if !known.fails(true) { log.warning("what was decided elsewhere is not known", ["error": "\(error)"]) }
        }
    }

    private func learn() async throws {
        if known.number == nil { try await shared.adopt(decisions.own, of: replica) }
        let last = try await shared.last
        // At first nobody knows if it counts anew since this process ran before.
        let mayCountAnew = known.number.map { last < $0 } ?? true
        if mayCountAnew, known.number != nil {
            decisions.forgetNumbers()
            known.number = 0
        }
        let news = try await shared.all(after: known.number ?? 0)
        for decision in news {
            guard decision.thing.kind == .parameter else {
                try await decisions.follow(decision)
                continue
            }
            do {
                try await exchange.adopt(decision.thing.name, decision.value, number: decision.number, last: mayCountAnew ? last : .max)
            } catch let error as ExchangeError {
                log.error("a parameter that was set elsewhere is not accepted", ["error": "\(error)"])
            }
        }
        known.number = max(known.number ?? 0, news.last?.number ?? 0)
    }
}

/// How far a process has followed. Threading: from anywhere.
private final class KnownNumber: Sendable {
    private let state = Mutex<(number: Int64?, fails: Bool)>((nil, false))

    var number: Int64? {
        get { state.withLock { $0.number } }
        set { state.withLock { $0.number = newValue } }
    }

    /// Notes whether the last look failed; returns whether the one before did.
    func fails(_ fails: Bool) -> Bool {
        state.withLock { state in
            defer { state.fails = fails }
            return state.fails
        }
    }
}
