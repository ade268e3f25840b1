import Foundation
import SignalSynthesis
import Signals
import StressAnalysis
import VigilSchema

/// The cost of one person's whole analysis: electrocardiogram at 250 Hz, airflow at 25 Hz, skin conductance at 4 Hz.
package struct ChainSpeed: Sendable {
    /// Processor time of one five-second update beyond the work on the samples, in µs.
    package let updateMicroseconds: Double
    /// The number of such wearers that one core can follow.
    package let wearersPerCore: Double

    /// Measures on that many seconds of a synthetic wearer; call it in a release build.
    package init(seconds: Int = 900) {
        let groups = Self.groups(seconds: seconds)
        var person = Participant(profile: StressProfile(), received: Timestamp(seconds: 0))
        var (taking, updating, updates) = (0.0, 0.0, 0)
        for group in groups {
            taking += ProcessorTime.of { person.take(group) }
            updating += ProcessorTime.of { updates += person.dueObservations(defaultMode: .enhanced).observations.isEmpty ? 0 : 1 }
        }
        updateMicroseconds = 1e6 * updating / Double(max(1, updates))
        wearersPerCore = Double(seconds) / max(taking + updating, 1e-9)
    }

    /// One group a second, as a device would send it.
    private static func groups(seconds: Int) -> [ObservationGroup] {
        var wearer = SyntheticWearer(seed: 1)
        return (0..<seconds).map { second in
            let signals = wearer.advance(seconds: 1)
            let time = Timestamp(seconds: 1_700_000_000 + Double(second))
            let block = { (metric: String, samples: [Float], rate: Double) in
                Observation(metric: metric, time: time, content: .samples(samples.map(Double.init), period: 1 / rate), unit: "1")
            }
            return ObservationGroup(
                participant: "speed", source: "synthetic", received: time,
                observations: [
                    block("ecg", signals.ecg, 250), block("airflow", signals.airflow, 25),
                    block("skin-conductance", signals.skinConductance, 4),
                ])
        }
    }
}

/// The processor time that a piece of work takes, independent of other load on the machine.
enum ProcessorTime {
    /// Seconds of processor time that this thread has used.
    static var now: Double { Double(clock_gettime_nsec()) / 1e9 }

    private static func clock_gettime_nsec() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Runs the work and says what it cost, in seconds.
    static func of(_ work: () throws -> Void) rethrows -> Double {
        let start = now
        try work()
        return now - start
    }
}
