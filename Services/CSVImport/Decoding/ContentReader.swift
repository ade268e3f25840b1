import VigilSchema

/// Opens a file by its survey and reads it, with a history of its times if it turns out to need one.
struct ContentReader: ReadingReader {
    private let file: ImportFile
    private let survey: FileSurvey
    private let options: ImportOptions
    private let now: Timestamp
    private var reader: any ReadingReader
    private var keepsHistory = false
    /// Blocks already handed out.
    private var blocks = 0

    /// - Parameter now: times more than a day after it are refused; the same for each reading of one import.
    init(_ file: ImportFile, survey: FileSurvey, options: ImportOptions, now: Timestamp) throws(ImportError) {
        self.file = file
        self.survey = survey
        self.options = options
        self.now = now
        reader = try ContentReader.open(file, survey, options, keepsHistory: false, now: now)
    }

    var subjects: [Subjects.Subject] { reader.subjects }
    var metrics: [MetricPlan] { reader.metrics }
    var account: Account { reader.account }
    var offset: Int { reader.offset }

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

    /// Reads again, with a history, as far as has been handed out. What was handed out was right: its times were in order.
    private mutating func restart(_ block: inout ReadingBlock) throws {
        keepsHistory = true
        reader = try ContentReader.open(file, survey, options, keepsHistory: true, now: now)
        for _ in 0..<blocks { _ = try reader.fill(&block) }
    }

    private static func open(
        _ file: ImportFile, _ survey: FileSurvey, _ options: ImportOptions, keepsHistory: Bool, now: Timestamp
    ) throws(ImportError) -> any ReadingReader {
        var source = try file.open()
        var mark: [UInt8] = Array(repeating: 0, count: survey.markLength)
        var skipped = 0
        while skipped < mark.count { skipped += try source.read(into: &mark, at: skipped, limit: mark.count - skipped) }
        if survey.dialect.encoding != .utf8 { source = TranscodingSource(source, from: survey.dialect.encoding) }
        switch survey.profile.layout {
        case .appleHealth:
            return try HealthReader(source, survey: survey, path: file.name, options: options, keepsHistory: keepsHistory, now: now)
        case .rejects:
            return try RejectsReader(source, survey: survey, profiles: survey.known, options: options, now: now)
        case .table, .samples, .intervals, .marks:
            return try TableReader(source, survey: survey, path: file.name, options: options, keepsHistory: keepsHistory, now: now)
        }
    }
}
