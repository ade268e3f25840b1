import Foundation
import SuiteHarness
import TimelineStore
import VigilSchema

/// Blocks of 100 samples of an electrocardiogram into PostgreSQL, compressed, each once: samples a second.
struct PostgresWaveforms: Benchmark {
    let name = "waveforms-postgres"
    let unit = "samples/s"
    let goal = Goal.atLeast(1_000_000)
    private static let (people, samples, appends) = (50, 100, 100)
    /// Blocks of each participant in one append.
    private static let blocks = 10

    func product(_ bench: Workbench) async throws -> Double {
        let folder = try bench.freshFolder()
        guard case .postgres(_, let connection) = try bench.store(.postgres, in: folder) else { return .nan }
        let store = PostgresStore(PostgresConfiguration(connection: connection))
        try await store.open()
        var elapsed = Duration.zero
        for number in 0..<Self.appends {
            let batch = Self.batch(number)
            elapsed += try await ContinuousClock().measure {
                let stored = try await store.append([batch])[0].stored
                guard stored == Self.people * Self.blocks else { throw HarnessError("stored \(stored) blocks") }
            }
        }
        await store.close()
        return Double(Self.people * Self.blocks * Self.samples * Self.appends) / elapsed.seconds
    }

    private static func batch(_ number: Int) -> ObservationBatch {
        let groups = (0..<people).map { person in
            let observations = (0..<blocks).map { block in
                let start = (number * blocks + block) * samples
                return Observation(
                    metric: "ecg", time: Timestamp(seconds: 1_700_000_000 + Double(start) * 0.004),
                    content: .samples((start..<start + samples).map { sample($0, of: person) }, period: 0.004), unit: "mV")
            }
            return ObservationGroup(
                participant: "bench-\(person)", source: "bench/1", received: Timestamp(seconds: 1_700_000_000), observations: observations)
        }
        return ObservationBatch(id: "01HF0000000000000000000000", groups: groups)
    }

    /// A beat every 0.8 s of two bumps, with noise, to the microvolt, as a chest strap sends it.
    private static func sample(_ number: Int, of person: Int) -> Double {
        let phase = (Double(number) * 0.004).truncatingRemainder(dividingBy: 0.8) / 0.8
        let beat = exp(-pow((phase - 0.4) / 0.012, 2)) + 0.2 * exp(-pow((phase - 0.65) / 0.04, 2))
        let noise = Double((number &* 7919 &+ person &* 104_729) % 41 - 20)
        return ((beat * 1000) + noise).rounded() / 1000
    }
}
