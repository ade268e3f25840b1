import VigilSchema

/// Turns SenML records into observations, one after the other, carrying the base fields along (RFC 8428, section 4).
///
/// A record that is wrong is refused by itself. A base field or a version that is wrong refuses the pack, because every
/// record behind it would be wrong without showing it.
struct SenMLResolver {
    let catalogue: MetricCatalogue
    /// The moment that "now" stands for.
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
        if let name = record.baseName {
            guard name.utf8.count <= SenMLName.longest else { throw refusal(.tooLarge, SenMLName.tooLong, record, .baseName) }
            baseName = name
        }
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

    private mutating func observation(_ record: SenMLRecord) throws(SenMLRecord.Refusal) -> ParsedObservation {
        if let refusal = record.refusal { throw refusal }
        let name = try name(record)
        let (content, label) = try content(record)
        let metric = SenMLName.metric(of: name, in: catalogue)
        if label == .boolean, let definition = catalogue.definition(for: metric), definition.unit != "1" {
            throw refusal(.wrongType, "a number is expected: true and false are no value of a metric with a unit", record, .boolean)
        }
        let unit = record.unit ?? baseUnit
        let observation = Observation(
            metric: metric, time: try time(record), content: content, unit: unit.map(SenMLUnit.ucum) ?? "")
        var located = ParsedObservation(
            observation, offsets: record.offsets(content: label), index: index, notation: .senml(value: label.key))
        located.part = SenMLName.part(of: name, metric: metric)
        return located
    }

    private func name(_ record: SenMLRecord) throws(SenMLRecord.Refusal) -> String {
        let name = record.name.map { baseName + $0 } ?? baseName
        guard !name.isEmpty else { throw refusal(.missing, "the name is missing; n or bn gives it", record, nil) }
        guard name.utf8.count <= SenMLName.longest else { throw refusal(.tooLarge, SenMLName.tooLong, record, record.nameLabel) }
        guard SenMLName.isValid(name) else {
            throw refusal(.malformed, "a name holds A-Z a-z 0-9 - : . / _ and starts with a letter or digit", record, record.nameLabel)
        }
        guard !name.hasSuffix(":"), !name.hasSuffix("/") else {
            throw refusal(.missing, "the name ends where a metric is expected", record, record.nameLabel)
        }
        return name
    }

    private func content(_ record: SenMLRecord) throws(SenMLRecord.Refusal) -> (Observation.Content, SenMLLabel) {
        if record.value == nil, record.has(.sum) || hasBaseSum {
            throw refusal(.unsupported, "a sum (s, bs) without a value is not kept; send values (v)", record, record.has(.sum) ? .sum : nil)
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
    private mutating func time(_ record: SenMLRecord) throws(SenMLRecord.Refusal) -> Timestamp {
        let time = baseTime + (record.time ?? 0)
        let isRelative = time < 1 << 28 * 1_000_000
        if isRelative { readings.isStamped = true }
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

/// The mapping of SenML names to metrics.
enum SenMLName {
    /// In bytes: a base name is part of every record's name behind it, and very many would be made of a very long one.
    static let longest = 1024
    static let tooLong: StaticReason = "the name is longer than 1024 bytes"

    /// RFC 8428, section 4.5.1.
    static func isValid(_ name: String) -> Bool {
        guard let first = name.utf8.first, isAlphanumeric(first) else { return false }
        return name.utf8.allSatisfy { byte in
            isAlphanumeric(byte) || byte == 0x2D || byte == 0x3A || byte == 0x2E || byte == 0x2F || byte == 0x5F
        }
    }

    /// The metric that a name means: the name itself where the catalogue has it, else what stands behind its last slash or
    /// colon (`urn:dev:ow:10e2073a01080063:heart-rate`), else behind its last underscore (RFC 9039 puts a device's parts there).
    static func metric(of name: String, in catalogue: MetricCatalogue) -> String {
        if catalogue.definition(named: name) != nil { return name }
        let segment = name.split { $0 == "/" || $0 == ":" }.last ?? ""
        let part = segment.split(separator: "_", omittingEmptySubsequences: false).last.map(String.init)
        guard catalogue.definition(named: String(segment)) == nil, let part, catalogue.definition(named: part) != nil else {
            return String(segment)
        }
        return part
    }

    /// The part of the device that measured: the name before the metric, as `urn:dev:ow:10e2073a01080063`; nil where there is none. Of a very
    /// long one the end, which tells it apart.
    static func part(of name: String, metric: String) -> String? {
        let bare = name.dropLast(metric.utf8.count)
        guard let last = bare.lastIndex(where: { $0 != ":" && $0 != "/" && $0 != "_" }) else { return nil }
        return String(bare[...last].suffix(128))
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}

/// SenML's unit symbols in UCUM.
///
/// Sources: RFC 8428 section 12.1, RFC 8798 (new primary and secondary units), UCUM 2.1. A symbol that is not in the tables
/// goes on as it is: devices that say `mm[Hg]`, which SenML lacks, are understood.
enum SenMLUnit {
    /// The UCUM unit of a SenML symbol.
    static func ucum(_ symbol: String) -> String {
        // The usual ones are the same in both.
        different[symbol] ?? symbol
    }

    /// The symbols that UCUM writes otherwise. SenML's `%` is a ratio of 0 to 1 (section 12.1, note 2); percent is `/100`.
    private static let different: [String: String] = [
        "C": "A.s", "F": "A.s/V", "l": "L", "l/s": "L/s", "/": "1", "%": "1", "count": "1", "beats": "1", "beat/min": "/min",
        "1/min": "/min", "1/s": "/s", "lat": "deg", "lon": "deg", "pH": "[pH]", "dB": "dB", "dBW": "dB[W]", "Bspl": "B[SPL]",
        "%RH": "%{RH}", "%EL": "%{EL}", "EL": "s{EL}", "B": "By", "VA": "V.A", "VAs": "V.A.s", "var": "V.A{reactive}",
        "vars": "V.A.s{reactive}", "kVA": "kV.A", "kvar": "kV.A{reactive}", "Ah": "A.h", "Wh": "W.h", "kWh": "kW.h",
        "varh": "V.A.h{reactive}", "kvarh": "kV.A.h{reactive}", "kVAh": "kV.A.h", "Wh/km": "W.h/km", "KiB": "KiBy", "GB": "GBy",
        "B/s": "By/s", "MB/s": "MBy/s", "dBm": "dB[mW]", "ppm": "[ppm]", "/100": "%", "/1000": "[ppth]", "NTU": "{NTU}",
    ]
}
