import Foundation
package import MessageBus
package import Observability
import Synchronization
import VigilSchema

/// Publishes whether this instance is online, retained; the broker says offline for it when its connection breaks.
package final class ModuleStatus: Service {
    /// The states of an instance.
    package enum State: String, Sendable, Codable { case online, draining, offline }

    private struct Report: Encodable {
        let service: String
        let instance: String
        let state: State
        let version: String
        let since: Double
        /// The number of shares that the observations' topics go by, where it is more than one.
        let shares: Int?
    }

    private let service: String
    private let instance: String
    private let shares: Int
    private let publisher: any MessagePublisher
    private let logger: Logger
    private let state = Mutex(State.offline)
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    package init(service: String, instance: String, shares: Int = 1, publisher: any MessagePublisher, logger: Logger) {
        self.service = service
        self.instance = instance
        self.shares = shares
        self.publisher = publisher
        self.logger = logger
        // What counts is only that something changed since the last look: one element says it.
        (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The will, which the broker publishes when the connection breaks without a goodbye.
    package static func lastWill(service: String, instance: String) -> OutgoingMessage {
        message(service: service, instance: instance, .offline)
    }

    /// From now on this is the state; published by `run()`.
    package func set(_ new: State) {
        state.withLock { $0 = new }
        change.yield()
    }

    /// Publishes the state again, as after a reconnection, when the last will may have been published.
    package func repeatReport() { change.yield() }

    /// Publishes each state until `finish()`.
    package func run() async throws {
        for await _ in changes { await report(state.withLock { $0 }) }
        await report(.offline)
    }

    /// Lets `run()` publish offline and return.
    package func finish() { change.finish() }

    private func report(_ state: State) async {
        do {
            try await publisher.publish(Self.message(service: service, instance: instance, state, shares: shares))
        } catch {
            logger.warning("module status not published", ["state": state.rawValue, "error": error.description])
        }
    }

    /// The message that says that an instance, or a part of it that is told apart like one, is in a state.
    package static func message(service: String, instance: String, _ state: State, shares: Int = 1) -> OutgoingMessage {
        let report = Report(
            service: service, instance: instance, state: state, version: BuildInfo.current.version, since: Date().timeIntervalSince1970,
            shares: shares == 1 ? nil : shares)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        // Plain members always encode.
        let payload = (try? encoder.encode(report)).map { [UInt8]($0) } ?? []
        return OutgoingMessage(
            topic: Topic.moduleStatus(service: service, instance: instance).path, payload: payload, qos: .atLeastOnce, retained: true,
            properties: MessageProperties(contentType: "application/json"))
    }
}
