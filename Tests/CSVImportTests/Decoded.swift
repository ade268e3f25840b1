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
        var interval: Int32 = 0
        var samples: [Double] = []
        var period = 0.0
        var received: Timestamp?
    }

    var rows: [Row] = []
    var rejects: [RejectedCell] = []
    var account = CellCounts()
    var entries: [(participant: String, entry: TimelineEntry)] = []
    var profiles: [(participant: String, profile: ParticipantProfile)] = []
    var records: [(participant: String, record: TimelineRecord)] = []
    var notes: [String] = []
    var survey: FileSurvey

    static let now = Timestamp(seconds: 1_800_000_000)

    init(_ text: String, name: String = "test.csv", options: ImportOptions = ImportOptions(), profile: Profile? = nil) throws {
        let bytes = Array(text.utf8)
        try self.init(ImportFile(name: name) { () throws(ImportError) in MemorySource(bytes) }, options: options, profile: profile)
    }

    init(_ file: ImportFile, options: ImportOptions = ImportOptions(), profile: Profile? = nil) throws {
        survey = try Surveyor(chosen: profile, options: options).study(file, now: Decoded.now)
        var reader = try ContentReader(file, survey: survey, options: options, now: Decoded.now)
        var block = ReadingBlock()
        var more = true
        while more {
            more = try reader.fill(&block)
            rejects += block.rejects
            entries += block.entries.map { ($0.participant, $0.entry) }
            profiles += block.profiles.map { ($0.participant, $0.profile) }
            records += block.records.map { ($0.participant, $0.record) }
            for group in block.groups { rows += group.observations.map { Row(group, $0) } }
            for reading in block.readings {
                let subject = reader.subjects[Int(reading.subject)], metric = reader.metrics[Int(reading.metric)]
                var samples: ([Double], Double) = ([], 0)
                if case .samples(let values, let period) = block.content(of: reading) { samples = (values, period) }
                rows.append(
                    Row(
                        participant: subject.participant, source: subject.source, session: subject.session, metric: metric.name,
                        time: Timestamp(microseconds: reading.time).seconds, sequence: reading.sequence, value: reading.value,
                        text: reading.text < 0 ? nil : block.texts[Int(reading.text)], unit: metric.unit,
                        zone: reading.zone == ParsedTime.noZone ? nil : reading.zone, interval: reading.interval, samples: samples.0,
                        period: samples.1))
            }
        }
        account = reader.account
        notes = reader.notes
    }

    /// Everything that a text gives which may hold several tables.
    static func all(_ text: String, name: String, options: ImportOptions = ImportOptions()) throws -> [Decoded] {
        let bytes = Array(text.utf8)
        let file = ImportFile(name: name) { () throws(ImportError) in MemorySource(bytes) }
        return try FileExpander(options: options).expand(file).map { try Decoded($0, options: options) }
    }

    /// The values of a metric, in the order of the file.
    func values(_ metric: String) -> [Double] { rows.filter { $0.metric == metric }.map(\.value) }
}

extension ImportOptions {
    /// Options for files that do not name their participant, here `p`.
    static func ofParticipant(_ zone: String? = "UTC", _ units: [String: String] = [:]) -> ImportOptions {
        var options = ImportOptions()
        options.participant = "p"
        options.zone = zone
        options.units = units
        return options
    }
}

extension Decoded.Row {
    /// An observation of Vigil's own exports.
    init(_ group: ObservationGroup, _ observation: Observation) {
        self.init(
            participant: group.participant, source: group.source, session: group.session, metric: observation.metric,
            time: observation.time.seconds, sequence: observation.sequence, value: 0, unit: observation.unit, zone: observation.zone,
            interval: observation.interval, received: group.received)
        switch observation.content {
        case .value(let number): value = number
        case .text(let words): text = words
        case .samples(let numbers, let distance): (samples, period) = (numbers, distance)
        }
    }
}
