import VigilSchema

@testable import CSVImport

/// All that a file gives, for looking at in tests.
struct Decoded {
    struct Row: Hashable {
        var participant: String
        var source: String
        var session: String?
        var metric: String
        var time: Double
        var sequence: Int32
        var value: Double
        var text: String?
        var unit: String
        var zone: Int16?
    }

    var rows: [Row] = []
    var rejects: [RejectedCell] = []
    var account = Account()
    var survey: FileSurvey

    static let now = Timestamp(seconds: 1_800_000_000)

    init(_ text: String, name: String = "test.csv", options: ImportOptions = ImportOptions(), profile: Profile? = nil) throws {
        let bytes = Array(text.utf8)
        try self.init(ImportFile(name: name) { () throws(ImportError) in MemorySource(bytes) }, options: options, profile: profile)
    }

    init(_ file: ImportFile, options: ImportOptions = ImportOptions(), profile: Profile? = nil) throws {
        var source = try file.open()
        let start = try source.readStart(Surveyor.startLength)
        survey = try Surveyor(chosen: profile, options: options).survey(start, path: file.name)
        var reader = try ContentReader(file, survey: survey, options: options, now: Decoded.now)
        var block = ReadingBlock()
        var more = true
        while more {
            more = try reader.fill(&block)
            rejects += block.rejects
            for reading in block.readings {
                let subject = reader.subjects[Int(reading.subject)], metric = reader.metrics[Int(reading.metric)]
                rows.append(
                    Row(
                        participant: subject.participant, source: subject.source, session: subject.session, metric: metric.name,
                        time: Timestamp(microseconds: reading.time).seconds, sequence: reading.sequence, value: reading.value,
                        text: reading.text == Reading.noText ? nil : block.texts[Int(reading.text)], unit: metric.unit,
                        zone: reading.zone == ParsedTime.noZone ? nil : reading.zone))
            }
        }
        account = reader.account
    }
}
