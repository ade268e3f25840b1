import VigilSchema

/// One data point: header 1.x and body.
struct OpenMHealthPoint {
    private let header: JSONTree
    private let body: JSONTree
    private let schema: OpenMHealthSchema
    private let path: String

    /// - Throws: `PayloadError` where header and body do not say what was measured.
    init(_ node: JSONTree, path: String) throws(PayloadError) {
        guard let header = node["header"], let body = node["body"], case .object = body.content else {
            throw PayloadError(.missing, "a data point needs a header and a body", offset: node.offset, path: path)
        }
        self.header = header
        self.body = body
        self.path = path
        schema = try OpenMHealthPoint.schema(header, path: "\(path).header.schema_id")
    }

    /// Its readings: all of them, or none where one is wrong, because they belong together.
    func readings(_ bytes: Span<UInt8>) throws(PayloadError) -> [ParsedObservation] {
        try checkStatistic()
        let time = try OpenMHealthTimeFrame.time(body: body, header: header, path: path, bytes)
        var readings: [ParsedObservation] = []
        for measure in schema.measures {
            guard let node = body[measure.key] else {
                if !measure.isRequired { continue }
                throw PayloadError(.missing, "\(measure.key) is missing", offset: body.offset, path: "\(path).body")
            }
            readings.append(try reading(measure, node, time, bytes))
        }
        return readings
    }

    private static func schema(_ header: JSONTree, path: String) throws(PayloadError) -> OpenMHealthSchema {
        guard let id = header["schema_id"], let namespace = id["namespace"]?.string, let name = id["name"]?.string,
            let version = id["version"]?.string
        else {
            throw PayloadError(.missing, "schema_id with namespace, name and version is needed", offset: header.offset, path: path)
        }
        guard namespace == "omh", let schema = OpenMHealthSchema.known[name] else {
            let names = OpenMHealthSchema.known.keys.sorted().joined(separator: ", ")
            throw PayloadError(.unsupported, "the schema is none of omh's \(names)", offset: id.offset, path: path)
        }
        guard let major = Int(version.prefix { $0 != "." }), schema.versions.contains(major) else {
            throw PayloadError(
                .unsupported, "\(name) is known in the major versions \(schema.versions.lowerBound) to \(schema.versions.upperBound)",
                offset: id["version"]?.offset ?? id.offset, path: "\(path).version")
        }
        return schema
    }

    private func checkStatistic() throws(PayloadError) {
        guard let statistic = body["descriptive_statistic"] else { return }
        guard let name = statistic.string, OpenMHealthPoint.readableStatistics.contains(name) else {
            throw PayloadError(
                .unsupported, "a statistic other than average, mean and median is no reading", offset: statistic.offset,
                path: "\(path).body.descriptive_statistic")
        }
    }

    private func reading(
        _ measure: OpenMHealthSchema.Measure, _ node: JSONTree, _ time: DateTimeText, _ bytes: Span<UInt8>
    ) throws(PayloadError) -> ParsedObservation {
        let place = "\(path).body.\(measure.key)"
        let (value, unit) = try value(measure, node, place, bytes)
        var offsets = ParsedObservation.Offsets(element: node.offset)
        offsets.content = Int32(clamping: node["value"]?.offset ?? node.offset)
        offsets.unit = Int32(clamping: node["unit"]?.offset ?? node.offset)
        let isFlow = measure.metric == "supplemental-oxygen"
        let observation = Observation(
            metric: measure.metric, time: time.time, content: .value(isFlow ? (value > 0 ? 1 : 0) : value),
            unit: isFlow ? "" : OpenMHealthUnit.ucum(unit), zone: time.zone)
        return ParsedObservation(observation, offsets: offsets, index: nil, notation: .place(place))
    }

    private func value(
        _ measure: OpenMHealthSchema.Measure, _ node: JSONTree, _ place: String, _ bytes: Span<UInt8>
    ) throws(PayloadError) -> (Double, String) {
        do {
            if let unit = measure.bareUnit, case .number(let number) = node.content { return (try number.double(bytes), unit) }
            if case .number(let number)? = node["value"]?.content, let unit = node["unit"]?.string {
                return (try number.double(bytes), unit)
            }
        } catch {
            throw error.at(place)
        }
        throw PayloadError(.wrongType, "a value and a unit are expected", offset: node.offset, path: place)
    }

    private static let readableStatistics: Set<String> = ["average", "mean", "median"]
}

/// When an Open mHealth measure holds: a date-time, or an interval, which counts from its start.
enum OpenMHealthTimeFrame {
    /// The time of a data point's measures.
    static func time(body: JSONTree, header: JSONTree, path: String, _ bytes: Span<UInt8>) throws(PayloadError) -> DateTimeText {
        guard let frame = body["effective_time_frame"] else { return try creation(header, path: "\(path).header") }
        let path = "\(path).body.effective_time_frame"
        if let moment = frame["date_time"] { return try dateTime(moment, "\(path).date_time") }
        guard let interval = frame["time_interval"] else {
            throw PayloadError(.missing, "date_time or time_interval is needed", offset: frame.offset, path: path)
        }
        return try start(of: interval, path: "\(path).time_interval", bytes)
    }

    /// The first versions leave the time frame out; then the time of the measure's making is the nearest there is.
    private static func creation(_ header: JSONTree, path: String) throws(PayloadError) -> DateTimeText {
        if let source = header["acquisition_provenance"]?["source_creation_date_time"] {
            return try dateTime(source, "\(path).acquisition_provenance.source_creation_date_time")
        }
        guard let creation = header["creation_date_time"] else {
            throw PayloadError(.missing, "neither effective_time_frame nor creation_date_time is there", offset: header.offset, path: path)
        }
        return try dateTime(creation, "\(path).creation_date_time")
    }

    private static func start(of interval: JSONTree, path: String, _ bytes: Span<UInt8>) throws(PayloadError) -> DateTimeText {
        if let start = interval["start_date_time"] { return try dateTime(start, "\(path).start_date_time") }
        guard let end = interval["end_date_time"], let duration = interval["duration"] else {
            throw PayloadError(
                .unsupported, "an interval needs start_date_time, or end_date_time and duration", offset: interval.offset, path: path)
        }
        let length = try seconds(duration, path: "\(path).duration", bytes)
        return try dateTime(end, "\(path).end_date_time").earlier(by: length)
    }

    private static func seconds(_ duration: JSONTree, path: String, _ bytes: Span<UInt8>) throws(PayloadError) -> Double {
        if case .number(let number)? = duration["value"]?.content, let scale = duration["unit"]?.string.flatMap({ durations[$0] }),
            let value = try? number.double(bytes), (0...longest).contains(value * scale)
        {
            return value * scale
        }
        throw PayloadError(.wrongType, "a duration has a value and a unit of us to wk", offset: duration.offset, path: path)
    }

    /// A hundred years, in seconds.
    private static let longest = 100 * 366 * 86400.0

    private static func dateTime(_ node: JSONTree, _ path: String) throws(PayloadError) -> DateTimeText {
        guard let text = node.string, let time = DateTimeText(text) else {
            throw PayloadError(.wrongType, "a date-time such as 2013-02-05T07:25:00Z is expected", offset: node.offset, path: path)
        }
        return time
    }

    private static let durations: [String: Double] = [
        "us": 1e-6, "ms": 1e-3, "sec": 1, "min": 60, "h": 3600, "d": 86400, "wk": 604_800,
    ]
}
