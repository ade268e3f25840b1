/// One thing that is measured: against a limit in the same run, or against a figure.
protocol Benchmark: Sendable {
    /// For the command line and the JSON file; stays the same for good.
    var name: String { get }
    /// Of the values.
    var unit: String { get }
    var goal: Goal { get }
    /// How often product and limit are measured, in turn.
    var repeats: Int { get }

    /// What Vigil reaches.
    func product(_ bench: Workbench) async throws -> Double
    /// What a program that does nothing else reaches; nil where there is none.
    func limit(_ bench: Workbench) async throws -> Double?
}

extension Benchmark {
    var repeats: Int { 3 }

    func limit(_ bench: Workbench) async throws -> Double? { nil }
}
