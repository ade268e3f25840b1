import Foundation
import VigilSchema

/// Reads one of hReader's patient records as a file: vital signs become readings, the rest entries and a profile.
struct PatientRecordReader: ReadingReader {
    private static let largestRecord = 64 << 20

    private let record: PatientRecord
    private let participant: String
    private let source: String
    private var collector: ReadingCollector
    private(set) var offset = 0

    init(_ source: any ByteSource, path: String, options: ImportOptions, keepsHistory: Bool, now: Timestamp) throws(ImportError) {
        var source = source
        let bytes = try source.readStart(PatientRecordReader.largestRecord)
        let stem = URL(filePath: String(path.split(separator: "!").last ?? "")).deletingPathExtension().lastPathComponent
        participant = options.participant ?? stem
        guard Name.isValid(participant) else {
            throw ImportError(.usage, "\(path): its name names no participant; say whose it is by --participant")
        }
        self.source = options.source ?? "hreader"
        do {
            record = try HReaderParser(now: now).read(bytes)
        } catch {
            throw ImportError(.format, "\(path): \(error.reason)")
        }
        collector = ReadingCollector(keepsHistory: keepsHistory, now: now)
        offset = bytes.count
    }

    var subjects: [Subjects.Subject] { collector.allSubjects }
    var metrics: [MetricPlan] { collector.metrics }
    var account: CellCounts { collector.account }
    var notes: [String] {
        let odd = record.problems.filter { !$0.isRejected }
        return odd.isEmpty ? [] : ["\(odd.count) odd things were kept; `vigil-import patients --rejects FILE` lists them"]
    }

    mutating func fill(_ block: inout ReadingBlock) throws -> Bool {
        block.removeAll()
        collector.account.rows = record.items
        block.profiles.append((participant, record.profile))
        block.entries = record.entries.map { (participant, $0) }
        collector.account.accepted = record.entries.count
        for observation in record.observations {
            let item = ReadingCollector.Item(
                metric: observation.metric, content: observation.content, unit: observation.unit,
                time: ParsedTime(microseconds: observation.time.microseconds), sequence: observation.sequence)
            let place = ReadingCollector.Origin(line: 1, offset: 0, path: observation.metric, original: "")
            try collector.add(item, participant: participant, source: source, at: place, to: &block)
        }
        for problem in record.problems where problem.isRejected {
            collector.refuse(problem.reason, .init(line: 1, offset: 0, path: problem.path, original: ""), &block)
        }
        return false
    }
}
