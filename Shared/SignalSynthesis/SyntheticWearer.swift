/// The state of a synthetic wearer's body at a moment.
package struct WearerState: Hashable, Sendable {
    /// Beats a minute.
    package var heartRate: Double
    /// The root mean square of the changes from beat to beat that the breath causes, ms.
    package var variability: Double
    /// Breaths a minute.
    package var breathingRate: Double
    /// The slow level of skin conductance, µS.
    package var skinConductance: Double
    /// Skin-conductance responses a minute.
    package var responseRate: Double
    /// Of the skin, °C.
    package var temperature: Double

    /// Sitting quietly.
    package static let rest = WearerState(
        heartRate: 66, variability: 45, breathingRate: 14, skinConductance: 2.2, responseRate: 1.5, temperature: 33)
    /// Under a task with time pressure.
    package static let stress = WearerState(
        heartRate: 96, variability: 18, breathingRate: 20, skinConductance: 5.5, responseRate: 11, temperature: 31.6)
    /// Afterwards.
    package static let recovery = WearerState(
        heartRate: 72, variability: 38, breathingRate: 15, skinConductance: 3, responseRate: 3, temperature: 32.4)

    /// The state that lies `part` (0…1) of the way to another.
    func mixed(with other: WearerState, part: Double) -> WearerState {
        let mix = { (from: Double, to: Double) in from + (to - from) * part }
        return WearerState(
            heartRate: mix(heartRate, other.heartRate), variability: mix(variability, other.variability),
            breathingRate: mix(breathingRate, other.breathingRate), skinConductance: mix(skinConductance, other.skinConductance),
            responseRate: mix(responseRate, other.responseRate), temperature: mix(temperature, other.temperature))
    }
}

/// A person that does not exist, wearing sensors that do not exist: electrocardiogram, airflow, skin conductance and skin
/// temperature, as a script has it.
///
/// A value without I/O or clock. The same seed and script give the same samples, however they are asked for.
package struct SyntheticWearer: Sendable {
    /// Samples a second of each signal.
    package struct Rates: Hashable, Sendable {
        /// Of the electrocardiogram.
        package var ecg = 250.0
        /// Of the airflow.
        package var airflow = 25.0
        /// Of the skin conductance.
        package var skinConductance = 4.0
        /// Of the skin temperature.
        package var temperature = 1.0

        /// The usual rates.
        package init() {}
    }

    /// A stretch of the wearer's signals.
    package struct Signals: Sendable {
        /// In mV.
        package var ecg: [Float] = []
        /// Without unit.
        package var airflow: [Float] = []
        /// In µS.
        package var skinConductance: [Float] = []
        /// In °C.
        package var temperature: [Float] = []
        /// The number of samples of each signal came before: their time is that over the rate.
        package var start: (ecg: Int, airflow: Int, skinConductance: Int, temperature: Int) = (0, 0, 0, 0)
    }

    /// The events of the wearer.
    package let script: WearerScript
    /// The signals' rates.
    package let rates: Rates
    /// The number of seconds that have been made.
    package private(set) var time = 0.0
    private var heart: SyntheticECG
    private var breathing: SyntheticBreathing
    private var rhythm: SyntheticBreathing
    private var skin: SyntheticSkin
    private var random: SeededGenerator
    private var made = (ecg: 0, airflow: 0, skinConductance: 0, temperature: 0)

    /// Makes a wearer at the script's beginning.
    package init(seed: UInt64, script: WearerScript = .restStressRecovery(), rates: Rates = Rates()) {
        self.script = script
        self.rates = rates
        var seeds = SeededGenerator(seed: seed)
        heart = SyntheticECG(rate: rates.ecg, seed: seeds.next())
        let breathingSeed = seeds.next()
        breathing = SyntheticBreathing(rate: rates.airflow, seed: breathingSeed)
        // The heart hears the same breath at its own sampling rate.
        rhythm = SyntheticBreathing(rate: rates.ecg, seed: breathingSeed)
        skin = SyntheticSkin(rate: rates.skinConductance, seed: seeds.next())
        random = SeededGenerator(seed: seeds.next())
    }

    /// The phase that the wearer is in now.
    package var phase: WearerScript.Phase { script.phase(at: time) }

    /// Makes the next `seconds` of all signals.
    package mutating func advance(seconds: Double) -> Signals {
        time += max(0, seconds)
        var signals = Signals()
        signals.start = made
        made.ecg += fill(&signals.ecg, from: made.ecg, rate: rates.ecg) { wearer, state in
            _ = wearer.rhythm.next(state)
            return wearer.heart.next(state, breath: wearer.rhythm.angle)
        }
        made.airflow += fill(&signals.airflow, from: made.airflow, rate: rates.airflow) { $0.breathing.next($1) }
        made.skinConductance += fill(&signals.skinConductance, from: made.skinConductance, rate: rates.skinConductance) {
            $0.skin.next($1)
        }
        made.temperature += fill(&signals.temperature, from: made.temperature, rate: rates.temperature) { wearer, state in
            state.temperature + 0.02 * wearer.random.normal()
        }
        return signals
    }

    private mutating func fill(
        _ samples: inout [Float], from first: Int, rate: Double, _ next: (inout SyntheticWearer, WearerState) -> Double
    ) -> Int {
        // The small share keeps a time that is a whole sample from falling just short of it.
        let end = Int(time * rate + 1e-6)
        guard end > first else { return 0 }
        samples.reserveCapacity(end - first)
        for index in first..<end { samples.append(Float(next(&self, script.state(at: Double(index) / rate)))) }
        return end - first
    }
}
