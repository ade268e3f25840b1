import Settings
import TimelineStore
import VigilSchema

/// InfluxDB's line protocol: a line a reading and a sample, with nanoseconds since 1970.
///
/// The measurement is the metric; `value` is a number's field and `text` a text's. The tags are what tells readings of one time apart:
/// participant, source, unit, session, `seq` where it is not 0, and `period` of what a number counts over, in seconds. Profile, entries,
/// alerts and replaced values have no form in it and are left out. InfluxDB has no times before 1677 or after 2262: these fail the export.
struct InfluxExport: ExportEncoder {
    mutating func begin(_ output: inout [UInt8]) {}

    mutating func add(_ group: ObservationGroup, to output: inout [UInt8]) throws {
        for observation in group.observations {
            let series = Self.series(observation, of: group)
            switch observation.content {
            case .value(let value): try Self.line(series, "value=\(CSVExport.number(value))", observation.time, to: &output)
            case .text(let text): try Self.line(series, "text=\"\(Self.quoted(text))\"", observation.time, to: &output)
            case .samples(let samples, let period):
                for (index, sample) in samples.enumerated() {
                    let after = Int64((Double(index) * period * 1e9).rounded())
                    try Self.line(series, "value=\(CSVExport.number(sample))", observation.time, after: after, to: &output)
                }
            }
        }
    }

    mutating func add(_ record: TimelineRecord, of participant: String, to output: inout [UInt8]) {}

    mutating func end(_ output: inout [UInt8]) {}

    /// The measurement with its tags in the order of their names, as InfluxDB likes them.
    private static func series(_ observation: Observation, of group: ObservationGroup) -> String {
        let tags = [
            ("participant", group.participant), ("period", observation.interval > 0 ? String(observation.interval) : ""),
            ("seq", observation.sequence == 0 ? "" : String(observation.sequence)), ("session", group.session ?? ""),
            ("source", group.source), ("unit", observation.unit),
        ]
        // A tag may not be empty.
        return tags.filter { !$0.1.isEmpty }.reduce(escaped(observation.metric, ", ")) { "\($0),\($1.0)=\(escaped($1.1, ", ="))" }
    }

    private static func line(_ series: String, _ field: String, _ time: Timestamp, after: Int64 = 0, to output: inout [UInt8]) throws {
        let (start, isTooFar) = time.microseconds.multipliedReportingOverflow(by: 1000)
        let (nanoseconds, isBeyond) = start.addingReportingOverflow(after)
        guard !isTooFar, !isBeyond else {
            throw CommandError(.data, "InfluxDB has no time \(time.iso8601()), only 1677 to 2262: --from and --to leave it out")
        }
        output.append(contentsOf: "\(series) \(field) \(nanoseconds)\n".utf8)
    }

    /// A name with a backslash before the characters that would end it; line breaks, which no name may have, as `\n` and `\r`. A backslash at
    /// the end would escape what follows, and gets a space behind it.
    private static func escaped(_ name: String, _ special: String) -> String {
        var escaped = ""
        for character in name.unicodeScalars {
            switch character {
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            default:
                if special.unicodeScalars.contains(character) { escaped += "\\" }
                escaped.unicodeScalars.append(character)
            }
        }
        return name.hasSuffix("\\") ? escaped + "\\ " : escaped
    }

    private static func quoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}
