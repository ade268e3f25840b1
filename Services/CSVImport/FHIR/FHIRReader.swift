import VigilSchema

/// Reads FHIR R4: a Bundle, a resource per line, or one resource. Observations become readings; conditions, allergies,
/// medicines, vaccinations, procedures and encounters become entries; a Patient names the person and fills the profile.
///
/// Vigil's own exports have identities as identifiers (`urn:vigil:…`) and are restored unchanged.
struct FHIRReader: ReadingReader {
    private static let blockSize = 1024

    private var scanner: JSONScanner
    var collector: ReadingCollector
    private var times: TimeParser
    let options: ImportOptions
    private let fallback: String?
    private let now: Timestamp
    /// Participants by references to them.
    private var patients: [String: String] = [:]
    private var isInList = false
    private var ignored: [String: Int] = [:]
    /// In a survey of units: the numbers without a unit, by metric.
    private let asks: Bool
    var statistics: [String: UnitStatistics] = [:]

    init(
        _ source: any ByteSource, survey: FileSurvey, path: String, options: ImportOptions, keepsHistory: Bool, asks: Bool = false,
        now: Timestamp
    ) throws(ImportError) {
        self.asks = asks
        scanner = JSONScanner(source, name: path)
        collector = ReadingCollector(keepsHistory: keepsHistory, now: now)
        times = try TimeParser(
            TimeFormat.iso8601 + [.pattern("yyyy-MM"), .pattern("yyyy")], zone: options.zone.flatMap(WearerZone.init))
        self.options = options
        self.now = now
        fallback = survey.profile.participant.name(inPath: path)
    }

    var subjects: [Subjects.Subject] { collector.allSubjects }
    var metrics: [MetricPlan] { collector.metrics }
    var account: CellCounts { collector.account }
    var offset: Int { scanner.offset }
    var questions: [UnitStatistics] { statistics.sorted { $0.key < $1.key }.map(\.value) }
    var notes: [String] {
        ignored.isEmpty ? [] : ["left out: " + ignored.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")]
    }

    mutating func fill(_ block: inout ReadingBlock) throws -> Bool {
        block.removeAll()
        while block.count < FHIRReader.blockSize, block.rejects.count < FHIRReader.blockSize {
            guard let resource = try next() else { return false }
            if !asks { try take(resource, &block) } else if objection(toPatientOf: resource) == nil { ask(resource) }
        }
        return true
    }

    // MARK: Resources

    /// The next resource: an element of a Bundle's entries or of a list, or a document of its own.
    private mutating func next() throws(ImportError) -> JSONNode? {
        while true {
            _ = try scanner.take(UInt8(ascii: ","))
            if isInList {
                if try scanner.take(UInt8(ascii: "]")) {
                    isInList = false
                    try leaveBundle()
                    continue
                }
                let element = try scanner.value()
                if let resource = element["resource"], resource.isObject {
                    if let url = element["fullUrl"]?.text, let name = patientName(resource) { patients[url] = name }
                    return resource
                }
                return element
            }
            guard let byte = try scanner.peek() else { return nil }
            if byte == UInt8(ascii: "[") {
                _ = try scanner.take(byte)
                isInList = true
                isInArray = true
                continue
            }
            guard try scanner.take(UInt8(ascii: "{")) else { throw scanner.malformed("a resource is missing") }
            if let resource = try document() { return resource }
        }
    }

    private var isInArray = false

    /// Reads an object's members; of a Bundle only up to its entries, which follow one by one.
    private mutating func document() throws(ImportError) -> JSONNode? {
        var members: [JSONMember] = []
        while try !scanner.take(UInt8(ascii: "}")) {
            let name = try scanner.string()
            try scanner.need(UInt8(ascii: ":"))
            if name == "entry", try scanner.peek() == UInt8(ascii: "["), !members.contains(where: { $0.name == "code" }) {
                _ = try scanner.take(UInt8(ascii: "["))
                (isInList, isInArray) = (true, false)
                return nil
            }
            members.append(JSONMember(name: name, value: try scanner.value()))
            _ = try scanner.take(UInt8(ascii: ","))
        }
        let resource = JSONNode.object(members)
        return resource["resourceType"]?.text == "Bundle" ? nil : resource
    }

    /// Skips a Bundle's members after its entries.
    private mutating func leaveBundle() throws(ImportError) {
        if isInArray { return isInArray = false }
        while try !scanner.take(UInt8(ascii: "}")) {
            if try scanner.take(UInt8(ascii: ",")) { continue }
            _ = try scanner.string()
            try scanner.need(UInt8(ascii: ":"))
            _ = try scanner.value()
        }
    }

    private mutating func take(_ resource: JSONNode, _ block: inout ReadingBlock) throws {
        collector.account.rows += 1
        let type = resource["resourceType"]?.text ?? ""
        let place = ReadingCollector.Origin(
            line: scanner.line, offset: scanner.offset, path: "\(type)/\(resource["id"]?.text ?? "?")", original: resource.json)
        if let words = objection(toPatientOf: resource) { return collector.refuse(words, place, &block) }
        if let record = fhirExtension(resource, "urn:vigil:record")?["valueString"]?.text {
            return restore(record, resource, place, &block)
        }
        if let word = FHIRStatus.objection(resource, type) {
            ignored["\(type) (\(word))", default: 0] += 1
            return collector.account.ignored += 1
        }
        switch type {
        case "Patient": patient(resource, &block)
        case "Observation" where FHIREntry.isEntry(resource): entry(resource, FHIREntry.kind(ofObservation: resource), place, &block)
        case "Observation": try observation(resource, place, &block)
        default:
            guard let kind = FHIREntry.kind(of: type) else {
                ignored[type.isEmpty ? "objects without a resourceType" : type, default: 0] += 1
                collector.account.ignored += 1
                return
            }
            entry(resource, kind, place, &block)
        }
    }

    /// A resource of Vigil's own with more than FHIR has members for.
    private mutating func restore(
        _ record: String, _ resource: JSONNode, _ place: ReadingCollector.Origin, _ block: inout ReadingBlock
    ) {
        let own = patientName(resource)
        if let own, let id = resource["id"]?.text { patients["Patient/\(id)"] = own }
        let name = options.participant ?? own ?? participant(resource)
        guard Name.isValid(name) else { return collector.refuse("it does not say whose it is: give --participant", place, &block) }
        do {
            block.records.append((name, try TimelineRecord(json: record, of: name)))
            collector.account.accepted += 1
        } catch {
            collector.refuse(error.message, place, &block)
        }
    }

    // MARK: Patients

    /// The reason why a resource is not of the patient whose alone are taken; nil: it is, or it is nobody's.
    private func objection(toPatientOf resource: JSONNode) -> String? {
        guard let patient = options.patient else { return nil }
        let type = resource["resourceType"]?.text ?? ""
        if type == "Patient" { return resource["id"]?.text == patient ? nil : "it is another patient" }
        guard let reference = (resource.at("subject", "reference") ?? resource.at("patient", "reference"))?.text else {
            let isOfSomebody =
                type == "Observation" || FHIREntry.kind(of: type) != nil || fhirExtension(resource, "urn:vigil:record") != nil
            return isOfSomebody ? "it does not say whose it is" : nil
        }
        // `https://…/Patient/1/_history/2`
        let parts = reference.split(separator: "/").prefix { $0 != "_history" }
        return parts.suffix(2) == ["Patient", patient[...]] ? nil : "it is of another patient than the one that is asked for"
    }

    private func patientName(_ resource: JSONNode) -> String? {
        guard resource["resourceType"]?.text == "Patient" else { return nil }
        let own = resource["identifier"]?.elements.first { $0["system"]?.text == "urn:vigil:participant" }?["value"]?.text
        return own ?? resource["id"]?.text
    }

    private mutating func patient(_ resource: JSONNode, _ block: inout ReadingBlock) {
        guard let name = patientName(resource), Name.isValid(options.participant ?? name) else { return collector.account.ignored += 1 }
        if let id = resource["id"]?.text { patients["Patient/\(id)"] = name }
        var profile = ParticipantProfile()
        let human = resource["name"]?.elements.first
        profile.first = human?["given"]?.elements.first?.text
        profile.last = human?["family"]?.text
        profile.birthDate = resource["birthDate"]?.text.flatMap { $0.count == 10 ? $0 : nil }
        profile.sex = resource["gender"]?.text.flatMap { ParticipantProfile.Sex(rawValue: $0) }
        collector.account.accepted += 1
        block.profiles.append((options.participant ?? name, profile))
    }

    private func participant(_ resource: JSONNode) -> String {
        if let said = options.participant { return said }
        let reference = resource.at("subject", "reference")?.text ?? resource.at("patient", "reference")?.text ?? ""
        if let known = patients[reference] { return known }
        let last = reference.split(whereSeparator: { $0 == "/" || $0 == ":" }).last.map(String.init)
        return last ?? fallback ?? ""
    }

    // MARK: Observations

    private mutating func observation(_ resource: JSONNode, _ place: ReadingCollector.Origin, _ block: inout ReadingBlock) throws {
        let own = FHIRIdentity(resource)
        guard var time = own?.time ?? start(resource) else {
            return collector.refuse("it has no effective time, or one that cannot be read", place, &block)
        }
        if own != nil, let local = start(resource) {
            // Vigil exports a time with an unknown zone in UTC.
            let isUTC = (resource["effectiveDateTime"] ?? resource.at("effectivePeriod", "start"))?.text?.hasSuffix("Z") ?? false
            time.zone = isUTC ? ParsedTime.noZone : local.zone
        }
        let interval = own?.interval ?? interval(resource, from: time)
        let device = own?.source ?? resource.at("device", "display")?.text ?? options.source ?? "fhir"
        let parts = resource["component"]?.elements ?? []
        let hasValue = FHIRValue(resource) != nil
        let (first, refused) = (block.readings.count, block.rejects.count)
        // Vigil's own observations are restored unchanged.
        defer { if own == nil, parts.count > 1 { checkPressure(from: first, refused: refused, place, &block) } }
        for part in (hasValue || parts.isEmpty ? [resource] : []) + parts {
            if part["dataAbsentReason"] != nil, parts.count > 1 || own != nil && fhirExtension(part, "urn:vigil:text") == nil {
                collector.account.empty += 1
                continue
            }
            guard let value = FHIRValue(part, isOwn: own != nil) else {
                collector.refuse(FHIRValue.objection(part), place, &block)
                continue
            }
            // Each part of a panel in a Vigil export has its own identity, or none.
            let identity = FHIRIdentity(part) ?? (parts.isEmpty ? own : nil)
            guard let metric = identity?.metric ?? FHIRCode(part["code"]).metric else {
                collector.refuse("its code is not known and it has no name", place, &block)
                continue
            }
            if let own, let received = resource["issued"]?.text.flatMap({ times.parse($0) }) {
                keep(metric, value, own, resource, received, interval, time, place, &block)
                continue
            }
            let item = ReadingCollector.Item(
                metric: metric, content: value.content, unit: own == nil ? unit(of: value, part, metric) : value.unit,
                time: identity?.time.map { ParsedTime(microseconds: $0.microseconds, zone: time.zone) } ?? time,
                interval: interval, sequence: (identity ?? own)?.sequence)
            try collector.add(
                item, participant: own?.participant ?? participant(resource), source: options.source ?? device,
                session: own?.session ?? options.session,
                at: place, to: &block)
        }
    }

    /// Restores one of Vigil's own observations.
    private mutating func keep(
        _ metric: String, _ value: FHIRValue, _ own: FHIRIdentity, _ resource: JSONNode, _ received: ParsedTime, _ interval: Int32,
        _ time: ParsedTime, _ place: ReadingCollector.Origin, _ block: inout ReadingBlock
    ) {
        let name = options.participant ?? own.participant
        guard Name.isValid(name), Name.isValid(metric) else { return collector.refuse("its identity is none of Vigil's", place, &block) }
        if let reason = ReadingCollector.implausibility(value.content, MetricCatalogue.standard.definition(named: metric)) {
            return collector.refuse(reason, place, &block)
        }
        let definition = MetricCatalogue.standard.definition(named: metric)
        let unit = value.unit.isEmpty ? fhirExtension(resource, "urn:vigil:unit")?["valueString"]?.text ?? "" : value.unit
        let observation = Observation(
            metric: metric, time: Timestamp(microseconds: time.microseconds), sequence: own.sequence,
            interval: value.content.isBlock ? 0 : interval, content: value.content, unit: unit.isEmpty ? definition?.unit ?? "1" : unit,
            zone: time.zone == ParsedTime.noZone ? nil : time.zone)
        collector.account.accepted += 1
        block.add(
            observation,
            of: ObservationGroup(
                participant: name, source: options.source ?? own.source, session: options.session ?? own.session,
                received: min(Timestamp(microseconds: received.microseconds), now), observations: []))
    }

    private mutating func start(_ resource: JSONNode) -> ParsedTime? {
        let text =
            resource["effectiveDateTime"]?.text ?? resource.at("effectivePeriod", "start")?.text ?? resource["effectiveInstant"]?.text
            ?? resource["issued"]?.text
        return text.flatMap { times.parse($0) }
    }

    private mutating func interval(_ resource: JSONNode, from start: ParsedTime) -> Int32 {
        guard let end = resource.at("effectivePeriod", "end")?.text.flatMap({ times.parse($0, endOf: start) }) else { return 0 }
        let seconds = (end.microseconds - start.microseconds) / 1_000_000
        return seconds > 0 && seconds <= Int64(Observation.longestInterval) ? Int32(seconds) : 0
    }

    // MARK: Entries

    private mutating func entry(
        _ resource: JSONNode, _ kind: TimelineEntry.Kind, _ place: ReadingCollector.Origin, _ block: inout ReadingBlock
    ) {
        let name = participant(resource)
        guard Name.isValid(name) else { return collector.refuse("it does not say whose it is: give --participant", place, &block) }
        let fields = FHIREntry(resource, kind)
        guard let time = fields.starts.flatMap({ times.parse($0) }) else {
            return collector.refuse("it has no time that can be read", place, &block)
        }
        guard let description = fields.description else { return collector.refuse("it has neither a name nor a code", place, &block) }
        let ends = fields.ends.flatMap { times.parse($0, endOf: time) }.map { Timestamp(microseconds: $0.microseconds) }
        let entry = TimelineEntry(
            id: fields.id, kind: fields.kind, time: Timestamp(microseconds: time.microseconds),
            ends: ends.flatMap { $0.microseconds < time.microseconds ? nil : $0 }, description: description.kept(characters: 500),
            value: fields.value,
            text: fields.text, unit: fields.unit, codes: fields.codes, detail: fields.detail)
        do {
            try entry.validate()
            collector.account.accepted += 1
            block.entries.append((name, entry))
        } catch {
            collector.refuse(error.reason, place, &block)
        }
    }
}
