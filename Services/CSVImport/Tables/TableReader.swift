import VigilSchema

/// Reads a table with a header.
struct TableReader: ReadingReader {
    /// So many readings or rejects make a block.
    private static let blockSize = 4096

    private var reader: CSVReader
    private var decoder: TableDecoder

    /// Reads to the end of the header.
    /// - Parameters:
    ///   - source: the content from its first byte.
    ///   - keepsHistory: as `Occurrences` says.
    init(
        _ source: any ByteSource, survey: FileSurvey, path: String, options: ImportOptions, keepsHistory: Bool,
        asks: Bool, start: ImportFile.Start = .init(), claims: FileClaims? = nil, now: Timestamp
    ) throws(ImportError) {
        var planner = TablePlanner(survey.profile, header: survey.header, options: options, units: survey.units)
        let plan = try planner.plan(path: path, timing: survey.timing)
        decoder = try TableDecoder(
            plan, planner: planner, dialect: survey.dialect, options: options, correction: try TableReader.correction(survey, options),
            keepsHistory: keepsHistory, asks: asks, claims: survey.hasUnnamedSource || !plan.unknown.isEmpty ? claims : nil,
            claimsUnknownOnly: !survey.hasUnnamedSource, now: now)
        reader = CSVReader(source, dialect: survey.dialect, offset: survey.markLength + start.byte, line: start.line)
        for _ in 0..<survey.headerRecord + 1 { _ = try reader.next() }
    }

    var subjects: [Subjects.Subject] { decoder.subjects.all }
    var metrics: [MetricPlan] { decoder.plan.metrics }
    var account: CellCounts { decoder.account }
    var questions: [UnitStatistics] { decoder.questions }
    var notes: [String] {
        var notes: [String] = []
        if decoder.doubleTimes > 0 {
            notes.append(
                "\(decoder.doubleTimes) times lie in the hour that the clocks showed twice; the file's order decided which was meant")
        }
        if let note = decoder.claims?.note { notes.append(note) }
        if decoder.decorations > 0 { notes.append("\(decoder.decorations) lines that repeat the header or separate parts were left out") }
        if decoder.excluded > 0 {
            notes.append(
                "\(decoder.excluded) rows say that they were deleted, or are not valid, a goal, a control, a test, or a sum of others: left out"
            )
        }
        return notes
    }
    var offset: Int { reader.offset(of: reader.recordEnd) }

    mutating func fill(_ block: inout ReadingBlock) throws -> Bool {
        block.removeAll()
        while block.readings.count + block.grouped + block.records.count < TableReader.blockSize,
            block.rejects.count < TableReader.blockSize
        {
            switch try reader.next() {
            case .record: try decoder.decode(reader, into: &block)
            case .malformed(let malformation): decoder.refuseLine(reader, malformation.reason, into: &block)
            case .end: return false
            }
        }
        return true
    }

    private static func correction(_ survey: FileSurvey, _ options: ImportOptions) throws(ImportError) -> MillisecondCorrection? {
        guard options.correctsMilliseconds, let step = survey.millisecondStep else { return nil }
        let start = options.sessionStart.map { Int64(($0 * 1_000_000).rounded()) }
        let isOfIntervals = survey.header.contains { HeaderName($0) == HeaderName("rr-interval") }
        guard start != nil || !isOfIntervals else {
            throw ImportError(
                .usage, "the first beat does not tell when the recording started: give --session-start with --correct-milliseconds")
        }
        return MillisecondCorrection(start: start, lag: isOfIntervals ? 0 : step)
    }
}

/// Undoes a recorder's fault: it added milliseconds to a start in seconds, so that a second became 1000.
///
/// The true time is `start + (time − start − lag) / 1000`: the recorder counted samples from 1, so that the first one came a
/// sampling step (in its seconds) after the start.
struct MillisecondCorrection: Hashable, Sendable {
    /// The start of the recording, in microseconds since 1970; nil: `lag` before each subject's first time.
    let start: Int64?
    /// The first sample's time after the start, as the file has it, in microseconds; 0 for beats, which carry their own.
    let lag: Int64
    private var starts: [Int: Int64] = [:]

    init(start: Int64?, lag: Int64) {
        self.start = start
        self.lag = lag
    }

    /// The time at which it was.
    mutating func correct(_ time: Int64, subject: Int) -> Int64 {
        let start = start ?? starts[subject] ?? time - lag
        starts[subject] = start
        return start + (time - start - lag) / 1000
    }
}
