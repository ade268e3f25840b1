import Foundation
import MessageBus
import ServiceKit

/// The bus for as long as a command needs it.
struct BusSession {
    private let broker: BrokerConfiguration

    init(_ configuration: Configuration) throws(ConfigurationError) {
        broker = try BrokerConfiguration(configuration, clientID: "vigil-import-\(ProcessInfo.processInfo.processIdentifier)")
    }

    /// Runs the body with a connection for requests and answers, and ends the connection after it.
    func run<Result: Sendable>(_ body: @escaping @Sendable (Requester) async throws -> Result) async throws -> Result {
        let requester = Requester(broker: broker, responsePrefix: "vigil/v1/responses/\(broker.username ?? "import")/\(broker.clientID)")
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                try await requester.run()
                return nil
            }
            group.addTask { try await body(requester) }
            defer { group.cancelAll() }
            // The connection ends only when it fails, which ends all by throwing, or when they are told to.
            while let ended = try await group.next() {
                guard let result = ended else { continue }
                requester.drain()
                return result
            }
            throw CancellationError()
        }
    }
}
