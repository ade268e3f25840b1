import VigilSchema

/// Reads recordings: canonical batches, one JSON object a line, or CSV files with `participant-id`, `timestamp` and a column a metric.
package enum RecordingReader {
    /// Column names of the CSV import's home format that differ from the metrics'.
    private static let columns = [
        "eda": "skin-conductance", "temperature": "skin-temperature", "spo2": "oxygen-saturation", "bp-systolic": "systolic-pressure",
        "bp-diastolic": "diastolic-pressure", "weight-kg": "body-weight", "bmi": "body-mass-index",
    ]

    /// Returns all values of a recording in its order.
    /// - Parameter path: the recording's name, for messages.
    package static func read(_ text: String, path: String) throws(RecordingError) -> [ReplayReading] {
        let lines = text.split(whereSeparator: \.isNewline)
        guard let first = lines.first else { return [] }
        if first.hasPrefix("{") { return try batches(lines, path) }
        return try table(first.split(separator: ",").map(String.init), lines.dropFirst(), path)
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

    private static func table(
        _ header: [String], _ lines: ArraySlice<Substring>, _ path: String
    ) throws(RecordingError) -> [ReplayReading] {
        guard let person = header.firstIndex(of: "participant-id"), let time = header.firstIndex(of: "timestamp") else {
            throw RecordingError(description: "\(path):1: the header needs participant-id and timestamp")
        }
        let metrics = header.indices.compactMap { place -> (Int, MetricDefinition)? in
            let name = columns[header[place]] ?? header[place]
            return MetricCatalogue.standard.definition(named: name).map { (place, $0) }
        }
        var readings: [ReplayReading] = []
        for line in lines {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            guard cells.count == header.count, let seconds = Double(decimal: cells[time]) else { continue }
            for (place, metric) in metrics {
                guard let number = Double(decimal: cells[place]), metric.plausible?.contains(number) ?? true else { continue }
                readings.append(
                    ReplayReading(
                        participant: String(cells[person]), metric: metric.name, time: Timestamp(seconds: seconds).microseconds,
                        value: .number(number)))
            }
        }
        return readings
    }
}

/// A line of a recording that cannot be read, in words.
package struct RecordingError: Error, Sendable, CustomStringConvertible {
    package let description: String
}
