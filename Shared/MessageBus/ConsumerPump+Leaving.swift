/// The end of the use of a connection, of which a broker that sends what was not acknowledged again only after a while is asked to leave nothing behind.
struct GracefulDisconnect {
    /// The time between two looks at whether it is time.
    static let pause = Duration.milliseconds(50)
    /// What a broker has just sent, perhaps by way of another node, arrives in that time.
    static let quiet = Duration.milliseconds(20)
    /// A broker hangs up in that time.
    static let patience = Duration.seconds(1)

    /// When nothing more is read before the goodbye, whatever the broker sends.
    var readDeadline: ContinuousClock.Instant?
    /// The broker has been told: nothing can be acknowledged any more.
    var isSaid = false

    /// A Boolean value that indicates whether the last call is over.
    var isDue: Bool { readDeadline.map { .now >= $0 } ?? false }
}

extension ConsumerPump {
    /// Returns whether everything that was read is acknowledged, and nothing more comes or no time is left for it.
    func hasFinished(_ client: MosquittoClient, _ demand: BatchGate.State.Demand) throws(BusError) -> Bool {
        if farewell.readDeadline == nil { farewell.readDeadline = .now + configuration.finishing }
        guard !demand.holds, client.received.isEmpty else { return false }
        if client.wantsWrite { try flush(client) }
        return farewell.isDue || !client.wantsWrite && isQuiet(client)
    }

    private func isQuiet(_ client: MosquittoClient) -> Bool {
        let end = ContinuousClock.now + GracefulDisconnect.quiet
        repeat {
            let ready = SocketPoll.wait(socket: client.socket, read: true, write: false, wakeUp: gate.wakeUp, timeout: end - .now)
            if ready.isReadable { return false }
        } while .now < end
        return true
    }

    /// Says goodbye, and reads what the broker had sent by then. It is still worked on, and known again when it comes again: whoever has the session
    /// next would otherwise get it after a while only, behind newer messages.
    func takeLast(_ client: MosquittoClient) throws(BusError) {
        try client.flushAll(within: configuration.broker.connectTimeout, wakeUp: gate.wakeUp)
        farewell.isSaid = true
        client.disconnectNow(listeningFor: GracefulDisconnect.patience, wakeUp: gate.wakeUp)
        let count = client.received.count
        if count > 0 { counters.update { $0.received += count } }
    }

    /// One round without a connection: hands over what came last, and waits until it is settled.
    func finish(_ client: MosquittoClient, _ demand: BatchGate.State.Demand) {
        if client.received.isEmpty, demand.isFinishing { return gate.drain() }
        if !client.received.isEmpty, demand.asks, offer(client) { return }
        _ = SocketPoll.wait(socket: -1, read: false, write: false, wakeUp: gate.wakeUp, timeout: configuration.broker.keepAlive)
    }

    func reject(_ count: Int, _ client: MosquittoClient) {
        onEvent(.batchRejected(count: count))
        let others = gate.connectionLost()
        counters.update {
            $0.rejectedBatches += 1
            $0.returned += count + others + client.received.count
        }
        if !farewell.isSaid { client.disconnectNow() }
    }

    /// Says goodbye: after the acknowledgements that may leave, or past those that may not.
    func leave(_ client: MosquittoClient, holds: Bool) throws(BusError) {
        if !farewell.isSaid, !holds, client.received.isEmpty {
            try client.flushAll(within: configuration.broker.connectTimeout, wakeUp: gate.wakeUp)
        }
        giveBack(client)
        if !farewell.isSaid { client.disconnectNow() }
    }

    /// Counts what was read over a connection that is gone and not settled.
    func giveBack(_ client: MosquittoClient) {
        let orphaned = gate.connectionLost()
        let returned = orphaned + client.received.count
        if returned > 0 { counters.update { $0.returned += returned } }
        if orphaned > 0 { onEvent(.batchOrphaned(count: orphaned)) }
    }
}
