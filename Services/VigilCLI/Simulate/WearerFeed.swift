import SignalSynthesis
import VigilSchema

/// A synthetic wearer's life as a device would send it: one message a second with a block of each signal.
struct WearerFeed: Sendable {
    /// A second of the wearer's life.
    struct Second: Sendable {
        /// Its end, in seconds after the beginning.
        let end: Double
        let phase: String
        let observations: [Observation]
    }

    private var wearer: SyntheticWearer
    private let start: Timestamp

    init(_ wearer: SyntheticWearer, start: Timestamp) {
        self.wearer = wearer
        self.start = start
    }

    /// The next second.
    mutating func next() -> Second {
        let phase = wearer.phase.name
        let signals = wearer.advance(seconds: 1)
        let rates = wearer.rates
        var observations: [Observation] = []
        add(&observations, "ecg", "mV", signals.ecg, from: signals.start.ecg, rate: rates.ecg)
        add(&observations, "airflow", "1", signals.airflow, from: signals.start.airflow, rate: rates.airflow)
        add(
            &observations, "skin-conductance", "uS", signals.skinConductance, from: signals.start.skinConductance,
            rate: rates.skinConductance)
        for (index, value) in signals.temperature.enumerated() {
            let time = start.advanced(bySeconds: Double(signals.start.temperature + index) / rates.temperature)
            observations.append(
                Observation(metric: "skin-temperature", time: time, content: .value(rounded(value)), unit: "Cel"))
        }
        return Second(end: wearer.time, phase: phase, observations: observations)
    }

    private func add(
        _ observations: inout [Observation], _ metric: String, _ unit: String, _ samples: [Float], from first: Int, rate: Double
    ) {
        guard !samples.isEmpty else { return }
        observations.append(
            Observation(
                metric: metric, time: start.advanced(bySeconds: Double(first) / rate),
                content: .samples(samples.map(rounded), period: 1 / rate), unit: unit))
    }

    /// To four decimals, as a sensor's converter would.
    private func rounded(_ value: Float) -> Double { (Double(value) * 10_000).rounded() / 10_000 }
}
