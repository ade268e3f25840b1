import Foundation
import HealthModules
import MessageBus
import Observability
import SQLiteDatabase
import ServiceKit
import TestSupport
import VigilSchema

/// Takes messages and keeps none.
private struct SilentPublisher: MessagePublisher {
    func publish(_ message: OutgoingMessage) async throws(BusError) {}
}

/// A module host with modules in this process, and persons' readings for it.
struct ModuleLoad {
    static let now = 1_795_348_800.0

    let host: ModuleHost
    let intake: ReadingIntake
    private let evaluator: DirectEvaluator
    /// Holds the state file as long as somebody opens it.
    private let folder: TemporaryFolder?

    init(folder: TemporaryFolder) throws { try self.init(stateFile: folder.path("modules.sqlite"), in: folder) }

    init(stateFile: String, in folder: TemporaryFolder? = nil) throws {
        self.folder = folder
        let state = ModuleState(try ServiceState(path: stateFile, migrations: ModuleState.migrations, durability: .normal))
        evaluator = DirectEvaluator(registry: .standard, stateFile: stateFile)
        host = ModuleHost(
            registry: .standard, state: state, runner: evaluator, publisher: SilentPublisher(), metrics: ModulesMetrics(MetricsRegistry()),
            log: Logger(service: "bench", level: .error, format: .text), now: { Self.now })
        intake = ReadingIntake(registry: .standard, state: state)
    }

    /// Runs every module for somebody.
    func evaluateAll(_ participant: String) async -> [(module: String, outcome: EvaluationOutcome)] {
        let request = EvaluationRequest(participant: participant, modules: ModuleRegistry.standard.modules.map(\.id), now: Self.now)
        return await evaluator.evaluate(request)
    }

    static func group(_ metric: String, _ values: [(Double, Double)], participant: String = "anna") -> ObservationGroup {
        let unit = MetricCatalogue.standard.definition(named: metric)?.unit ?? "1"
        return ObservationGroup(
            participant: participant, source: "load", received: Timestamp(seconds: now),
            observations: values.map { Observation(metric: metric, time: Timestamp(seconds: $0.0), content: .value($0.1), unit: unit) })
    }

    /// Ten years: daily weight, steps, sleep and resting rate, blood pressure twice a day, glucose four times a day and a sensor's last 90 days, heart rate a minute
    /// of 45 days, variability and stress every five minutes of 62 days.
    static func decade() -> [ObservationGroup] {
        let daily = { (metric: String, value: @escaping (Double) -> Double) in
            group(metric, (1...3652).map { (now - Double($0) * 86_400, value(Double($0))) })
        }
        let every = { (metric: String, seconds: Double, days: Double, value: @escaping (Double) -> Double) in
            group(metric, (1...Int(days * 86_400 / seconds)).map { (now - Double($0) * seconds, value(Double($0))) })
        }
        return [
            daily("body-weight") { 80 + 2 * sin($0 / 90) + 0.4 * sin($0 * 1.7) }, daily("steps") { 8000 + 3000 * sin($0) },
            daily("sleep-minutes") { 430 + 40 * sin($0) }, daily("resting-heart-rate") { 60 + 3 * sin($0 / 20) },
            every("systolic-pressure", 43_200, 3652) { 125 + 8 * sin($0) }, every("diastolic-pressure", 43_200, 3652) { 80 + 5 * sin($0) },
            every("blood-glucose", 21_600, 3560) { 120 + 30 * sin($0) }, every("blood-glucose", 300, 90) { 130 + 45 * sin($0 / 30) },
            every("heart-rate", 60, 45) { 75 + 20 * sin($0 / 200) + ($0.truncatingRemainder(dividingBy: 2880) < 45 ? 60 : 0) },
            every("heart-rate-variability-rmssd", 300, 62) { 40 + 10 * sin($0 / 50) },
            every("stress-level", 300, 62) { 0.4 + 0.3 * sin($0 / 40) },
        ]
    }

    /// A year: a weight and a blood pressure a week.
    static func year(participant: String) -> [ObservationGroup] {
        let weeks = { (metric: String, value: Double) in
            group(metric, (0..<52).map { (now - Double($0) * 604_800 - 60, value + sin(Double($0))) }, participant: participant)
        }
        return [weeks("body-weight", 80), weeks("systolic-pressure", 125), weeks("diastolic-pressure", 80)]
    }
}
