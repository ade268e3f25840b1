import VigilSchema

/// A row an observation: RFC 4180 with a header. A block of samples is one row, its samples separated by spaces.
///
/// `time` is Unix seconds, exact to the microsecond, so that a file can be imported again; `instant` is the same for people.
struct CSVExport: ExportEncoder {
    private static let header = "participant-id,time,instant,metric,value,unit,text,period,samples,source,session-id,seq,zone\r\n"

    mutating func begin(_ output: inout [UInt8]) { output.append(contentsOf: Self.header.utf8) }

    mutating func add(_ group: ObservationGroup, to output: inout [UInt8]) {
        for observation in group.observations {
            let (value, text, period, samples) = cells(observation.content)
            let row = [
                group.participant, Self.seconds(observation.time), InstantText.iso8601(observation.time, zone: observation.zone),
                observation.metric, value, observation.unit, text, period, samples, group.source, group.session ?? "",
                observation.sequence == 0 ? "" : String(observation.sequence), observation.zone.map { String($0) } ?? "",
            ]
            output.append(contentsOf: (row.map(Self.quoted).joined(separator: ",") + "\r\n").utf8)
        }
    }

    mutating func end(_ output: inout [UInt8]) {}

    private func cells(_ content: Observation.Content) -> (value: String, text: String, period: String, samples: String) {
        switch content {
        case .value(let value): (Self.number(value), "", "", "")
        case .text(let text): ("", text, "", "")
        case .samples(let samples, let period):
            ("", "", Self.number(period), samples.map(Self.number).joined(separator: " "))
        }
    }

    /// The shortest text that reads back as the same number.
    static func number(_ value: Double) -> String {
        if let integer = Int64(exactly: value), integer.magnitude < 1 << 53 { return String(integer) }
        return value.description
    }

    private static func seconds(_ time: Timestamp) -> String {
        let (seconds, micros) = time.microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        let digits = String(micros)
        let fraction = micros == 0 ? "" : "." + String(repeating: "0", count: 6 - digits.count) + digits
        return (time.microseconds < 0 ? "-" : "") + String(seconds) + fraction
    }

    private static func quoted(_ cell: String) -> String {
        guard cell.utf8.contains(where: { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }) else { return cell }
        return "\"" + cell.replacing("\"", with: "\"\"") + "\""
    }
}
