import Foundation
import TestSupport
import Testing

@testable import Shares

@Suite("Shares in a simulated cluster")
struct SimulationTests {
    /// As many as the environment says, for a longer search.
    private static let seeds = UInt64(ProcessInfo.processInfo.environment["VIGIL_SIMULATIONS"] ?? "") ?? 40

    @Test("no share rests for long, no two owners commit under one epoch, and epochs only rise, whatever is killed, frozen or cut off")
    func survivesFaults() {
        for seed in 1...Self.seeds {
            var simulation = ClusterSimulation(seed: seed)
            simulation.run(faults: 12)
            #expect(simulation.violations.isEmpty, "seed \(seed): \(simulation.violations.prefix(3))")
            #expect(simulation.connections < 2000, "seed \(seed): owners ended each other's connections")
        }
    }

    /// Prints what happens, for whoever looks for the reason of a failure.
    @Test("one seed, told", .enabled(if: ProcessInfo.processInfo.environment["VIGIL_SIMULATION"] != nil))
    func told() throws {
        let seed = try #require(UInt64(ProcessInfo.processInfo.environment["VIGIL_SIMULATION"] ?? ""))
        var simulation = ClusterSimulation(seed: seed, log: true)
        simulation.run(faults: 12)
        #expect(simulation.violations.isEmpty)
    }

    @Test("the table's fence is needed: frozen owners try to commit after their lease is gone")
    func fenceIsNeeded() {
        let fenced = (1...UInt64(8)).reduce(0) { sum, seed in
            var simulation = ClusterSimulation(seed: seed)
            simulation.run(faults: 12)
            return sum + simulation.fenced
        }
        #expect(fenced > 0)
    }
}
