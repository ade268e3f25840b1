import Foundation
import ServiceKit
import VigilSchema

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
