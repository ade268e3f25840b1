import Foundation
import MessageBus
import Observability
import TestSupport

@testable import SensorIngest
@testable import ServiceKit
@testable import Settings

/// The surroundings of ingest as its process makes them, within a test's.
enum IngestContext {
    /// - Parameters:
    ///   - flags: The service's settings by their names.
    ///   - folder: Where it keeps its state.
    static func make(
        _ flags: [String: String] = [:], in folder: TemporaryFolder, publisher: any MessagePublisher = InMemoryPublisher()
    ) throws -> ServiceContext {
        let given = flags.merging(["state-folder": folder.url.path]) { own, _ in own }
        let configuration = try Configuration(
            SensorIngestService.command.settings, flags: given.map { ($0.key, $0.value) }, environment: [:])
        return ServiceContext(
            service: "vigil-ingest", instance: "main", configuration: configuration,
            logger: Logger(service: "test", level: .error, sink: { _ in }), metrics: MetricsRegistry(), readiness: Readiness(),
            publisher: publisher, liveness: Liveness(), replies: ReplyPublisher(publisher),
            exchange: Exchange(store: ParameterStore(path: nil)))
    }
}
