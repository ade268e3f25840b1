import VigilSchema

/// Reads an electrocardiogram as Apple's `export.zip` has it: lines of names and values, then a sample a line. It becomes blocks of a second,
/// and the watch's classification a text.
struct AppleECGReader: ReadingReader {
    private var reader: CSVReader
    private var collector: ReadingCollector
    private var times: TimeParser
    private let participant: String
    private let options: ImportOptions
    private var facts: [String: String] = [:]
    private var pending: [Double] = []
    private var start: ParsedTime?
    private var taken = 0

    init(_ source: any ByteSource, survey: FileSurvey, path: String, options: ImportOptions, keepsHistory: Bool, now: Timestamp)
        throws(ImportError)
    {
        guard let participant = options.participant ?? survey.profile.participant.name(inPath: path), Name.isValid(participant) else {
            throw ImportError(.usage, "an electrocardiogram does not name the participant as Vigil does: give --participant")
        }
        self.participant = participant
        self.options = options
        reader = CSVReader(source, dialect: survey.dialect, offset: survey.markLength)
        collector = ReadingCollector(keepsHistory: keepsHistory, now: now)
        times = try TimeParser(survey.profile.time.formats + TimeFormat.iso8601, zone: options.zone.flatMap(WearerZone.init))
    }

    var subjects: [Subjects.Subject] { collector.allSubjects }
    var metrics: [MetricPlan] { collector.metrics }
    var account: CellCounts { collector.account }
    var offset: Int { reader.offset(of: reader.recordEnd) }

    mutating func fill(_ block: inout ReadingBlock) throws -> Bool {
        block.removeAll()
        while block.readings.count < 64 {
            guard case .record = try reader.next() else {
                try flush(&block)
                return false
            }
            try take(reader.texts().map(\.trimmed), &block)
        }
        return true
    }

    private mutating func take(_ texts: [String], _ block: inout ReadingBlock) throws {
        let isSample = texts.count == 1 || (texts.count == 2 && unit != nil)
        if isSample, let sample = AppleECGReader.number(texts.joined(separator: ".")) {
            collector.account.rows += 1
            if start == nil { try begin(&block) }
            pending.append(sample)
            if pending.count >= Int(rate.rounded()) { try flush(&block) }
        } else if texts.count >= 2 {
            facts[texts[0]] = texts[1...].joined(separator: ",")
        }
    }

    /// A fact by its English name, or by what it looks like: the names are in the phone's language.
    private func fact(_ name: String, _ looksSo: (String) -> Bool) -> String? {
        facts[name] ?? facts.values.sorted().first(where: looksSo)
    }

    private var unit: String? { fact("Unit") { HeaderUnit.canonical($0).map { ["uV", "mV"].contains($0) } ?? false } }

    /// `512 hertz`, `512 Hertz`, `512 герц`.
    static func isRate(_ text: String) -> Bool {
        let words = text.split(separator: " ")
        return words.count == 2 && Double(decimal: words[0].replacing(",", with: ".")).map { (50...2000).contains($0) } ?? false
            && words[1].allSatisfy(\.isLetter)
    }

    /// `2021-02-03 08:12:33 +0100`
    static func isMoment(_ text: String) -> Bool {
        var parser = try? TimeParser([.pattern("yyyy-MM-dd HH:mm:ss Z")], zone: nil)
        return parser?.parse(text) != nil
    }

    private static func number(_ text: String) -> Double? { NumberFormat(decimal: UInt8(ascii: ".")).parse(text.replacing(",", with: ".")) }

    /// Samples a second, which the file gives as `512 hertz`.
    private var rate: Double {
        let text = fact("Sample Rate", AppleECGReader.isRate)?.prefix { $0.isNumber || $0 == "." || $0 == "," } ?? ""
        return min(max(Double(decimal: text.replacing(",", with: ".")) ?? 512, 1), 100_000)
    }

    private var place: ReadingCollector.Origin {
        .init(
            line: reader.line, offset: reader.recordOffset, path: "Recorded Date",
            original: fact("Recorded Date", AppleECGReader.isMoment) ?? "")
    }

    private var source: String { options.source ?? fact("Device") { $0.hasPrefix("Watch") } ?? "apple-watch" }

    private mutating func begin(_ block: inout ReadingBlock) throws {
        guard let text = fact("Recorded Date", AppleECGReader.isMoment), let time = times.parse(text) else {
            throw ImportError(.format, "the electrocardiogram does not tell when it was recorded")
        }
        start = time
        for (fact, metric) in [("Classification", "ecg-classification"), ("Symptoms", "ecg-symptoms")] {
            guard let text = facts[fact], !text.isEmpty else { continue }
            let item = ReadingCollector.Item(metric: metric, content: .text(text), unit: "1", time: time)
            try collector.add(item, participant: participant, source: source, session: options.session, at: place, to: &block)
        }
    }

    private mutating func flush(_ block: inout ReadingBlock) throws {
        guard let start, !pending.isEmpty else { return }
        let elapsed = (Double(taken) / rate * 1_000_000).microseconds ?? 0
        let unit = unit.map { HeaderUnit.canonical($0) ?? $0 } ?? "uV"
        let item = ReadingCollector.Item(
            metric: "ecg", content: .samples(pending, period: 1 / rate), unit: unit,
            time: ParsedTime(microseconds: start.microseconds + elapsed, zone: start.zone))
        try collector.add(item, participant: participant, source: source, session: options.session, at: place, to: &block)
        taken += pending.count
        pending.removeAll(keepingCapacity: true)
    }
}
