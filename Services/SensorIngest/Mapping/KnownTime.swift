import VigilSchema

/// The time that an object brings under a name that usually means one, for mappings that take every known name: where none of the places is there
/// that the mapping declares.
///
/// A time that is there and not read would make what was measured long ago a value of now. So what looks like one, and cannot be read, is an objection.
struct KnownTime: Sendable {
    /// A moment, or an interval where there is an end.
    struct Span: Sendable {
        let start: MappingValue
        let end: MappingValue?
    }

    /// The moment of measuring, and its place among the names.
    private var moment: (value: MappingValue, rank: Int)?
    private var start: MappingValue?
    private var end: MappingValue?
    /// The key whose time cannot be read.
    private var unread: String?

    /// Nil where nothing in the object is a time.
    init?(_ members: [MappingValue.Member], _ format: MappingTime) {
        for member in members where member.key != MappingValue.parentKey { take(member, format) }
        if moment == nil, start == nil, end == nil, unread == nil { takeEnvelope(members, format) }
        if moment == nil, start == nil, end == nil, unread == nil { return nil }
    }

    private mutating func take(_ member: MappingValue.Member, _ format: MappingTime) {
        let key = member.key.text
        guard key.utf8.count <= Name.maximumLength, !member.value.isBlank else { return }
        if case .boolean = member.value { return }
        switch TimeName(key) {
        case .moment(let rank)?:
            if rank < moment?.rank ?? .max { moment = (member.value, rank) }
        case .start? where Self.isTime(member.value, format): start = start ?? member.value
        case .end? where Self.isTime(member.value, format): end = end ?? member.value
        case .foreign?: unread = unread ?? key
        case .start?, .end?: break
        case nil: if unread == nil, TimeName.isUnread(key, member.value, format), KnownName(key) == nil { unread = key }
        }
    }

    /// What was wrapped around the values: `meta: {timestamp: …}`.
    private mutating func takeEnvelope(_ members: [MappingValue.Member], _ format: MappingTime) {
        for member in members where TimeName.envelopes.contains(KnownName.bare(member.key.text)) {
            guard case .object(let inner) = member.value else { continue }
            for member in inner { take(member, format) }
        }
    }

    /// A Boolean value that indicates whether it names both ends of an interval.
    var isInterval: Bool { start != nil && end != nil }

    /// The time of what is told for a moment, or counted over an interval.
    /// - Throws: `PayloadError` where it is not known, in words.
    func span(isCount: Bool) throws(PayloadError) -> Span {
        if isCount, let start, let end { return Span(start: start, end: end) }
        if let moment { return Span(start: moment.value, end: nil) }
        if let start, let end { return Span(start: start, end: end) }
        guard let one = start ?? end else {
            let key = "the key \"\(unread ?? "")\" tells of a time that is not read"
            throw PayloadError(
                .implausibleTime, key + ", so it is not known when this was measured: name it timestamp, or say so in a mapping")
        }
        guard !isCount else {
            throw PayloadError(.implausibleTime, "what is counted needs the start and the end of its interval, and one of them is missing")
        }
        return Span(start: one, end: nil)
    }

    /// Returns whether it is a time that can be: small numbers under such names mean other things.
    private static func isTime(_ value: MappingValue, _ format: MappingTime) -> Bool {
        format.moment(value).map { $0.time >= MappingTime.earliest } ?? false
    }
}

/// A key that means a time by its name, whatever its case and punctuation.
enum TimeName {
    /// The moment of measuring; the lower the rank, the surer.
    case moment(rank: Int)
    case start, end
    /// Of a format that is read otherwise, and would mean something else here.
    case foreign

    init?(_ key: String) {
        guard let name = Self.names[KnownName.bare(key)] else { return nil }
        self = name
    }

    /// Returns whether a key of no known name holds a time all the same: by its text, or by its name and a number of that size.
    static func isUnread(_ key: String, _ value: MappingValue, _ format: MappingTime) -> Bool {
        if value.number != nil {
            let name = KnownName.bare(key)
            guard ["time", "timestamp", "date", "epoch", "ts"].contains(where: { name.hasSuffix($0) }),
                let time = format.moment(value)?.time, time >= MappingTime.earliest, time.seconds < 4_102_444_800
            else { return false }
        } else {
            guard case .string(let text) = value, isDate(text) else { return false }
        }
        let name = KnownName.bare(key)
        return !others.contains { name.contains($0) }
    }

    /// Returns whether a text is a date with or without a time of day, as people write them.
    private static func isDate(_ text: String) -> Bool {
        guard (8...40).contains(text.utf8.count), text.utf8.count(where: { (0x30...0x39).contains($0) }) >= 5 else { return false }
        if text.prefixMatch(of: /\s*(?:\d{4}[-\/.]\d{1,2}[-\/.]\d{1,2}|\d{1,2}[-\/.]\d{1,2}[-\/.]\d{4})(?:[T ,]|$)/) != nil { return true }
        return text.prefixMatch(of: /(?:[A-Z][a-z]{2},? )?(?:\d{1,2} [A-Z][a-z]{2,8}|[A-Z][a-z]{2,8} \d{1,2}),? \d{4}/) != nil
    }

    /// Objects that say something of the whole message.
    static let envelopes: Set = ["meta", "metadata", "header", "head", "info", "context", "envelope", "source"]

    /// What is dated in a message, and no measurement.
    private static let others = [
        "birth", "dob", "expir", "due", "next", "firmware", "version", "build", "install", "warrant", "calibrat", "boot", "manufact",
        "product",
        "purchas", "valid", "sync", "seen", "connect", "charg", "login", "regist", "admi", "enrol", "uptime", "battery", "released",
    ]

    private static let names: [String: TimeName] = {
        let moments =
            "timestamp measuredat measurementtime measurementtimestamp measurementdatetime measurementdate measuredon measuretime measured time datetime "
            + "timestamps takenat recordedat recordedon recordtime recordingtime observedat observationtime observationdate sampletime sampledat "
            + "sampletimestamp samplingtime sampledate readingtime readingtimestamp readingdate readat collectedat capturedat effectivedatetime "
            + "effectivetime effectiveinstant eventtime eventtimestamp eventdate testtime testdate resulttime date datestring epoch epochtime epochms "
            + "epochmillis epochseconds unixtime unixtimestamp unixms unix timeutc utctime utctimestamp timelocal localtime ts tsms isotime isodate "
            + "timestampms timestamputc timestampmillis devicetime devicetimestamp sensortime createdat createdon creationtime created loggedat logtime "
            + "lastmeasured lastchanged lastupdated lastupdate updatedat updated receivedat sentat publishedat"
        let starts =
            "start starttime startdate startdatetime startedat starttimestamp startts from begin begintime begindate periodstart intervalstart "
            + "windowstart"
        let ends =
            "end endtime enddate enddatetime endedat endtimestamp endts to finish finishtime periodend intervalend windowend stop stoptime"
        let foreign = "effectivetimeframe descriptivestatistic effectivetiming effectiveperiod"
        var names: [String: TimeName] = [:]
        for (rank, name) in moments.split(separator: " ").enumerated() { names[String(name)] = .moment(rank: rank) }
        for name in starts.split(separator: " ") { names[String(name)] = .start }
        for name in ends.split(separator: " ") { names[String(name)] = .end }
        for name in foreign.split(separator: " ") { names[String(name)] = .foreign }
        return names
    }()
}

extension MappingValue {
    /// A Boolean value that indicates whether it says nothing: null, or empty.
    var isBlank: Bool {
        switch self {
        case .null: true
        case .string(let text): text.allSatisfy(\.isWhitespace)
        case .array(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        default: false
        }
    }
}
