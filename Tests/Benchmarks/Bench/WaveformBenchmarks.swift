import Foundation
import SQLiteDatabase
import SuiteHarness
import TestSupport
import TimelineStore
import VigilSchema

/// Recorded signals into the SQLite store in blocks of a second: bytes a sample in the column that holds them, once each was read back
/// bit for bit.
struct WaveformBytes: Benchmark {
    /// A folder of the recorded data.
    enum Recording: String { case mitdb, bidmc, bidmcPulse = "bidmc-pulse" }

    let recording: Recording
    var name: String { "waveform-bytes-\(recording.rawValue)" }
    let unit = "bytes/sample"
    var goal: Goal { .atMost(recording == .mitdb ? 0.9 : 1.0) }
    let repeats = 1

    func product(_ bench: Workbench) async throws -> Double {
        let files = RecordedData.files(in: recording.rawValue, extension: "i16")
        guard !files.isEmpty else { throw HarnessError(RecordedData.hint) }
        let folder = try bench.freshFolder()
        let path = folder.path("timeline.sqlite")
        let store = SQLiteStore(path: path)
        try await store.open()
        for file in files {
            let signal = try RecordedSamples(file)
            _ = try await store.append([signal.batch])
            let range = SeriesRange(participant: signal.name, metric: "signal", from: RecordedSamples.start, to: signal.end)
            let stored = try await store.waveform(range, limit: signal.samples.count)
            guard stored.flatMap(\.samples) == signal.samples else { throw HarnessError("\(file.path) is not the same when read") }
        }
        await store.close()
        let sums = "SELECT CAST(sum(length(samples)) AS REAL) / sum(count) FROM waveform"
        return try Database(path: path, readOnly: true).rows(sums) { $0.real(0) }.first ?? .nan
    }
}

/// A recording's samples in its unit, as `vigil replay` sends them.
private struct RecordedSamples {
    static let start = Timestamp(seconds: 1_700_000_000)

    let name: String
    let samples: [Double]
    private let rate: Int

    private struct Description: Decodable {
        let rate_hz: Double
        let scale: Double
    }

    init(_ file: URL) throws {
        let words = file.deletingPathExtension().appendingPathExtension("json")
        let description = try JSONDecoder().decode(Description.self, from: Data(contentsOf: words))
        let bytes = [UInt8](try Data(contentsOf: file))
        name = file.deletingPathExtension().lastPathComponent
        rate = Int(description.rate_hz)
        samples = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            let stored = Int16(truncatingIfNeeded: Int(bytes[index]) | Int(bytes[index + 1]) << 8)
            return (Double(stored) * description.scale * 1e7).rounded() / 1e7
        }
    }

    var end: Timestamp { Self.start.advanced(bySeconds: Double(samples.count) / Double(rate) + 1) }

    /// All of them, a block a second.
    var batch: ObservationBatch {
        let observations = stride(from: 0, to: samples.count, by: rate).map { first in
            Observation(
                metric: "signal", time: Self.start.advanced(bySeconds: Double(first / rate)),
                content: .samples(Array(samples[first..<min(first + rate, samples.count)]), period: 1 / Double(rate)), unit: "1")
        }
        return ObservationBatch(
            id: "01HF0000000000000000000000",
            groups: [ObservationGroup(participant: name, source: "record", received: Self.start, observations: observations)])
    }
}
