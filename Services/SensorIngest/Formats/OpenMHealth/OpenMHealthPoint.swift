import VigilSchema

/// One data point: header 1.x and body.
struct OpenMHealthPoint {
    private let header: JSONTree
    private let body: JSONTree
    private let schema: OpenMHealthSchema
    private let version: Int
    private let path: String

    /// - Throws: `PayloadError` where header and body do not say what was measured.
    init(_ node: JSONTree, path: String) throws(PayloadError) {
        guard let header = node["header"], let body = node["body"], case .object = body.content else {
            throw PayloadError(.missing, "a data point needs a header and a body", offset: node.offset, path: path)
        }
        self.header = header
        self.body = body
        self.path = path
        (schema, version) = try OpenMHealthPoint.schema(header, path: "\(path).header.schema_id")
    }

    /// Its readings: all of them, or none where one is wrong, because they belong together.
    func readings(_ bytes: Span<UInt8>) throws(PayloadError) -> [ParsedObservation] {
        try checkWords()
        let frame = try OpenMHealthTimeFrame(
            body: body, header: header, isRequired: version >= schema.framedSince, path: path, bytes)
        let counts = schema.intervalSince.map { version >= $0 } ?? false
        if counts, frame.length == nil {
            throw PayloadError(
                .wrongType, "what is counted needs a time_interval", offset: body["effective_time_frame"]?.offset ?? body.offset,
                path: "\(path).body.effective_time_frame")
        }
        let statistic = try statistic(ofCount: schema.intervalSince != nil)
        var readings: [ParsedObservation] = []
        for measure in schema.measures {
            guard let node = body[measure.key] else {
                if !measure.isRequired { continue }
                throw PayloadError(.missing, "\(measure.key) is missing", offset: body.offset, path: "\(path).body")
            }
            var reading = try reading(measure, node, frame.start, bytes)
            reading.observation.metric = try metric(measure, statistic)
            // What was counted, or summed up, is told with the interval that it speaks for; a single value holds from its start.
            if schema.intervalSince != nil || statistic != nil, let length = frame.length {
                reading.observation.interval = min(Int32(clamping: Int(length.rounded())), Observation.longestInterval)
            }
            readings.append(reading)
        }
        return readings
    }

    /// The metric that a measure becomes, by how it sums up others.
    private func metric(_ measure: OpenMHealthSchema.Measure, _ statistic: OpenMHealthStatistic?) throws(PayloadError) -> String {
        guard let statistic else { return measure.metric }
        guard let name = statistic.metric(of: measure.metric), MetricCatalogue.standard.definition(named: name) != nil else {
            throw unreadable("the lowest or highest of \(measure.metric) is no metric")
        }
        return name
    }

    private func statistic(ofCount isCount: Bool) throws(PayloadError) -> OpenMHealthStatistic? {
        guard let node = body["descriptive_statistic"] else { return nil }
        guard let name = node.string, let statistic = OpenMHealthStatistic(name) else {
            guard let name = node.string, OpenMHealthStatistic.others.contains(name) else { throw unreadable("there is no such statistic") }
            throw unreadable("a statistic other than average, mean, median, minimum and maximum is no reading")
        }
        guard !isCount else { throw unreadable("an average or an extreme of what is counted is no count") }
        return statistic
    }

    private func unreadable(_ reason: String) -> PayloadError {
        PayloadError(
            .unsupported, reason, offset: body["descriptive_statistic"]?.offset ?? body.offset, path: "\(path).body.descriptive_statistic")
    }

    /// Checks the keys that hold one of a few words.
    private func checkWords() throws(PayloadError) {
        guard case .object(let members) = body.content else { return }
        for member in members {
            guard let words = OpenMHealthSchema.vocabularies[member.key] else { continue }
            guard let word = member.value.string, words.contains(word) else {
                throw PayloadError(
                    .unsupported, "\(member.key) holds none of the schema's words", offset: member.value.offset,
                    path: "\(path).body.\(member.key)")
            }
        }
    }

    private static func schema(_ header: JSONTree, path: String) throws(PayloadError) -> (OpenMHealthSchema, version: Int) {
        guard let id = header["schema_id"], let namespace = id["namespace"]?.string, let name = id["name"]?.string,
            let version = id["version"]?.string
        else {
            throw PayloadError(.missing, "schema_id with namespace, name and version is needed", offset: header.offset, path: path)
        }
        guard let schema = OpenMHealthSchema.known(namespace, name) else {
            let names = OpenMHealthSchema.names.joined(separator: ", ")
            throw PayloadError(.unsupported, "the schema is none of \(names)", offset: id.offset, path: path)
        }
        guard let major = Int(version.prefix { $0 != "." }), schema.versions.contains(major) else {
            throw PayloadError(
                .unsupported, "\(name) is known in the major versions \(schema.versions.lowerBound) to \(schema.versions.upperBound)",
                offset: id["version"]?.offset ?? id.offset, path: "\(path).version")
        }
        return (schema, major)
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
        if version < 3, let unit = measure.bareUnit, case .number(let number) = node.content {
            return (try number.value(bytes, place), unit)
        }
        guard case .number(let number)? = node["value"]?.content, let unit = node["unit"]?.string else {
            throw PayloadError(.wrongType, "a value and a unit are expected", offset: node.offset, path: place)
        }
        guard measure.units.isEmpty || measure.units.contains(unit) else {
            let known = measure.units.sorted().joined(separator: ", ")
            throw PayloadError(.unknownUnit, "the schema's unit is \(known)", offset: node["unit"]?.offset ?? node.offset, path: place)
        }
        return (try number.value(bytes, place), unit)
    }
}

extension JSONNumber {
    /// The value; a number that cannot be read is told with its path.
    fileprivate func value(_ bytes: Span<UInt8>, _ path: String) throws(PayloadError) -> Double {
        do { return try double(bytes) } catch { throw error.at(path) }
    }
}
