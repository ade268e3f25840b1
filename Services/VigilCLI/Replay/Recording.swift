import CSVImport
import Foundation
import ServiceKit
import Settings
import VigilSchema

/// The recording to be replayed: observations by whom they go out as, in the order of their times.
struct Recording {
    /// An observation and where it is published.
    struct Item {
        var topic: String
        var observation: Observation
    }

    private(set) var items: [Item] = []
    /// Cells of CSV files that were refused.
    private(set) var refused = 0

    private let participant: String?
    private let device: String?

    init(_ paths: [String], participant: String?, device: String?) throws {
        (self.participant, self.device) = (participant, device)
        for path in paths {
            switch URL(filePath: path).pathExtension {
            case "i16", "json": try addSignal(path)
            default: try addTable(path)
            }
        }
        guard !items.isEmpty else { throw CommandError(.data, "there is nothing to replay in \(paths.joined(separator: ", "))") }
        items.sort { $0.observation.time < $1.observation.time }
    }

    /// The first and the last time.
    var range: ClosedRange<Timestamp> { items[0].observation.time...items[items.count - 1].observation.time }

    private mutating func addSignal(_ path: String) throws {
        let signal = try RecordedSignal(path: path)
        let topic = Topic.ingest(participant: participant ?? "replay", device: device ?? "record-\(signal.name)").path
        items += signal.blocks(start: Timestamp(microseconds: 0)).map { Item(topic: topic, observation: $0) }
    }

    private mutating func addTable(_ path: String) throws {
        refused += try FileObservations(ImportFile(path: path), now: .now).forEach { element in
            let source = element.source.map { Name.isValid(String($0)) ? $0 : "-" }
            let topic = Topic.ingest(participant: participant ?? element.participant, device: device ?? String(source.prefix(64))).path
            items.append(Item(topic: topic, observation: element.observation))
        }
    }
}

/// A recording of one waveform: 16-bit little-endian samples in `NAME.i16`, and `NAME.json` that says what they are.
struct RecordedSignal {
    private struct Description: Decodable {
        let metric: String
        let unit: String
        let rateHz: Double
        let scale: Double

        private enum CodingKeys: String, CodingKey {
            case metric, unit, scale
            case rateHz = "rate_hz"
        }
    }

    /// The recording's name, `100` of `mitdb/100.i16`.
    let name: String
    private let description: Description
    private let bytes: Data

    /// - Parameter path: of either file.
    init(path: String) throws(CommandError) {
        let base = URL(filePath: path).deletingPathExtension()
        name = base.lastPathComponent
        do {
            description = try JSONDecoder().decode(Description.self, from: Data(contentsOf: base.appendingPathExtension("json")))
            bytes = try Data(contentsOf: base.appendingPathExtension("i16"), options: .alwaysMapped)
        } catch {
            throw CommandError(.noInput, "\(base.path).i16 or .json is missing or unreadable: a recording is both")
        }
        guard description.rateHz > 0, description.rateHz <= 100_000 else {
            throw CommandError(.data, "\(base.path).json: rate_hz lies outside 0 to 100000")
        }
    }

    /// A block a second, the first at `start`.
    func blocks(start: Timestamp) -> [Observation] {
        let count = bytes.count / 2
        let perBlock = max(1, Int(description.rateHz.rounded()))
        return stride(from: 0, to: count, by: perBlock).map { first in
            let samples = (first..<min(first + perBlock, count)).map { index in
                let stored = Int16(truncatingIfNeeded: Int(bytes[2 * index]) | Int(bytes[2 * index + 1]) << 8)
                // A ten-millionth is finer than any converter, and keeps messages short.
                return (Double(stored) * description.scale * 1e7).rounded() / 1e7
            }
            return Observation(
                metric: description.metric, time: start.advanced(bySeconds: Double(first) / description.rateHz),
                content: .samples(samples, period: 1 / description.rateHz), unit: description.unit)
        }
    }
}
