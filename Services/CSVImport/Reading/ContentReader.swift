package import VigilSchema

/// Opens a file by its survey and reads it, with a history of its times if necessary.
struct ContentReader: ReadingReader {
    private let file: ImportFile
    private let survey: FileSurvey
    private let options: ImportOptions
    private let now: Timestamp
    private let claims: FileClaims?
    private var reader: any ReadingReader
    private var keepsHistory = false
    /// The number of blocks that were returned.
    private var blocks = 0

    /// - Parameters:
    ///   - now: times more than a day later are refused; the same for each reading of one import.
    ///   - claims: the values of other files of the run, if there are any.
    init(_ file: ImportFile, survey: FileSurvey, options: ImportOptions, now: Timestamp, claims: FileClaims? = nil) throws(ImportError) {
        self.file = file
        self.survey = survey
        self.options = options
        self.now = now
        self.claims = claims
        reader = try ContentReader.open(file, survey, options, keepsHistory: false, now: now, claims: claims)
    }

    var subjects: [Subjects.Subject] { reader.subjects }
    var metrics: [MetricPlan] { reader.metrics }
    var account: CellCounts { reader.account }
    var offset: Int { reader.offset }
    var notes: [String] { reader.notes }

    mutating func fill(_ block: inout ReadingBlock) throws -> Bool {
        do {
            let more = try reader.fill(&block)
            blocks += 1
            return more
        } catch is NeedsHistory where !keepsHistory {
            try restart(&block)
            return try fill(&block)
        }
    }

    /// Reads again with a history, up to what was returned. The returned blocks were right, because their times were in
    /// order.
    private mutating func restart(_ block: inout ReadingBlock) throws {
        keepsHistory = true
        reader = try ContentReader.open(file, survey, options, keepsHistory: true, now: now, claims: claims)
        for _ in 0..<blocks { _ = try reader.fill(&block) }
    }

    /// - Parameter asks: whether the run only settles units.
    static func open(
        _ file: ImportFile, _ survey: FileSurvey, _ options: ImportOptions, keepsHistory: Bool, asks: Bool = false, now: Timestamp,
        claims: FileClaims? = nil
    ) throws(ImportError) -> any ReadingReader {
        let source = try FileExpander.text(file, mark: survey.markLength, survey.dialect.encoding)
        switch survey.profile.layout {
        case .appleHealth:
            return try HealthReader(source, survey: survey, path: file.name, options: options, keepsHistory: keepsHistory, now: now)
        case .appleECG:
            return try AppleECGReader(source, survey: survey, path: file.name, options: options, keepsHistory: keepsHistory, now: now)
        case .fhir:
            return try FHIRReader(
                source, survey: survey, path: file.name, options: options, keepsHistory: keepsHistory, asks: asks, now: now)
        case .vigilJSON:
            return VigilJSONReader(source, path: file.name, options: options, now: now)
        case .hReader:
            return try PatientRecordReader(source, path: file.name, options: options, keepsHistory: keepsHistory, now: now)
        case .rejects:
            return try RejectsReader(source, survey: survey, profiles: survey.known, options: options, now: now)
        case .table, .long, .samples, .intervals, .marks:
            return try TableReader(
                source, survey: survey, path: file.name, options: options, keepsHistory: keepsHistory, asks: asks, start: file.start,
                claims: claims, now: now)
        }
    }
}

/// The user's options for the files, which override profiles and files.
package struct ImportOptions: Hashable, Sendable {
    /// The participant of every row.
    package var participant: String?
    /// The patient whose FHIR resources alone are taken, by the server's id.
    var patient: String?
    /// The source of every row.
    package var source: String?
    /// The session of every row.
    package var session: String?
    /// The zone of times without a zone.
    package var zone: String?
    /// The order of dates, if the profile leaves it open.
    package var dateFormats: [TimeFormat]?
    /// The units of columns, by header.
    package var units: [String: String] = [:]
    /// The metrics of columns, by header, if the header leaves them open.
    package var metrics: [String: String] = [:]
    /// Whether milliseconds that were added to a start in seconds are corrected.
    package var correctsMilliseconds = false
    /// The start of the recording, for that correction, in Unix seconds.
    package var sessionStart: Double?
    /// The separator of fields, instead of the detected one.
    package var delimiter: UInt8?
    /// The decimal separator, instead of the detected one.
    package var encoding: TextEncoding?
    /// The encoding, instead of the detected one.
    package var decimal: UInt8?

    /// The column names of a file without a header.
    package var columns: [String] = []

    /// No options.
    package init() {}

    /// The user's unit for a column, by its header or metric.
    func unit(of header: String, metric: String) -> String? {
        if units.isEmpty { return nil }
        return units[header] ?? units[metric] ?? ImportOptions.said(units, of: header)
    }

    /// Adds an answer about a column: its unit, or its metric if the header leaves it open.
    mutating func answer(_ word: String, of header: String) {
        let isMetric = MetricCatalogue.standard.definition(named: word) != nil && HeaderUnit.canonical(word) == nil
        if isMetric { metrics[header] = word } else { units[header] = word }
    }

    /// The user's metric for a column.
    func metric(of header: String) -> String? { metrics.isEmpty ? nil : ImportOptions.said(metrics, of: header) }

    private static func said(_ words: [String: String], of header: String) -> String? {
        words[header] ?? words.first { HeaderName($0.key) == HeaderName(header) }?.value
    }
}

/// A file's observations block by block, for readers other than an import.
package struct FileObservations {
    /// An observation and its participant.
    package struct Element: Sendable {
        package let participant: String
        package let source: String
        package let session: String?
        package let observation: Observation
    }

    private let file: ImportFile
    private let now: Timestamp

    /// - Parameter now: the time beyond which times are refused.
    package init(_ file: ImportFile, now: Timestamp) {
        self.file = file
        self.now = now
    }

    /// Yields every observation in the order of the file.
    /// - Returns: the number of refused cells.
    package func forEach(_ body: (Element) throws -> Void) throws -> Int {
        let options = ImportOptions()
        var refused = 0
        for part in try FileExpander(options: options).expand(file) { refused += try forEach(part, options, body) }
        return refused
    }

    private func forEach(_ file: ImportFile, _ options: ImportOptions, _ body: (Element) throws -> Void) throws -> Int {
        let survey = try Surveyor(chosen: nil, options: options).study(file, now: now)
        var reader = try ContentReader(file, survey: survey, options: options, now: now)
        var block = ReadingBlock()
        var refused = 0
        var more = true
        while more {
            more = try reader.fill(&block)
            refused += block.rejects.count
            for group in block.groups {
                for observation in group.observations {
                    try body(
                        Element(participant: group.participant, source: group.source, session: group.session, observation: observation))
                }
            }
            for reading in block.readings {
                let subject = reader.subjects[Int(reading.subject)], metric = reader.metrics[Int(reading.metric)]
                let observation = Observation(
                    metric: metric.name, time: Timestamp(microseconds: reading.time), sequence: reading.sequence,
                    interval: reading.interval, content: block.content(of: reading), unit: metric.unit,
                    zone: reading.zone == ParsedTime.noZone ? nil : reading.zone)
                try body(
                    Element(participant: subject.participant, source: subject.source, session: subject.session, observation: observation))
            }
        }
        return refused
    }
}
