import Foundation

/// What `vigil-stress evaluate` found out; its JSON form is a contract (issue 6, part 5). Shares are from 0 to 1.
package struct EvaluationReport: Encodable, Sendable {
    package var rpeaks: RPeaks?
    package var breathing: Breathing?
    package var skin_conductance: SkinConductance?
    package var hrv: HRV?
    package var stress: Stress?
    package var speed: Speed?

    /// As one JSON object.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    /// Heart beats against annotations.
    package struct RPeaks: Encodable, Sendable {
        package var records: [Record]
        package var total: Score

        /// One record.
        package struct Record: Encodable, Sendable {
            package var record: String
            package var beats: Int
            package var detected: Int
            package var se_150, ppv_150, f1_150, f1_75: Double
        }

        /// All records together.
        package struct Score: Encodable, Sendable {
            package var se_150, ppv_150, f1_150, f1_75: Double
        }
    }

    /// Breathing rate against annotations, 60 s windows, breaths a minute.
    package struct Breathing: Encodable, Sendable {
        package var records: [Record]
        package var mae_60s: Double
        package var within_2: Double
        package var windows: Int

        /// One record.
        package struct Record: Encodable, Sendable {
            package var record: String
            package var mae_60s: Double
        }
    }

    /// Skin-conductance responses against NeuroKit's.
    package struct SkinConductance: Encodable, Sendable {
        package var recall: Double
        package var precision: Double
        package var reference: Int
        package var detected: Int
    }

    /// Heart-rate variability of a resting recording, from the beats as found and after correction.
    package struct HRV: Encodable, Sendable {
        package var heart_rate, sdnn, rmssd, pnn50: Double
        package var corrected_sdnn, corrected_rmssd, corrected_pnn50: Double
        package var beats: Int
    }

    /// Stress against labels: the area under the ROC curve.
    package struct Stress: Encodable, Sendable {
        package var auc_base, auc_enhanced, auc_within: Double
        package var auc_base_population: Double
        package var participants: Int
        package var windows: Int
    }

    /// Processor time of one core, not of the clock on the wall.
    package struct Speed: Encodable, Sendable {
        package var rpeaks_samples_per_s: Double
        package var update_us: Double?
        package var wearers_250hz_per_core: Double?
    }
}
