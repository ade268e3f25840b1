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

/// A recording as `evaluate` reads it: 16-bit samples in `NAME.i16`, and beside it `NAME.json` with rate, scale and marks.
struct AnnotatedRecording {
    /// The JSON file beside the samples.
    struct Description: Decodable {
        let rate_hz: Double
        let scale: Double
        let beats: [Int64]?
        let breaths_annotator1: [Int64]?
        let breaths_annotator2: [Int64]?
        /// The bedside monitor's heart rate, a value a second.
        let monitor_heart_rate_1hz: [Double?]?
        /// The class of each beat, a letter of the MIT-BIH Arrhythmia Database each.
        let beat_types: String?
        /// The rhythms, each from its sample on.
        let rhythms: [RhythmMark]?
    }

    /// A sample from which a rhythm holds, and its name; written as an array of both.
    struct RhythmMark: Decodable {
        let sample: Int64
        let name: String

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            (sample, name) = (try list.decode(Int64.self), try list.decode(String.self))
        }
    }

    let name: String
    let description: Description
    let samples: [Float]

    var rate: Double { description.rate_hz }

    /// Reads a recording; `file` is the JSON.
    init(_ file: URL) throws {
        name = file.deletingPathExtension().lastPathComponent
        description = try JSONDecoder().decode(Description.self, from: Data(contentsOf: file))
        let data = try Data(contentsOf: file.deletingPathExtension().appendingPathExtension("i16"))
        let scale = Float(description.scale)
        samples = stride(from: 0, to: data.count - 1, by: 2).map { index in
            Float(Int16(bitPattern: UInt16(data[index]) | UInt16(data[index + 1]) << 8)) * scale
        }
    }

    /// The recordings of a folder, in the order of their names.
    static func files(in folder: URL) -> [URL] {
        let all = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return all.filter { $0.pathExtension == "json" && hasSamples($0) }.sorted { $0.path < $1.path }
    }

    private static func hasSamples(_ file: URL) -> Bool {
        FileManager.default.fileExists(atPath: file.deletingPathExtension().appendingPathExtension("i16").path)
    }
}

/// Columns of numbers in a text file, as far as the public data sets use them.
enum CSVColumns {
    /// The rows of a file with a header, as numbers by the header's names; a cell that is none becomes NaN.
    static func named(_ file: URL) throws -> [String: [Double]] {
        let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline)
        guard let header = lines.first else { return [:] }
        let names = header.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        var columns = [[Double]](repeating: [], count: names.count)
        for line in lines.dropFirst() {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            for index in names.indices { columns[index].append(index < cells.count ? Double(cells[index]) ?? .nan : .nan) }
        }
        return Dictionary(zip(names, columns), uniquingKeysWith: { first, _ in first })
    }

    /// A file of an Empatica E4: start (Unix seconds), rate (Hz), then a value a line.
    static func empatica(_ file: URL) throws -> (start: Double, rate: Double, values: [Double]) {
        let numbers = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline).map { Double($0) ?? .nan }
        return numbers.count > 2 ? (numbers[0], numbers[1], Array(numbers.dropFirst(2))) : (0, 1, [])
    }
}
