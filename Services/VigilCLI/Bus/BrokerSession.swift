import MessageBus
import Observability
import ServiceKit
import Settings
import Synchronization
import VigilSchema

/// A command's connections to the broker, for the duration of its work.
///
/// Unlike a service, a command does not wait for an absent broker: a failed first connection ends it.
struct BrokerSession: Sendable {
    /// The settings of every command that talks to the broker.
    static let settings: [any AnySetting] = CommonSettings.broker + [connectWithin, privateFolder]
    private static let privateFolder = Setting(
        "private-folder", .path, default: ".vigil",
        help: "The state folder of a `vigil up --private`. Without --broker-user the operator's account in it is used.")
    static let connectWithin = Setting(
        "connect-within", .duration(in: .milliseconds(100) ... .seconds(3600)), default: .seconds(5),
        help: "How long the broker may take to answer the first connection.")

    private var broker: BrokerConfiguration
    private let deadline: Duration

    /// - Parameter command: the prefix of the client identifier, which is unique to this process, so that commands do
    ///   not end each   other's connections.
    init(_ invocation: Invocation, command: String) throws {
        broker = try BrokerConfiguration(invocation.configuration, clientID: "vigil-\(command)-\(UInt32.random(in: 0...UInt32.max))")
        if broker.username == nil, let own = PrivateAccounts.own(stateFolder: try invocation[Self.privateFolder]) {
            (broker.port, broker.username, broker.password) = (UInt16(own.port), own.user, own.password)
        }
        deadline = try invocation[Self.connectWithin]
    }

    /// The broker's address, for messages.
    var address: String { "\(broker.host):\(broker.port)" }

    /// The configuration of one of the connections.
    func configuration(_ part: String) -> BrokerConfiguration {
        var broker = broker
        broker.clientID += "-\(part)"
        return broker
    }

    /// Runs `body` with a connected publisher. What it published is acknowledged when this returns.
    func publishing<Result: Sendable>(
        onEvent: @escaping @Sendable (BusEvent) -> Void = { _ in }, _ body: @escaping @Sendable (Publisher) async throws -> Result
    ) async throws -> Result {
        let gate = ConnectionGate()
        let publisher = Publisher(configuration: PublisherConfiguration(broker: configuration("publisher"))) { event in
            onEvent(event)
            gate.handle(event)
        }
        return try await running(publisher.run, gate, drain: publisher.drain) { try await body(publisher) }
    }

    /// Connects with the identifier of an absent client and a clean session, which ends its session at the broker.
    func taking(over clientID: String) async throws {
        let gate = ConnectionGate()
        var broker = broker
        (broker.clientID, broker.session) = (clientID, .clean)
        let publisher = Publisher(configuration: PublisherConfiguration(broker: broker), onEvent: gate.handle)
        try await running(publisher.run, gate, drain: publisher.drain) {}
    }

    /// Runs `body` with a connection for requests, whose answers come below the topic.
    func requesting<Result: Sendable>(
        answersBelow prefix: String, onEvent: @escaping @Sendable (BusEvent) -> Void = { _ in },
        _ body: @escaping @Sendable (Requester) async throws -> Result
    ) async throws -> Result {
        let gate = ConnectionGate()
        let requester = Requester(broker: configuration("requester"), responsePrefix: prefix) { event in
            onEvent(event)
            gate.handle(event)
        }
        return try await running(requester.run, gate, drain: requester.drain) { try await body(requester) }
    }

    /// A topic for answers that this process's account may read, and no other process uses.
    var answerTopic: String { "\(Topic.prefix)responses/\(broker.username ?? "vigil")/\(UInt32.random(in: 0...UInt32.max))" }

    /// Runs `body` with the messages of the subscriptions until it returns.
    ///
    /// It starts before the last subscription is granted, because retained messages come before that and must be
    /// consumed.
    /// - Parameter subscribed: Runs in parallel with `body` once all subscriptions are granted.
    func receiving<Result: Sendable>(
        _ subscriptions: [Subscription], onEvent: @escaping @Sendable (BusEvent) -> Void = { _ in },
        subscribed: @escaping @Sendable () async throws -> Void = {},
        _ body: @escaping @Sendable (MessageBatches) async throws -> Result
    ) async throws -> Result {
        let gate = ConnectionGate()
        let configuration = ConsumerConfiguration(broker: configuration("consumer"), subscriptions: subscriptions)
        let consumer = Consumer(configuration: configuration) { event in
            gate.handle(event)
            onEvent(event)
        }
        return try await withThrowingTaskGroup(of: Result?.self) { tasks in
            tasks.addTask {
                try await consumer.run()
                return nil
            }
            tasks.addTask {
                try await gate.wait(within: deadline, address: address)
                try await subscribed()
                return nil
            }
            tasks.addTask {
                // A draining consumer ends its batches.
                defer { consumer.drain() }
                return try await body(consumer.batches)
            }
            while let ended = try await tasks.next() {
                guard let result = ended else { continue }
                tasks.cancelAll()
                return result
            }
            throw BusError(.closed, during: .connect)
        }
    }

    private func running<Result: Sendable>(
        _ run: @escaping @Sendable () async throws(BusError) -> Void, _ gate: ConnectionGate, drain: @escaping @Sendable () -> Void,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { tasks in
            tasks.addTask {
                try await run()
                return nil
            }
            tasks.addTask {
                try await gate.wait(within: deadline, address: address)
                // A draining consumer ends its batches, so that its body returns; a publisher's body has returned by
                // then.
                defer { drain() }
                return try await body()
            }
            var result: Result?
            while let ended = try await tasks.next() { result = ended ?? result }
            guard let result else { throw BusError(.closed, during: .connect) }
            return result
        }
    }
}

/// Opens once a connection is made and its subscriptions are granted, so that no later message is missed. Keeps the
/// reason of a failure.
final class ConnectionGate: Sendable {
    private let isReady = Latch()
    private let failure = Mutex<BusError?>(nil)

    /// Processes the connection's events.
    @Sendable func handle(_ event: BusEvent) {
        switch event {
        case .ready: isReady.open()
        case .disconnected(let error): failure.withLock { $0 = error }
        case .subscriptionRefused(let filter, let reason):
            failure.withLock { $0 = BusError(.notAuthorized, during: .subscribe, reason: reason, detail: filter) }
        default: break
        }
    }

    /// Returns once it is open.
    /// - Throws: `CommandError` with the last failure if that takes longer.
    func wait(within deadline: Duration, address: String) async throws {
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await self.isReady.wait() }
            tasks.addTask { try? await ContinuousClock().sleep(for: deadline) }
            await tasks.next()
            tasks.cancelAll()
        }
        try Task.checkCancellation()
        guard !isReady.isOpen else { return }
        let reason = failure.withLock { $0 }.map { ": \($0)" } ?? ""
        throw CommandError(.unavailable, "the broker at \(address) does not answer\(reason)")
    }
}

/// Ends a command's work in order on Ctrl-C.
enum Interruption {
    /// Runs the work until it returns or a stop signal comes, which cancels its task.
    /// - Returns: nil if a signal came first.
    static func stoppable<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result? {
        let signals = StopSignals(StopSignals.usual)
        defer { signals.restore() }
        return try await withThrowingTaskGroup(of: Result?.self) { tasks in
            tasks.addTask { try await work() }
            tasks.addTask {
                _ = await signals.first()
                return nil
            }
            defer { tasks.cancelAll() }
            return try await tasks.next() ?? nil
        }
    }
}
