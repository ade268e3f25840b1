import Synchronization
import VigilSchema

/// Keys that look like a vital sign: where one is not taken, it is named to the sender rather than passed over.
enum NearNames {
    /// What is known of the keys that came, of all messages. Bounded: begun anew once it is full, so that a stranger's keys slow nobody for good.
    private static let known = Mutex<[String: String?]>([:])
    private static let mostKnown = 4096

    /// Returns the vital sign that a key looks like; nil for most keys.
    static func metric(of key: String) -> String? {
        // How far away a sensor is, which gateways tell of each, is none of a person's.
        guard key.utf8.count <= 48, key != "distance" else { return nil }
        if let found = known.withLock({ $0[key] }) { return found }
        let metric = look(key)
        known.withLock { known in
            if known.count >= mostKnown { known.removeAll(keepingCapacity: true) }
            known[key] = .some(metric)
        }
        return metric
    }

    private static func look(_ key: String) -> String? {
        let bare = KnownName.bare(key.utf8.contains { $0 >= 0x80 } ? key.lowercased() : key)
        if let metric = words[bare] { return metric }
        if let metric = KnownName(key)?.metric { return vitalSigns.contains(metric) ? metric : nil }
        let bytes = Array(bare.utf8)
        guard let (_, metric) = stems.first(where: { holds(bytes, $0.stem) }), !others.contains(where: { holds(bytes, $0) }) else {
            return nil
        }
        return metric
    }

    /// Returns whether a word stands in a name, byte by byte: each key of each message is asked, and a search in texts is forty times slower.
    private static func holds(_ name: [UInt8], _ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard count <= name.count else { return false }
        return word.withUTF8Buffer { word in
            (0...(name.count - count)).contains { start in (0..<count).allSatisfy { name[start + $0] == word[$0] } }
        }
    }

    /// Returns whether a number can be a metric's value in one of its usual units.
    static func isPlausible(_ number: Double, _ metric: String) -> Bool {
        guard let range = MetricCatalogue.standard.definition(named: metric)?.plausible else { return true }
        if range.contains(number) { return metric != "steps" || number > 0 }
        switch metric {
        case "blood-glucose": return (1...35).contains(number)
        case "body-temperature": return (77...113).contains(number)
        case "oxygen-saturation": return (0.5...1).contains(number)
        default: return false
        }
    }

    private static let vitalSigns: Set = [
        "heart-rate", "resting-heart-rate", "pulse-rate", "oxygen-saturation", "respiration-rate", "systolic-pressure",
        "diastolic-pressure", "blood-glucose", "body-temperature", "perfusion-index", "body-weight", "steps", "distance",
    ]

    /// What stands within longer names: `lowerBloodPressure`, `averageHeartRateInBeatsPerMinute`.
    private static let stems: [(stem: StaticString, metric: String)] = [
        ("heartrate", "heart-rate"), ("heartbeat", "heart-rate"), ("pulserate", "pulse-rate"), ("spo2", "oxygen-saturation"),
        ("oxygensat", "oxygen-saturation"), ("bloodoxygen", "oxygen-saturation"), ("systol", "systolic-pressure"),
        ("diastol", "diastolic-pressure"), ("bloodpressure", "systolic-pressure"), ("glucose", "blood-glucose"),
        ("bloodsugar", "blood-glucose"), ("respirat", "respiration-rate"), ("breathing", "respiration-rate"),
        ("bodytemp", "body-temperature"), ("coretemp", "body-temperature"),
        ("distance", "distance"),
    ]

    /// What stands in names of something else: a goal, a time, a quality.
    private static let others: [StaticString] = [
        "goal", "target", "limit", "threshold", "alarm", "alert", "zone", "duration", "time", "date", "count", "score", "confid", "qualit",
        "variab", "hrv", "reserve", "recovery", "status", "state", "id", "index", "raw", "source", "type", "unit", "level", "trend",
        "delta",
        "change", "offset", "baseline", "deviation", "sample", "load", "interval", "enabled", "valid", "flag", "code", "range", "normal",
    ]

    /// By the letters and digits of the whole name, in the languages that devices speak.
    private static let words: [String: String] = {
        var words: [String: String] = [:]
        for (metric, names) in rows { for name in names.split(separator: " ") { words[String(name)] = metric } }
        return words
    }()

    private static let rows: [(String, String)] = [
        (
            "heart-rate",
            "heart hrate puls pulso pouls fc herzfrequenz herzschlag frequencecardiaque frecuenciacardiaca frequenzacardiaca "
                + "frequenciacardiaca hartslag heartbeatrate пульс чсс 心率 脉搏 心拍数 心拍 脈拍"
        ),
        (
            "oxygen-saturation",
            "spo sp02 o2 sat sats sato2 o2sats saturation saturacion saturación saturazione saturacao saturação sauerstoff "
                + "sauerstoffsättigung sauerstoffsaettigung сатурация 血氧 血氧饱和度 酸素飽和度"
        ),
        (
            "systolic-pressure",
            "systole sistolica sistólica systolique systolisch bps higherbloodpressure upperbloodpressure blutdruck presion presión pressao "
                + "pressão давление 血压 収縮期血圧 收缩压 血圧"
        ),
        ("diastolic-pressure", "diastole diastolica diastólica diastolique diastolisch bpd 舒张压"),
        ("blood-glucose", "glu gluc glucosa glycemie glycémie glicemia glucemia blutzucker сахар глюкоза 血糖 血糖値"),
        ("body-temperature", "bt tempbody temperaturacorporal körpertemperatur koerpertemperatur температуратела 体温"),
        ("respiration-rate", "breath atemfrequenz frequencerespiratoire frecuenciarespiratoria чдд 呼吸 呼吸率 呼吸数"),
        ("body-weight", "gewicht peso poids вес 体重"), ("steps", "schritte pasos passi passos шаги 步数 歩数"),
        ("haemoglobin", "hb"),
    ]
}

extension MappingRun {
    /// Names the vital signs of a record that the mapping leaves out, once a message.
    mutating func noteLeftOut(in scope: MappingExpression.Scope, at place: Int) {
        guard mapping.ignoresAll, !mapping.takesKnownNames else { return }
        noteLeftOut(in: scope.record, at: place, depth: 0)
    }

    private mutating func noteLeftOut(in value: MappingValue, at place: Int, depth: Int) {
        guard leftOut.count < 5, depth < 3 else { return }
        for member in value.objectMembers where member.key != MappingValue.parentKey {
            let isWithin = !member.value.isScalar && !KnownName.isNoMeasurement(member.key.text)
            if isWithin { noteLeftOut(in: member.value, at: place, depth: depth + 1) }
            // The cheapest first: most values are no numbers, and most keys look like nothing.
            guard let number = KnownName.present(member.value)?.measure?.number, !mapping.deepKeys.contains(member.key.text),
                let metric = NearNames.metric(of: member.key.text), NearNames.isPlausible(number, metric),
                isWithin || !KnownName.isNoMeasurement(member.key.text), !holds(metric, at: place), !leftOut.contains(member.key.text)
            else { continue }
            leftOut.append(member.key.text)
            if leftOut.count == 5 { return }
        }
    }
}
