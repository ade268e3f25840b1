import VigilSchema

/// The modules of a service.
package struct ModuleRegistry: Sendable {
    /// The suite's modules. To add a module, add a line.
    package static let standard = ModuleRegistry([
        WeightModule(),
        AnthropometryModule(),
        BloodPressureModule(),
        GlucoseModule(),
        HeartModule(),
        TrainingModule(),
        SleepActivityModule(),
        MedicalTestsModule(),
        MedicationModule(),
        StressRecoveryModule(),
    ])

    /// The default order.
    package let modules: [any HealthModule]
    private let byID: [String: any HealthModule]
    /// The readers of each metric.
    let readers: [String: [(module: String, input: ModuleInput)]]

    /// - Parameter modules: of two with the same name the first counts.
    package init(_ modules: [any HealthModule]) {
        byID = Dictionary(modules.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var seen: Set<String> = []
        self.modules = modules.filter { seen.insert($0.id).inserted }
        readers = self.modules.reduce(into: [:]) { readers, module in
            for input in module.inputs { readers[input.metric, default: []].append((module.id, input)) }
        }
    }

    package subscript(_ id: String) -> (any HealthModule)? { byID[id] }

    /// How much of a metric is stored: enough for every module that reads it; nil: none reads it.
    func retention(of metric: String) -> ModuleInput? {
        guard let inputs = readers[metric]?.map(\.input) else { return nil }
        return ModuleInput(metric: metric, days: inputs.map(\.days).max() ?? 0, spacing: inputs.map(\.spacing).min() ?? 0)
    }

    /// The modules that a profile has switched on, in its order.
    func enabled(_ profile: ParticipantProfile) -> [any HealthModule] {
        guard let chosen = profile.modules else { return modules }
        var seen: Set<String> = []
        return chosen.compactMap { self[$0] }.filter { seen.insert($0.id).inserted }
    }

    /// The modules that read values of a module.
    func dependents(of id: String) -> [String] { modules.filter { $0.sources.contains(id) }.map(\.id) }
}
