import FHIRMapping
import VigilSchema

/// A row an observation: RFC 4180 with a header. A block of samples is one row, its samples separated by spaces.
///
/// Everything kept besides observations is a row with a filled `record` (`profile`, `entry`, `alert`, `replaced`) and all of it as JSON in `detail`; its
/// metric and value are empty, so that nobody counts it as a reading.
///
/// `period` is what a number counts over, or what lies between samples, in seconds. `time` is Unix seconds, exact to the microsecond, so that a file can be imported again; `instant` is the same for people.
struct CSVExport: ExportEncoder {
    /// Leaves texts as they are that a spreadsheet would take for a formula.
    let isRaw: Bool

    private static let header =
        "participant-id,time,instant,metric,value,unit,text,period,samples,source,session-id,seq,zone,received,record,detail\r\n"

    mutating func begin(_ output: inout [UInt8]) { output.append(contentsOf: Self.header.utf8) }

    mutating func add(_ group: ObservationGroup, to output: inout [UInt8]) {
        for observation in group.observations {
            var (value, text, period, samples) = cells(observation.content)
            if observation.interval > 0, period.isEmpty { period = String(observation.interval) }
            let row = [
                group.participant, Self.seconds(observation.time), observation.time.iso8601(zone: observation.zone),
                harmless(observation.metric), value, harmless(observation.unit), harmless(text), period, samples, harmless(group.source),
                harmless(group.session ?? ""),
                observation.sequence == 0 ? "" : String(observation.sequence), observation.zone.map { String($0) } ?? "",
                Self.seconds(group.received), "", "",
            ]
            output.append(contentsOf: (row.map(CSVCell.quoted).joined(separator: ",") + "\r\n").utf8)
        }
    }

    mutating func add(_ record: TimelineRecord, of participant: String, to output: inout [UInt8]) throws {
        let detail = String(decoding: try record.json(), as: UTF8.self)
        let time = record.time ?? Timestamp(microseconds: 0)
        let row =
            [participant, Self.seconds(time), record.time?.iso8601() ?? ""] + Array(repeating: "", count: 11) + [record.kind, detail]
        output.append(contentsOf: (row.map(CSVCell.quoted).joined(separator: ",") + "\r\n").utf8)
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
    static func number(_ value: Double) -> String { FHIR.number(value) }

    private static func seconds(_ time: Timestamp) -> String {
        let (seconds, micros) = time.microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        let digits = String(micros)
        let fraction = micros == 0 ? "" : "." + String(repeating: "0", count: 6 - digits.count) + digits
        return (time.microseconds < 0 ? "-" : "") + String(seconds) + fraction
    }

    private func harmless(_ text: String) -> String { isRaw ? text : CSVCell.harmless(text) }
}
