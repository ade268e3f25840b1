/// Turns an observation as a device gave it into the canonical one, or says why it cannot be believed.
public struct Normaliser: Sendable {
    /// The metrics that are known.
    public let catalogue: MetricCatalogue
    /// A Boolean value that indicates whether a metric that the catalogue lacks is kept, under its own name and unit, rather than refused.
    public var acceptsUnknownMetrics: Bool
    /// The permitted lead of a time over now, in seconds; a sensor's clock may run ahead.
    public var futureTolerance: Double

    /// 1900-01-01: no sensor measured before; a birth date's century, and odd clocks' zero, lie after.
    private static let earliest = Timestamp(microseconds: -2_208_988_800_000_000)

    /// Makes a normaliser.
    public init(catalogue: MetricCatalogue = .standard, acceptsUnknownMetrics: Bool = false, futureTolerance: Double = 86400) {
        self.catalogue = catalogue
        self.acceptsUnknownMetrics = acceptsUnknownMetrics
        self.futureTolerance = futureTolerance
    }

    /// The canonical observation: known metric, canonical unit, plausible value and time.
    /// - Parameter now: the time of receipt, against which the future is measured.
    public func normalise(_ located: ParsedObservation, now: Timestamp) throws(PayloadError) -> Observation {
        var observation = located.observation
        try check(observation.time, of: located, now: now)
        if case .samples(let samples, let period) = observation.content {
            try checkEnd(Double(samples.count) * period, of: located, now: now)
        }
        if case .text(let text) = observation.content, text.utf8.count > Observation.longestText {
            throw PayloadError(
                .tooLarge, "the text is longer than \(Observation.longestText) bytes", offset: Int(located.offsets.content),
                path: located.path("text"))
        }
        guard let metric = catalogue.definition(named: observation.metric) ?? definition(of: observation) else {
            try checkUnknown(located)
            try checkNumbers(located)
            if observation.unit.isEmpty { observation.unit = "1" }
            return observation
        }
        observation.content = try convert(observation.content, of: located, metric)
        observation.unit = metric.unit
        observation.metric = metric.name
        return observation
    }

    /// The metric by another name than its own; one with several meanings is what its unit says.
    private func definition(of observation: Observation) -> MetricDefinition? {
        if let known = catalogue.definition(for: observation.metric) { return known }
        return MetricCatalogue.ambiguity(of: observation.metric)?.meaning(in: observation.unit, catalogue)
    }

    private func check(_ time: Timestamp, of located: ParsedObservation, now: Timestamp) throws(PayloadError) {
        if time > now.advanced(bySeconds: futureTolerance) {
            throw PayloadError(
                .implausibleTime, "the time lies more than \(Int(futureTolerance)) s in the future", offset: Int(located.offsets.time),
                path: located.path("time"))
        }
        if time < Normaliser.earliest {
            throw PayloadError(
                .implausibleTime, "the time lies before 1900", offset: Int(located.offsets.time), path: located.path("time"))
        }
    }

    /// - Parameter length: of a block of samples, in seconds. One without a time of its own begins when it came, so that a day is allowed besides; one that
    /// goes on for years would be measured by nobody, and be kept in as many months.
    private func checkEnd(_ length: Double, of located: ParsedObservation, now: Timestamp) throws(PayloadError) {
        guard located.observation.time.seconds + length > now.seconds + futureTolerance + 86_400 else { return }
        throw PayloadError(
            .implausibleTime, "the samples go on for more than a day into the future", offset: Int(located.offsets.content),
            path: located.path("period"))
    }

    private func checkUnknown(_ located: ParsedObservation) throws(PayloadError) {
        let offset = Int(located.offsets.metric), path = located.path("metric")
        // Also where unknown metrics are kept: what is kept under such a name is charted and judged as nothing.
        if let ambiguity = MetricCatalogue.ambiguity(of: located.observation.metric) {
            throw PayloadError(.unknownMetric, ambiguity.reason(located.observation.metric), offset: offset, path: path)
        }
        guard acceptsUnknownMetrics else {
            throw PayloadError(
                .unknownMetric,
                "the metric is not in the catalogue; "
                    + (catalogue.suggestion(for: located.observation.metric).map { "did you mean \($0)?" }
                        ?? "vigil metrics lists it, and the operator can allow unknown metrics"),
                offset: offset, path: path)
        }
        guard Name.isValid(located.observation.metric) else {
            throw PayloadError(
                .unknownMetric, "a metric's name must be 1 to 64 of A-Z a-z 0-9 _ . -", offset: offset, path: path)
        }
    }

    /// Of a metric without a plausible range of its own.
    private func checkNumbers(_ located: ParsedObservation) throws(PayloadError) {
        switch located.observation.content {
        case .value(let value): try check(value, at: nil, of: located, range: nil)
        case .samples(let samples, _):
            guard let bad = samples.firstIndex(where: { !Observation.numbers.contains($0) }) else { return }
            try check(samples[bad], at: bad, of: located, range: nil)
        case .text: return
        }
    }

    private func convert(
        _ content: Observation.Content, of located: ParsedObservation, _ metric: MetricDefinition
    ) throws(PayloadError) -> Observation.Content {
        switch content {
        case .text(let text):
            try check(text, of: located, metric)
            return content
        case .value(let value):
            let conversion = try conversion(of: located, metric)
            if conversion == nil { try checkGlucose(value, of: located, metric) }
            let value = conversion.map { $0(value) } ?? value
            try check(value, at: nil, of: located, range: metric)
            return .value(value)
        case .samples(var samples, let period):
            guard metric.kind != .text else { throw wrongKind(located, metric) }
            if let conversion = try conversion(of: located, metric) {
                for index in samples.indices { samples[index] = conversion(samples[index]) }
            }
            let range = metric.plausible ?? Observation.numbers
            if let bad = samples.firstIndex(where: { !range.contains($0) }) {
                try check(samples[bad], at: bad, of: located, range: metric)
            }
            return .samples(samples, period: period)
        }
    }

    /// Refuses a glucose without a unit that may be in either: 12.5 mg/dL is a danger of death, and 12.5 mmol/L far too much.
    private func checkGlucose(_ value: Double, of located: ParsedObservation, _ metric: MetricDefinition) throws(PayloadError) {
        guard (10..<36).contains(value), located.observation.unit.isEmpty, UnitConversion.glucose.contains(metric.name) else { return }
        // A mapped message has places, and no bytes.
        let offset = if case .place = located.notation { nil as Int? } else { Int(located.offsets.unit) as Int? }
        throw PayloadError(
            .unknownUnit,
            "a glucose between 10 and 36 without its unit may be in mg/dL or in mmol/L: send the unit beside it, or say which in a mapping",
            offset: offset, path: located.path("unit"))
    }

    /// Nil where the value is in the canonical unit already, which is the usual case.
    private func conversion(of located: ParsedObservation, _ metric: MetricDefinition) throws(PayloadError) -> UnitConversion? {
        guard metric.kind != .text else { throw wrongKind(located, metric) }
        let unit = located.observation.unit
        if unit.isEmpty || unit == metric.unit { return nil }
        guard let conversion = UnitConversion.from(unit, to: metric) else {
            throw PayloadError(
                .unknownUnit, "the unit does not fit \(metric.name), which is kept in \(metric.unit)", offset: Int(located.offsets.unit),
                path: located.path("unit"))
        }
        return conversion
    }

    /// - Parameter metric: the metric whose range holds; nil: one that the catalogue lacks.
    private func check(
        _ value: Double, at sample: Int?, of located: ParsedObservation, range metric: MetricDefinition?
    ) throws(PayloadError) {
        let path = located.path(sample.map { "samples[\($0)]" } ?? "value")
        guard value.isFinite else {
            throw PayloadError(.notFinite, "the value is not finite", offset: Int(located.offsets.content), path: path)
        }
        guard Observation.numbers.contains(value) else {
            throw PayloadError(
                .implausible, "no quantity has a number beyond 1e140", offset: Int(located.offsets.content), path: path)
        }
        guard let metric, let range = metric.plausible, !range.contains(value) else { return }
        throw PayloadError(
            .implausible,
            "\(metric.name) lies outside \(range.lowerBound.formattedBound)…\(range.upperBound.formattedBound) \(metric.unit)",
            offset: Int(located.offsets.content), path: path)
    }

    private func check(_ text: String, of located: ParsedObservation, _ metric: MetricDefinition) throws(PayloadError) {
        guard metric.kind == .text else { throw wrongKind(located, metric) }
        guard metric.vocabulary.isEmpty || metric.vocabulary.contains(text) else {
            throw PayloadError(
                .implausible, "\(metric.name) is none of \(metric.vocabulary.joined(separator: ", "))",
                offset: Int(located.offsets.content), path: located.path("text"))
        }
    }

    private func wrongKind(_ located: ParsedObservation, _ metric: MetricDefinition) -> PayloadError {
        let wanted = metric.kind == .text ? "a text" : "a number or samples"
        // A word has no number that could alarm, and only the sender knows the sensor's range.
        let advice = UnitConversion.glucose.contains(metric.name) ? "; for LO or HI, the first whole number beyond the sensor's range" : ""
        return PayloadError(
            .wrongType, "\(metric.name) takes \(wanted)\(advice)", offset: Int(located.offsets.content), path: located.path(""))
    }
}

extension Double {
    /// A bound of a plausible range, without a needless `.0`.
    fileprivate var formattedBound: String { self == rounded() ? String(Int(self)) : description }
}
