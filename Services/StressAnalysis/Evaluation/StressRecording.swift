import Foundation
import Signals

/// One person of the Stress-Predict data: heart rate, breathing rate and label once a second, skin conductance and
/// temperature of a wrist sensor.
struct StressRecording {
    private static let window = 60
    private static let step = 5

    let times: [Double]
    let heartRates: [Double]
    let breathingRates: [Double]
    let labels: [Double]
    let skin: (start: Double, rate: Double, values: [Double])
    let temperature: (start: Double, rate: Double, values: [Double])

    /// The people whose sensor files are there.
    static func all(in folder: URL) throws -> [StressRecording] {
        let table = try CSVColumns.named(folder.appending(path: "labels_hr_rsp_1hz.csv"))
        let people = table["Participant"] ?? []
        return try Set(people).sorted().compactMap { person in
            let number = Int(person)
            let own = folder.appending(path: number < 10 ? "S0\(number)" : "S\(number)")
            guard FileManager.default.fileExists(atPath: own.path) else { return nil }
            let rows = people.indices.filter { people[$0] == person }
            let column = { (name: String) in rows.map { table[name]?[$0] ?? .nan } }
            return StressRecording(
                times: column("Time(sec)"), heartRates: column("HR"), breathingRates: column("respr"), labels: column("Label"),
                skin: try CSVColumns.empatica(own.appending(path: "EDA.csv")),
                temperature: try CSVColumns.empatica(own.appending(path: "TEMP.csv")))
        }
    }

    /// The person at rest: medians over at most the last eight minutes before the first task.
    var baseline: StressBaseline? {
        guard let end = labels.firstIndex(of: 1) else { return nil }
        let start = max(0, end - 480)
        return StressBaseline(rest: stride(from: start, through: end - Self.window, by: Self.step).map(inputs))
    }

    /// Windows of 60 s, every 5 s, that lie in one label.
    var windows: [(inputs: StressInputs, isStress: Bool)] {
        stride(from: 0, through: labels.count - Self.window, by: Self.step).compactMap { start in
            let own = labels[start..<start + Self.window]
            guard own.allSatisfy({ $0 == own[start] }), times[start + Self.window - 1] - times[start] < 65 else { return nil }
            return (inputs(from: start), own[start] == 1)
        }
    }

    private func inputs(from start: Int) -> StressInputs {
        let range = start..<start + Self.window
        return StressInputs(
            heartRate: Median.of(heartRates[range].filter(\.isFinite)),
            skinConductance: median(skin, from: times[start]).flatMap { $0 >= SkinQuality.dryBelow ? $0 : nil },
            breathingRate: Median.of(breathingRates[range].filter(\.isFinite)), temperature: median(temperature, from: times[start]))
    }

    private func median(_ series: (start: Double, rate: Double, values: [Double]), from time: Double) -> Double? {
        let first = Int((time - series.start) * series.rate)
        let last = first + Int(Double(Self.window) * series.rate)
        let from = max(0, first)
        let range = from..<max(from, min(last, series.values.count))
        return range.isEmpty ? nil : Median.of(series.values[range].filter(\.isFinite))
    }
}
