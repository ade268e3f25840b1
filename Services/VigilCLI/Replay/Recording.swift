import CSVImport
import Foundation
import ServiceKit
import VigilSchema

/// What is to be replayed: observations by whom they go out as, in the order of their times.
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
