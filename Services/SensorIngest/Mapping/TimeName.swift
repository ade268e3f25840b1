import VigilSchema

/// The meaning of a key that names a time, whatever its case and punctuation.
enum TimeName: Equatable {
    /// The moment of measuring; the lower the rank, the surer.
    case moment(rank: Int)
    case start, end
    /// Of a format that is read otherwise, and would mean something else here.
    case foreign

    /// A key that names a time and nothing else, so that any value under it must be one.
    init?(_ key: String) {
        guard let name = Self.names[KnownName.bare(key)] else { return nil }
        self = name
    }

    /// A key that names a time once the notation is taken from it: `measurementTimeInSeconds`, `time_ms`, `createdAtMs`, `Messzeitpunkt`.
    /// It counts only where its value is a time.
    init?(withNotation key: String) {
        let name = Self.stripped(key)
        guard let found = Self.names[name] ?? Self.translated[name] else { return nil }
        self = if case .moment(let rank) = found { .moment(rank: rank + Self.names.count) } else { found }
    }

    /// Returns whether a key names an identifier, a counter or a date of the device, whose numbers may be as large as a time.
    static func isOfDevice(_ key: String) -> Bool {
        let bare = KnownName.bare(key)
        if deviceDates.contains(where: { bare.contains($0) }) || identifierEndings.contains(where: { bare.hasSuffix($0) }) { return true }
        return KnownName.words(of: key).contains { identifiers.contains($0.lowercased()) }
    }

    /// What a name says of its time, the surer first.
    enum Weight: Int, Comparable {
        /// When it was measured.
        case measuring
        /// A time, and no more.
        case unsaid
        /// When it was sent, received or stored.
        case sending

        static func < (one: Weight, other: Weight) -> Bool { one.rawValue < other.rawValue }

        init(_ key: String) {
            let bare = KnownName.bare(key.lowercased())
            let says = { (stems: [String]) in stems.contains { bare.contains($0) } }
            self = says(Self.sendings) ? .sending : says(Self.measurings) ? .measuring : .unsaid
        }

        /// What a mapping reads under the name: an interval's start is as sure as a measurement's time.
        init(ofRead key: String) {
            self.init(key)
            if TimeName(key) == .start || TimeName(key) == .end { self = .measuring }
        }

        private static let measurings = [
            "measur", "taken", "sampl", "observ", "recorded", "recording", "captur", "collected", "acqui", "occur", "effective", "reading",
            "readat", "gemessen", "messzeit", "messdatum", "medicion", "medicao", "mesure", "misur", "pomiar", "измер", "测量", "測定", "측정",
        ]
        private static let sendings = [
            "receiv", "sent", "send", "publish", "upload", "updat", "modif", "sync", "lastseen", "lastcontact", "lastchanged", "logged",
            "logtime", "export", "process", "arriv", "ingest", "transmit", "forward", "server", "gateway",
        ]
    }

    /// Returns whether a key's words say that its time is that of measuring, though it is none of the usual names.
    static func saysMeasuring(_ key: String) -> Bool {
        let words = KnownName.words(of: key).map { $0.lowercased() }
        return Weight(key) == .measuring && !isOfDevice(key) && edges.isDisjoint(with: words)
    }

    private static let edges: Set = ["start", "begin", "from", "end", "stop", "until", "to", "first", "previous", "prev", "finish"]

    /// Returns whether a key says how a value is written, and not what it is.
    static func isNotation(_ key: String) -> Bool { KnownName.words(of: key).allSatisfy { notations.contains($0.lowercased()) } }

    /// Objects that say something of the whole message.
    static let envelopes: Set = ["meta", "metadata", "header", "head", "info", "context", "envelope", "source"]

    // MARK: - Notation

    private static func stripped(_ key: String) -> String {
        let words = KnownName.words(of: key).map { $0.lowercased() }.filter { !notations.contains($0) }
        var name = KnownName.bare(words.joined())
        if name.isEmpty { return "epoch" }
        while names[name] == nil, translated[name] == nil, let ending = endings.first(where: { name.hasSuffix($0) && name != $0 }) {
            name.removeLast(ending.count)
        }
        return name
    }

    /// Words that say how a time is written, and not what it is.
    private static let notations: Set = [
        "in", "ms", "msec", "millis", "millisecond", "milliseconds", "us", "micros", "microseconds", "ns", "nanos", "nanoseconds", "s",
        "sec", "secs", "second", "seconds", "utc", "gmt", "local", "tz", "iso", "iso8601", "unix", "epoch", "long", "str", "string",
        "value", "raw", "since", "1970",
    ]
    private static let endings = [
        "inmilliseconds", "inmillis", "inmicroseconds", "innanoseconds", "innanos", "inseconds", "inms", "milliseconds", "millis",
        "microseconds", "micros", "nanoseconds", "nanos", "seconds", "msec", "secs", "sec", "ms", "us", "ns", "utc", "gmt", "local", "unix",
        "epoch", "iso", "s",
    ]

    // MARK: - Names

    private static let identifiers: Set = [
        "id", "uid", "uuid", "guid", "imei", "imsi", "iccid", "mac", "serial", "sn", "ssid", "bssid", "address", "addr", "ip", "token",
        "hash", "crc", "checksum", "pin", "barcode", "ean", "gtin", "udi", "lot", "batch", "seq", "sequence", "fcnt", "counter", "count",
        "cnt", "bytes", "heap", "memory", "mem", "freq", "frequency", "hz", "baud", "phone", "tel", "mobile", "msisdn", "nonce", "seed",
        "random", "chip", "packet", "frame", "revision", "rev", "fw", "sw", "hw", "license", "licence", "ticks", "cycles",
    ]
    private static let identifierEndings = ["id", "uuid", "imei", "serialnumber", "serialno", "macaddress"]

    /// What is dated in a message, and no measurement.
    private static let deviceDates = [
        "birth", "dob", "expir", "due", "next", "firmware", "version", "build", "install", "warrant", "calibrat", "boot", "manufact",
        "restart", "product", "purchas", "valid", "connect", "charg", "login", "regist", "admi", "enrol", "uptime", "battery", "released",
        "serial",
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
        var names = ranked(moments)
        for name in starts.split(separator: " ") { names[String(name)] = .start }
        for name in ends.split(separator: " ") { names[String(name)] = .end }
        for name in foreign.split(separator: " ") { names[String(name)] = .foreign }
        return names
    }()

    /// Names that mean a time where the value is one: in other languages, and shorter ones in English.
    private static let translated = ranked(
        "captured recorded observed taken sampled collected logged t dt at when datetaken datetimetaken timetaken capturetime acquisitiontime "
            + "measurementdateandtime dateandtime timeofmeasurement timeofreading dateofmeasurement acquiredat loggedtime "
            // German, French, Spanish, Italian, Portuguese
            + "zeitstempel zeitpunkt messzeit messzeitpunkt messdatum datum uhrzeit zeit datumzeit datumuhrzeit aufnahmezeit gemessenam "
            + "horodatage heure dateheure datemesure datedemesure heuremesure fecha hora fechahora fechayhora marcadetiempo fechamedicion "
            + "orario dataora dataeora datamisurazione datahora datamedicao carimbodetempo "
            // Dutch, Swedish, Danish, Norwegian, Finnish, Polish, Czech, Turkish
            + "tijd tijdstip tijdstempel datumtijd tid tidpunkt tidspunkt tidsstämpel tidsstempel aika aikaleima pvm czas godzina znacznikczasu "
            + "datapomiaru cas čas datumcas saat zaman tarih ölçümzamanı "
            // Russian, Ukrainian, Chinese, Japanese, Korean
            + "время дата датавремя времяизмерения час 时间 时间戳 日期 测量时间 時間 日時 日付 時刻 測定日時 測定日 시간 날짜 측정시간 "
            // The last sign of the device is no earlier than what it measured.
            + "lastseen lastcontact lastsync lastsynced lastsynctime synctime syncedat")

    private static func ranked(_ words: String) -> [String: TimeName] {
        var names: [String: TimeName] = [:]
        for (rank, name) in words.split(separator: " ").enumerated() { names[KnownName.bare(String(name))] = .moment(rank: rank) }
        return names
    }
}

/// Values that look like a time, whatever they stand under.
enum TimeShape {
    /// Returns whether a number is in the range of an epoch of 1990 to 2100, in seconds to nanoseconds, or a date without its dashes; or whether
    /// a text is a date.
    static func isTime(_ value: MappingValue) -> Bool {
        switch value {
        case .number(let number): isTime(number)
        case .string(let text): isTime(text)
        default: false
        }
    }

    /// Returns whether a value has the digits of a time: a first look, for values that mostly are none.
    static func mayBeTime(_ value: MappingValue) -> Bool {
        switch value {
        case .number(let number): number >= 631_152_000
        case .string(let text): hasDigits(text)
        default: false
        }
    }

    private static func hasDigits(_ text: String) -> Bool {
        (8...40).contains(text.utf8.count) && text.utf8.count(where: { (0x30...0x39).contains($0) }) >= 5
    }

    /// Returns whether an object's key is a time rather than a name.
    static func isTime(key: String) -> Bool {
        guard let first = key.utf8.first, (0x30...0x39).contains(first), (8...40).contains(key.utf8.count) else { return false }
        return isTime(key)
    }

    static func isTime(_ text: String) -> Bool {
        guard (8...40).contains(text.utf8.count) else { return false }
        guard let number = MappingValue.string(text).number else { return isDate(text) }
        return isTime(number) || text.utf8.count == 8 && isDay(number)
    }

    private static func isTime(_ number: Double) -> Bool {
        guard number >= 631_152_000 else { return false }
        if number < 4_102_444_800 { return true }
        for scale in [1e3, 1e6, 1e9] where (631_152_000 * scale..<4_102_444_800 * scale).contains(number) { return true }
        return isDay((number / 1e4).rounded(.down)) || isDay((number / 1e6).rounded(.down))
    }

    /// A day of 1990 to 2099 as `20260131`.
    private static func isDay(_ number: Double) -> Bool {
        guard (19_900_101..<21_000_000).contains(number) else { return false }
        let day = Int(number)
        return (1...12).contains(day / 100 % 100) && (1...31).contains(day % 100)
    }

    /// Returns whether a text is a date with or without a time of day, as people write them.
    static func isDate(_ text: String) -> Bool {
        guard hasDigits(text) else { return false }
        let start = /\s*(?:\d{4}[-\/.]\d{1,2}[-\/.]\d{1,2}|\d{1,2}[-\/.]\d{1,2}[-\/.]\d{4}|\d{8}T?\d{4,6}|\d{4}年)(?:[T ,.月年Z]|\d|$)/
        if text.prefixMatch(of: start) != nil { return true }
        if text.prefixMatch(of: /\s*\d{1,2}[-\/.]\d{1,2}[-\/.]\d{2},? +\d{1,2}:\d{2}/) != nil { return true }
        if text.contains("Date("), text.prefixMatch(of: /\W*Date\(\d{9}/) != nil { return true }
        let named = /(?:[A-Z][a-z]{2,9},? )?(?:\d{1,2}\.?[ -]\p{L}{3,10}|\p{L}{3,10}\.? \d{1,2})[,. -]+\d{4}(?:\D|$)/
        return text.prefixMatch(of: named) != nil
    }

    /// Returns whether a value under a time's name is one in a notation that is not read: `"yesterday 06:40"`, `[2025, 11, 13, 6, 40]`.
    static func mayBeUnreadable(_ value: MappingValue) -> Bool {
        switch value {
        case .string(let text):
            guard text.utf8.count <= 64, value.number == nil, value.measure == nil else { return false }
            let words = text.lowercased().split { !$0.isLetter }
            if words.contains(where: { relativeWords.contains(String($0)) }) { return true }
            return text.utf8.count(where: { (0x30...0x39).contains($0) }) >= 4
        case .array(let parts):
            guard (3...8).contains(parts.count), let year = parts[0].number, let month = parts[1].number else { return false }
            return (1990..<2100).contains(year) && (0...12).contains(month)
        default: return false
        }
    }

    private static let relativeWords: Set = ["yesterday", "ago", "gestern", "vor", "hier", "ayer", "ieri", "ontem", "вчера"]

    /// Returns whether a text is a time of day alone.
    static func isClock(_ text: String) -> Bool { text.prefixMatch(of: /\s*\d{1,2}:\d{2}(?:\D|$)/) != nil }

    /// Returns whether a text is a date, or a time of day alone.
    static func isDateOrClock(_ value: MappingValue) -> Bool {
        guard case .string(let text) = value else { return false }
        return isTime(text) || text.prefixMatch(of: /\s*\d{1,2}:\d{2}(?:\D|$)/) != nil
    }
}
