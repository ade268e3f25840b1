import Foundation
import MessageBus
import Observability
import SQLiteDatabase
import ServiceKit
import Synchronization
import TestSupport
import VigilSchema

@testable import HealthModules

/// A host with its state in a temporary file, modules in this process, and a clock that the test sets.
struct HostFixture {
    static let start = 1_795_330_000.0

    let folder: TemporaryFolder
    let state: ModuleState
    let host: ModuleHost
    let intake: ReadingIntake
    let publisher = InMemoryPublisher()
    let clock: Clock

    final class Clock: Sendable {
        private let time = Mutex(HostFixture.start)
        var now: Double {
            get { time.withLock { $0 } }
            set { time.withLock { $0 = newValue } }
        }
    }

    init(
        _ modules: [any HealthModule] = ModuleRegistry.standard.modules, folder: TemporaryFolder? = nil, shares: Int = 1,
        standsBy: Bool = false, isAtWorkElsewhere: @escaping @Sendable () -> Bool = { true }
    )
        throws
    {
        let registry = ModuleRegistry(modules)
        self.folder = try folder ?? TemporaryFolder("modules")
        state = ModuleState(
            try ServiceState(path: self.folder.path("state.sqlite"), migrations: ModuleState.migrations, durability: .normal))
        let clock = Clock()
        self.clock = clock
        host = ModuleHost(
            registry: registry, state: state, runner: DirectEvaluator(registry: registry, stateFile: self.folder.path("state.sqlite")),
            publisher: publisher, metrics: ModulesMetrics(MetricsRegistry()), log: Logger(service: "test", level: .error, format: .text),
            shares: shares, standsBy: standsBy, isAtWorkElsewhere: isAtWorkElsewhere, now: { clock.now })
        intake = ReadingIntake(registry: registry, state: state)
    }

    /// A value for each time, some seconds after the start.
    static func group(
        _ metric: String, _ values: [(Double, Double)], participant: String = "anna", source: String = "scale", received: Double = start,
        unit: String = "kg"
    ) -> ObservationGroup {
        ObservationGroup(
            participant: participant, source: source, received: Timestamp(seconds: received),
            observations: values.map {
                Observation(metric: metric, time: Timestamp(seconds: start + $0.0), content: .value($0.1), unit: unit)
            })
    }

    @discardableResult
    func take(_ groups: ObservationGroup..., isHistory: Bool = false) async throws -> ReadingIntake.Counts {
        try await intake.take(groups, isHistory: isHistory, now: clock.now)
    }

    /// Returns what a module found for somebody.
    func findings(_ module: String, of participant: String = "anna") async throws -> [String: Finding] {
        try await host.runDue()
        return try await state.result(of: module, participant)?.result.findings ?? [:]
    }

    /// Publishes to persons, in order: topic and text.
    var messages: [SentMessage?] {
        publisher.messages.filter { $0.topic.contains("/messages/") }.map {
            try? JSONDecoder().decode(SentMessage.self, from: Data($0.payload))
        }
    }
}
