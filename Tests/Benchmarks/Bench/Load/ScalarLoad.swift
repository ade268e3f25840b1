import SuiteHarness
import TimelineStore
import VigilSchema

/// The numbered readings as the store is given them, for measuring it without a bus.
struct ScalarLoad: Sendable {
    let readings = NumberedReadings(base: 1_700_000_000)
    var count = 1_000_000
    var perAppend = 10_000

    /// Appends all of them; gives how many a second.
    func run(_ store: any TimelineStore) async throws -> Double {
        try await store.open()
        var elapsed = Duration.zero
        for first in stride(from: 0, to: count, by: perAppend) {
            let batches = [batch(first)]
            elapsed += try await ContinuousClock().measure {
                let stored = try await store.append(batches)[0].stored
                guard stored == perAppend else { throw HarnessError("stored \(stored) of \(perAppend)") }
            }
        }
        await store.close()
        return Double(count) / elapsed.seconds
    }

    /// A group a participant, as ingest makes them.
    private func batch(_ first: Int) -> ObservationBatch {
        var groups = (0..<readings.participants).map { person in
            ObservationGroup(
                participant: readings.name(of: person), source: "bench/1", received: Timestamp(seconds: Double(readings.base)),
                observations: [])
        }
        let kinds = NumberedReadings.metrics
        for number in first..<first + perAppend {
            let row = number / readings.participants
            let observation = Observation(
                metric: kinds[row % kinds.count], time: Timestamp(seconds: Double(readings.base + Int64(row / kinds.count))),
                content: .value(readings.value(number)), unit: Self.units[row % kinds.count])
            groups[number % readings.participants].observations.append(observation)
        }
        return ObservationBatch(id: "01HF0000000000000000000000", groups: groups.filter { !$0.observations.isEmpty })
    }

    private static let units = ["/min", "/min", "%", "Cel"]
}
