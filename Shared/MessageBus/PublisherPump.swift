/// The publisher's thread: owns the connection, sends what is queued, and answers those who wait.
final class PublisherPump {
    private let configuration: PublisherConfiguration
    private let pending: PendingPublishes
    private let link: BrokerLink
    private let onEvent: @Sendable (BusEvent) -> Void
    private let onAnswer: @Sendable (IncomingMessage) -> Void
    private var pings: PingSchedule

    init(
        _ configuration: PublisherConfiguration, pending: PendingPublishes, onEvent: @escaping @Sendable (BusEvent) -> Void,
        onAnswer: @escaping @Sendable (IncomingMessage) -> Void
    ) {
        self.configuration = configuration
        self.pending = pending
        self.onEvent = onEvent
        self.onAnswer = onAnswer
        link = BrokerLink(configuration.broker, receiveMaximum: .max, wakeUp: pending.wakeUp, onEvent: onEvent)
        pings = PingSchedule(keepAlive: configuration.broker.keepAlive)
    }

    /// Serves one connection after the other until the publisher has drained, is cancelled, or cannot go on.
    func run() throws(BusError) {
        while let client = try link.establish(unless: { isOver }) {
            do throws(BusError) {
                try serve(client)
                return
            } catch {
                pending.update { $0.connectionLost() }
                try link.ended(error)
            }
        }
    }

    private var isOver: Bool { pending.withQueue { $0.isOver } }

    private func serve(_ client: MosquittoClient) throws(BusError) {
        pings = PingSchedule(keepAlive: client.acceptance?.info.serverKeepAlive ?? configuration.broker.keepAlive)
        let receiveMaximum = client.acceptance?.info.receiveMaximum ?? .max
        pending.withQueue {
            $0.limit(to: receiveMaximum)
            $0.noteReconnects(link.connections - 1)
        }
        if let answers = configuration.answers { _ = try client.subscribe(answers) } else { link.ready() }
        while !isOver { try step(client) }
        try leave(client)
    }

    /// One round: sends what there is room for, waits, takes the answers.
    private func step(_ client: MosquittoClient) throws(BusError) {
        try send(client)
        if client.wantsWrite { try client.flush(during: .publish) }
        answer(client)
        let ready = SocketPoll.wait(
            socket: client.socket, read: true, write: client.wantsWrite, wakeUp: pending.wakeUp, timeout: pings.pause)
        if ready.isReadable || ready.isBroken {
            try client.read(during: .publish)
            answer(client)
            try takeAnswers(client)
        } else {
            try client.keepAlive(during: .publish)
        }
    }

    private func send(_ client: MosquittoClient) throws(BusError) {
        let work = pending.withQueue { $0.take() }
        guard !work.isEmpty else { return }
        var sent: [(ticket: UInt64, packet: Int32)] = []
        sent.reserveCapacity(work.count)
        defer { pending.withQueue { [sent] queue in for item in sent { queue.sent(item.ticket, packet: item.packet) } } }
        for (index, item) in work.enumerated() {
            do throws(BusError) {
                sent.append((item.ticket, try client.publish(item.message)))
            } catch  where Self.concernsTheMessage(error) {
                pending.update { [$0.fail(item.ticket, error)].compactMap(\.self) }
            } catch {
                pending.withQueue { $0.putBack(Array(work[index...])) }
                throw error
            }
        }
    }

    /// Returns whether the message is to blame rather than the connection.
    private static func concernsTheMessage(_ error: BusError) -> Bool {
        switch error.code {
        case .invalidTopic, .messageTooLarge, .refused: true
        default: false
        }
    }

    private func answer(_ client: MosquittoClient) {
        let receipts = client.takeReceipts()
        guard !receipts.isEmpty else { return }
        pending.update { queue in receipts.compactMap { queue.answered(packet: $0.packet, reason: $0.reason) } }
    }

    /// Passes on what arrived on the one subscription, if there is one.
    private func takeAnswers(_ client: MosquittoClient) throws(BusError) {
        guard let answers = configuration.answers else { return }
        for grant in client.takeGrants() {
            do throws(BusError) {
                onEvent(try answers.granted(grant.reason, version: client.version))
            } catch {
                onEvent(.subscriptionRefused(filter: answers.filter, reason: grant.reason))
                throw error
            }
            link.ready()
        }
        for message in client.received { onAnswer(message) }
        client.forgetReceived()
    }

    /// Says goodbye, so that the last will is not published.
    private func leave(_ client: MosquittoClient) throws(BusError) {
        try client.flushAll(within: configuration.broker.connectTimeout, wakeUp: pending.wakeUp)
        client.disconnectNow()
    }
}
