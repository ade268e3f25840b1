import VigilSchema

/// The modules that a service hosts.
package struct ModuleRegistry: Sendable {
    /// The suite's own. To add a module, add a line.
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

    /// In the order in which a person sees them who has chosen none.
    package let modules: [any HealthModule]
    private let byID: [String: any HealthModule]
    /// For each metric, who reads it.
    let readers: [String: [(module: String, input: ModuleInput)]]

    /// - Parameter modules: of two with one name the first counts.
    package init(_ modules: [any HealthModule]) {
        byID = Dictionary(modules.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var seen: Set<String> = []
        self.modules = modules.filter { seen.insert($0.id).inserted }
        readers = self.modules.reduce(into: [:]) { readers, module in
            for input in module.inputs { readers[input.metric, default: []].append((module.id, input)) }
        }
    }

    package subscript(_ id: String) -> (any HealthModule)? { byID[id] }

    /// The amount of a metric that is kept: enough for every module that reads it; nil where none does.
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

    /// The modules that ask for values of a module.
    func dependents(of id: String) -> [String] { modules.filter { $0.sources.contains(id) }.map(\.id) }
}
