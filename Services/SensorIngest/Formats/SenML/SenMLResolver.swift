import VigilSchema

/// Turns SenML records into observations, one after the other, carrying the base fields along (RFC 8428, section 4).
///
/// A record that is wrong is refused by itself. A base field or a version that is wrong refuses the pack, because every
/// record behind it would be wrong without showing it.
struct SenMLResolver {
    let catalogue: MetricCatalogue
    /// What "now" means.
    let received: Timestamp
    private var baseName = ""
    private var baseTime: Int64 = 0
    private var baseUnit: String?
    private var baseValue: Double?
    private var hasBaseSum = false
    private var version: Int?
    private(set) var readings = DecodedReadings()
    private var index = 0

    init(catalogue: MetricCatalogue, received: Timestamp) {
        self.catalogue = catalogue
        self.received = received
    }

    /// Takes the pack's next record.
    mutating func add(_ record: SenMLRecord) throws(PayloadError) {
        defer { index += 1 }
        if let refusal = record.refusal, refusal.label?.isBase ?? false { throw error(refusal) }
        do {
            try adopt(record)
        } catch {
            throw self.error(error)
        }
        // A record of base fields alone only sets them.
        guard record.hasRegularFields || record.refusal != nil else { return }
        do {
            readings.readings.append(try observation(record))
        } catch {
            readings.refusals.append(self.error(error))
        }
    }

    /// More records in a pack are refused.
    func checkCount(at offset: Int) throws(PayloadError) {
        guard index < ReadingDecoder.maximumReadings else {
            throw PayloadError(.tooLarge, "more than 100000 records in one pack", offset: offset)
        }
    }

    private mutating func adopt(_ record: SenMLRecord) throws(SenMLRecord.Refusal) {
        if let name = record.baseName { baseName = name }
        if let time = record.baseTime { baseTime = time }
        if let unit = record.baseUnit { baseUnit = unit }
        if let value = record.baseValue { baseValue = value }
        if record.has(.baseSum) { hasBaseSum = true }
        guard let given = record.version else { return }
        guard SenMLVersion.isUnderstood(given) else {
            throw refusal(.unsupported, "the version is newer than 10, with features that are not known", record, .baseVersion)
        }
        guard version == nil || version == given else {
            throw refusal(.conflicting, "the version changes within the pack", record, .baseVersion)
        }
        version = given
    }

    private func observation(_ record: SenMLRecord) throws(SenMLRecord.Refusal) -> ParsedObservation {
        if let refusal = record.refusal { throw refusal }
        let name = try name(record)
        let (content, label) = try content(record)
        let metric = SenMLName.metric(of: name, in: catalogue)
        let unit = record.unit ?? baseUnit
        let observation = Observation(
            metric: metric, time: try time(record), content: content, unit: unit.map(SenMLUnit.ucum) ?? "")
        return ParsedObservation(
            observation, offsets: record.offsets(content: label), index: index, notation: .senml(value: label.key))
    }

    private func name(_ record: SenMLRecord) throws(SenMLRecord.Refusal) -> String {
        let name = record.name.map { baseName + $0 } ?? baseName
        guard !name.isEmpty else { throw refusal(.missing, "the name is missing; n or bn gives it", record, nil) }
        guard SenMLName.isValid(name) else {
            throw refusal(.malformed, "a name holds A-Z a-z 0-9 - : . / _ and starts with a letter or digit", record, record.nameLabel)
        }
        guard !name.hasSuffix(":"), !name.hasSuffix("/") else {
            throw refusal(.missing, "the name ends where a metric is expected", record, record.nameLabel)
        }
        return name
    }

    private func content(_ record: SenMLRecord) throws(SenMLRecord.Refusal) -> (Observation.Content, SenMLLabel) {
        if record.has(.sum) || hasBaseSum {
            throw refusal(.unsupported, "sums (s and bs) are not kept; send values (v)", record, record.has(.sum) ? .sum : nil)
        }
        if record.has(.data) { throw refusal(.unsupported, "data (vd) holds no reading; send v, vs or vb", record, .data) }
        switch (record.value, record.text, record.boolean) {
        case (let value?, nil, nil): return (.value(try finite(value + (baseValue ?? 0), record)), .value)
        case (nil, let text?, nil): return (.text(text), .text)
        case (nil, nil, let boolean?): return (.value(boolean ? 1 : 0), .boolean)
        case (nil, nil, nil):
            guard let baseValue else { throw refusal(.missing, "one of v, vs and vb is needed", record, nil) }
            return (.value(baseValue), .value)
        default: throw refusal(.conflicting, "only one of v, vs, vb and vd may be there", record, nil)
        }
    }

    private func finite(_ value: Double, _ record: SenMLRecord) throws(SenMLRecord.Refusal) -> Double {
        guard value.isFinite else { throw refusal(.notFinite, "the base value and the value add up to no finite number", record, .value) }
        return value
    }

    /// Below 2^28 seconds a time is relative to now (section 4.5.3).
    private func time(_ record: SenMLRecord) throws(SenMLRecord.Refusal) -> Timestamp {
        let time = baseTime + (record.time ?? 0)
        let isRelative = time < 1 << 28 * 1_000_000
        let absolute = isRelative ? received.microseconds + time : time
        guard absolute.magnitude <= SenMLNumber.largestTime else {
            throw refusal(.implausibleTime, "the time lies outside the years 1 to 9999", record, .time)
        }
        return Timestamp(microseconds: absolute)
    }

    private func refusal(
        _ code: PayloadError.Code, _ reason: StaticReason, _ record: SenMLRecord, _ label: SenMLLabel?
    ) -> SenMLRecord.Refusal {
        .init(code: code, reason: reason, offset: record.offset(of: label), label: label)
    }

    private func error(_ refusal: SenMLRecord.Refusal) -> PayloadError {
        let field = refusal.label.map { "." + $0.key } ?? ""
        return PayloadError(refusal.code, refusal.reason.text, offset: refusal.offset, path: "$[\(index)]\(field)")
    }
}
