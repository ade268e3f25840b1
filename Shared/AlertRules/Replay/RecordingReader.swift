import VigilSchema

/// Reads recordings: canonical batches, one JSON object a line, or CSV files with `participant-id`, `timestamp` and a column a metric.
package enum RecordingReader {
    /// Returns all values of a recording in its order, and what of it was left out.
    /// - Parameter path: the recording's name, for messages.
    package static func read(_ text: String, path: String) throws(RecordingError) -> Recording {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard let start = lines.firstIndex(where: { !$0.isEmpty }) else { return Recording() }
        if lines[start].hasPrefix("{") { return Recording(readings: try batches(lines.filter { !$0.isEmpty }, path)) }
        var table = try RecordingTable(lines[start], line: start + 1, path: path)
        for (index, line) in lines.enumerated().dropFirst(start + 1) where !line.isEmpty { table.read(line, number: index + 1) }
        return try table.finish()
    }

    private static func batches(_ lines: [Substring], _ path: String) throws(RecordingError) -> [ReplayReading] {
        var readings: [ReplayReading] = []
        for (number, line) in lines.enumerated() {
            do throws(PayloadError) {
                let batch = try BatchDecoder().decode(Array(line.utf8).span)
                for group in batch.groups { readings += group.observations.compactMap { reading($0, group) } }
            } catch {
                throw RecordingError(description: "\(path):\(number + 1): \(error)")
            }
        }
        return readings
    }

    private static func reading(_ observation: Observation, _ group: ObservationGroup) -> ReplayReading? {
        let value: ReplayReading.Value
        switch observation.content {
        case .value(let number): value = .number(number)
        case .text(let text): value = .text(text)
        case .samples: return nil
        }
        return ReplayReading(
            participant: group.participant, metric: observation.metric, time: observation.time.microseconds, value: value,
            source: group.source)
    }
}

/// The values of a recording, and what of it was left out.
package struct Recording: Sendable {
    package var readings: [ReplayReading] = []
    /// What was left out, with its number and the first line, in words.
    package var omissions: [String] = []
}

/// A line of a recording that cannot be read, in words.
package struct RecordingError: Error, Sendable, CustomStringConvertible {
    package let description: String
}
