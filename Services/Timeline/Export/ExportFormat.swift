import Foundation
package import VigilSchema

/// The file formats of an export of observations.
package enum ExportFormat: String, Sendable, CaseIterable {
    /// A row an observation, RFC 4180.
    case csv
    /// One JSON array of groups, as on the bus.
    case json
    /// FHIR R4, a resource a line: Patient once, Observations, then what people entered.
    case fhir
    /// InfluxDB's line protocol, a line a reading and a sample.
    case influx

    /// The formats from which an import brings back everything that is kept of a participant.
    static let restorable: [ExportFormat] = [.csv, .json, .fhir]

    /// An encoder for one export.
    /// - Parameters:
    ///   - profile: the participant's, for formats that name people; nil leaves the name out.
    ///   - isRaw: in CSV leaves texts as they are that a spreadsheet would take for a formula.
    package func encoder(profile: ParticipantProfile?, isRaw: Bool = false) -> any ExportEncoder {
        switch self {
        case .csv: CSVExport(isRaw: isRaw)
        case .json: JSONExport()
        case .fhir: FHIRExport(profile: profile)
        case .influx: InfluxExport()
        }
    }
}

/// Writes observations in a file format, group after group, in constant memory.
///
/// Bytes are appended to `output`, which the caller empties into a file, a pipe or an encrypting stream as it likes.
package protocol ExportEncoder: Sendable {
    /// The text before the first group.
    mutating func begin(_ output: inout [UInt8])
    /// One group.
    mutating func add(_ group: ObservationGroup, to output: inout [UInt8]) throws
    /// Something that is kept besides observations.
    mutating func add(_ record: TimelineRecord, of participant: String, to output: inout [UInt8]) throws
    /// The text after the last group and entry.
    mutating func end(_ output: inout [UInt8]) throws
}

extension ExportEncoder {
    /// An entry that a person made.
    package mutating func add(_ entry: TimelineEntry, of participant: String, to output: inout [UInt8]) throws {
        try add(.entry(entry, received: nil), of: participant, to: &output)
    }
}

/// One JSON array of groups, each as in a canonical batch; behind them records, each as `{"participant": …, "record": {…}}`.
struct JSONExport: ExportEncoder {
    private var isFirst = true

    mutating func begin(_ output: inout [UInt8]) { output.append(UInt8(ascii: "[")) }

    mutating func add(_ group: ObservationGroup, to output: inout [UInt8]) {
        output.append(contentsOf: (isFirst ? "\n" : ",\n").utf8)
        isFirst = false
        output.append(contentsOf: BatchEncoder.encode(group))
    }

    mutating func add(_ record: TimelineRecord, of participant: String, to output: inout [UInt8]) throws {
        // A participant's name holds nothing that JSON escapes.
        output.append(contentsOf: "\(isFirst ? "\n" : ",\n"){\"participant\":\"\(participant)\",\"record\":".utf8)
        isFirst = false
        output.append(contentsOf: try record.json())
        output.append(UInt8(ascii: "}"))
    }

    mutating func end(_ output: inout [UInt8]) { output.append(contentsOf: "\n]\n".utf8) }
}
