import MessageBus
import SignalSynthesis
import VigilSchema

/// A synthetic wearer whose signals go to the bus in canonical batches.
struct WearerFeed: Sendable {
    /// The moment at which a feed begins, on the five-second grid.
    static let start = 1_700_000_000.0

    let participant: String
    private(set) var time = start
    private var wearer: SyntheticWearer

    init(participant: String = "p1", seed: UInt64 = 1, state: WearerState = .rest) {
        self.participant = participant
        wearer = SyntheticWearer(seed: seed, script: WearerScript([.init("only", seconds: 7200, state: state)]))
    }

    /// The batches of the next second: waveforms, and skin conductance and temperature as readings.
    mutating func second() -> (waveforms: ObservationBatch, readings: ObservationBatch) {
        let signals = wearer.advance(seconds: 1)
        let time = time
        let block = { (metric: String, samples: [Float], unit: String, rate: Double) in
            Observation(
                metric: metric, time: Timestamp(seconds: time), content: .samples(samples.map(Double.init), period: 1 / rate), unit: unit)
        }
        let waveforms = [block("ecg", signals.ecg, "mV", 250), block("airflow", signals.airflow, "1", 25)]
        let skin = signals.skinConductance.enumerated().map { index, value in
            Observation(
                metric: "skin-conductance", time: Timestamp(seconds: time + Double(index) / 4), content: .value(Double(value)), unit: "uS")
        }
        let warmth = signals.temperature.map {
            Observation(metric: "skin-temperature", time: Timestamp(seconds: time), content: .value(Double($0)), unit: "Cel")
        }
        self.time += 1
        return (batch(waveforms), batch(skin + warmth))
    }

    /// The batches of many seconds, in order.
    mutating func seconds(_ count: Int) -> [ObservationBatch] {
        (0..<count).flatMap { _ in
            let (waveforms, readings) = second()
            return [waveforms, readings]
        }
    }

    private func batch(_ observations: [Observation]) -> ObservationBatch {
        Self.batch(participant, observations, received: time)
    }

    static func batch(
        _ participant: String, _ observations: [Observation], source: String = "chest", received: Double
    ) -> ObservationBatch {
        let group = ObservationGroup(
            participant: participant, source: source, received: Timestamp(seconds: received), observations: observations)
        return ObservationBatch(id: ULID.make(at: Timestamp(seconds: received)), groups: [group])
    }

    /// A batch as it travels on the bus.
    static func topic(_ batch: ObservationBatch) -> Topic {
        let partition = Partition(participant: batch.groups[0].participant)
        if case .samples? = batch.groups[0].observations.first?.content { return .waveforms(partition) }
        return .readings(partition)
    }
}
