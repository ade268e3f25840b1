import Synchronization

/// The consumer's thread: owns the connection, reads a batch, hands it over, and writes nothing until it is settled.
final class ConsumerPump {
    /// The way the use of one connection ended without an error.
    private enum Exit {
        case left
        case rejected
    }

    let configuration: ConsumerConfiguration
    let gate: BatchGate
    private let link: BrokerLink
    let counters: ConsumerCounting
    let onEvent: @Sendable (BusEvent) -> Void
    private let subscriptions: SubscriptionList
    /// The list's version that the connection has been asked for.
    private var subscribedVersion = 0
    private var asked: [Subscription: UInt32?] = [:]
    private var ungranted: [Int32: Subscription] = [:]
    /// Everything asked for at the connection's start is granted.
    private var isReady = false
    private var pings: PingSchedule
    private var offered = ContinuousClock.now
    /// A batch was committed whose acknowledgements have not left yet.
    private var owesAcknowledgements = false
    /// The end of a consumer that drains.
    var farewell = GracefulDisconnect()

    init(
        _ configuration: ConsumerConfiguration, _ subscriptions: SubscriptionList, gate: BatchGate, counters: ConsumerCounting,
        onEvent: @escaping @Sendable (BusEvent) -> Void
    ) {
        self.configuration = configuration
        self.subscriptions = subscriptions
        self.gate = gate
        self.counters = counters
        self.onEvent = onEvent
        link = BrokerLink(
            configuration.broker, receiveMaximum: configuration.receiveMaximum, wakeUp: gate.wakeUp, onEvent: onEvent)
        pings = PingSchedule(keepAlive: configuration.broker.keepAlive)
    }

    /// Serves one connection after the other until the consumer drains, is cancelled, or cannot go on.
    func run() throws(BusError) {
        while let client = try link.establish(unless: { gate.isEnding }) {
            counters.update { $0.reconnects = link.connections - 1 }
            do throws(BusError) {
                if case .left = try serve(client) { return }
                try link.ended(BusError(.connectionLost, during: .receive, detail: "a batch was given back"), rejected: true)
            } catch {
                giveBack(client)
                try link.ended(error)
            }
        }
    }

    private func serve(_ client: MosquittoClient) throws(BusError) -> Exit {
        farewell.isSaid = false
        owesAcknowledgements = false
        pings = PingSchedule(keepAlive: client.acceptance?.info.serverKeepAlive ?? configuration.broker.keepAlive)
        try subscribe(client)
        while true {
            if subscriptions.version != subscribedVersion { try changeSubscriptions(client) }
            let demand = gate.demand()
            if demand.committed > 0 { committed(demand.committed) }
            if demand.released > 0 { onEvent(.orphanReleased) }
            if let count = demand.rejected {
                reject(count, client)
                return .rejected
            }
            if demand.end != nil {
                try leave(client, holds: demand.holds)
                return .left
            }
            if farewell.isSaid {
                finish(client, demand)
            } else if demand.isFinishing, try hasFinished(client, demand) {
                try takeLast(client)
            } else {
                try step(client, demand)
            }
        }
    }

    private func committed(_ count: Int) {
        // What came with the farewell is stored, but nobody is left to tell: it comes again.
        counters.update { if farewell.isSaid { $0.returned += count } else { $0.acknowledged += count } }
        onEvent(.batchCommitted(count: count, after: offered.duration(to: .now)))
        link.progressed()
        owesAcknowledgements = true
    }

    /// One round: writes what may leave, hands over what was read, waits, reads.
    private func step(_ client: MosquittoClient, _ demand: BatchGate.State.Demand) throws(BusError) {
        let holds = demand.holds || !client.received.isEmpty
        if !holds, client.wantsWrite { try flush(client) }
        if !holds, owesAcknowledgements, !client.wantsWrite {
            owesAcknowledgements = false
            onEvent(.acknowledgementsSent)
        }
        if demand.asks, !client.received.isEmpty, offer(client) { return }
        let mustWrite = !holds && client.wantsWrite
        // What follows a batch that is held open is read past the acknowledgements that wait.
        let readsPast = demand.holds && demand.asks && client.received.isEmpty
        let mayRead = !farewell.isDue && (readsPast || !holds && !mustWrite && (demand.asks || !ungranted.isEmpty))
        let ready = SocketPoll.wait(
            socket: client.socket, read: mayRead, write: mustWrite, wakeUp: gate.wakeUp,
            timeout: demand.isFinishing ? GracefulDisconnect.pause : !holds && (mayRead || mustWrite) ? pings.pause : pings.untilNext)
        if mayRead, ready.isReadable {
            try read(client)
            if holds { try ping(client) }
        } else if ready.isBroken {
            throw client.lost(during: .receive)
        } else if mayRead, !holds {
            try client.keepAlive(during: .receive)
        } else if mustWrite {
            // A socket that takes nothing for so long has nobody at its other end.
            if pings.isOverdue { throw client.lost(during: .receive) }
        } else {
            try ping(client)
        }
    }

    // MARK: - Subscribing

    private func subscribe(_ client: MosquittoClient) throws(BusError) {
        (ungranted, asked, isReady) = ([:], [:], false)
        try changeSubscriptions(client)
        for filter in subscriptions.current.former { try client.unsubscribe(filter) }
        becomeReady()
    }

    /// Asks for what is new in the list, and gives up what is gone.
    private func changeSubscriptions(_ client: MosquittoClient) throws(BusError) {
        let list = subscriptions.current
        subscribedVersion = list.version
        let before = asked, wanted = Set(list.wanted.map(\.filter))
        let leaving = before.keys.filter { !wanted.contains($0.filter) }
        // Also those that are about to go: for a moment the broker has them beside the new ones.
        client.tellCopiesApart(of: (list.wanted + leaving).map(\.filter), former: list.former)
        for subscription in leaving where before[subscription] != .some(client.identifier(for: subscription)) {
            _ = try client.subscribe(subscription)
        }
        // What the session has gets its identifier before there is a new one that overlaps it: a message without any has no copy.
        for subscription in list.wanted.filter({ before[$0] != nil }) + list.wanted.filter({ before[$0] == nil }) {
            let identifier = client.identifier(for: subscription)
            if before[subscription] != .some(identifier) { ungranted[try client.subscribe(subscription)] = subscription }
        }
        asked = [:]
        for subscription in list.wanted { asked[subscription] = .some(client.identifier(for: subscription)) }
        for subscription in leaving { try client.unsubscribe(subscription.filter) }
    }

    private func becomeReady() {
        guard ungranted.isEmpty, !isReady else { return }
        isReady = true
        link.ready()
    }

    private func takeGrants(_ client: MosquittoClient) throws(BusError) {
        for grant in client.takeGrants() {
            guard let subscription = ungranted.removeValue(forKey: grant.packet) else { continue }
            do throws(BusError) {
                onEvent(try subscription.granted(grant.reason, version: client.version))
            } catch {
                onEvent(.subscriptionRefused(filter: subscription.filter, reason: grant.reason))
                if subscriptions.isRequired(subscription) { throw error }
            }
            becomeReady()
        }
    }

    // MARK: - Reading and handing over

    /// Reads until the batch is full or the socket is empty and nothing more is awaited.
    private func read(_ client: MosquittoClient) throws(BusError) {
        let limits = configuration.limits
        let deadline = ContinuousClock.now + limits.gather
        var isFlowing = false
        repeat {
            let before = client.received.count
            try client.read(during: .receive)
            // Where a message came there is mostly another: trying costs no more than asking.
            isFlowing = client.received.count > before
        } while client.received.count < limits.count && client.receivedBytes < limits.bytes
            && (isFlowing || SocketPoll.isReadable(client.socket) || gathers(client, until: deadline))
        try takeGrants(client)
        let count = client.received.count
        if count > 0 { counters.update { $0.received += count } }
    }

    /// Under load, lets more messages come together; false where the batch is to be handed over.
    private func gathers(_ client: MosquittoClient, until deadline: ContinuousClock.Instant) -> Bool {
        let limits = configuration.limits
        guard limits.gather > .zero, client.received.count >= limits.loaded, ContinuousClock.now < deadline else { return false }
        let nap = min(.milliseconds(5), deadline - .now)
        // Not woken by what arrives: each message by itself would wake the thread.
        return !SocketPoll.wait(socket: client.socket, read: false, write: false, wakeUp: gate.wakeUp, timeout: nap).isBroken
    }

    func offer(_ client: MosquittoClient) -> Bool {
        let count = client.received.count
        counters.update {
            $0.delivered += count
            $0.batches += 1
        }
        offered = .now
        if gate.offer(client.received) {
            client.forgetReceived()
            onEvent(.batchTaken(count: count))
            return true
        }
        counters.update {
            $0.delivered -= count
            $0.batches -= 1
        }
        return false
    }

    func flush(_ client: MosquittoClient) throws(BusError) {
        try client.flush(during: .receive)
        pings.wrote()
    }

    /// Keeps the connection while nothing is read, past the acknowledgements that are held back.
    private func ping(_ client: MosquittoClient) throws(BusError) {
        guard pings.isDue else { return }
        guard client.sendPastQueue(.pingRequest) else { throw client.lost(during: .receive) }
        pings.wrote()
    }
}
