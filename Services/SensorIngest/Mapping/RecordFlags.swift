import Synchronization
import VigilSchema

/// The flags by which sensors say of what they measure that it is nothing: nobody's finger, a failed measurement, a weight that still moves. They
/// are known by their words, in whatever order: `validHeartRate`, `hr_valid`, `fingerPresent`, `bed_occupied`.
enum RecordFlags {
    fileprivate enum Meaning: Sendable {
        /// Of one metric, or of all where there is none.
        case validity(of: String?, isOpposite: Bool)
        /// Somebody is at the sensor; the opposite is nobody.
        case presence(isOpposite: Bool)
        case error, stable, status
    }

    /// The reason why a metric's value is no measurement, with the key that says so; nil where nothing does.
    static func objection(to metric: String, in record: MappingValue, read: Set<String>) -> (key: String, reason: String)? {
        for member in record.objectMembers {
            if member.key == MappingValue.parentKey {
                if let found = objection(to: metric, in: member.value, read: read) { return found }
                continue
            }
            guard mayBeFlag(member.value), !read.contains(member.key.text), let meaning = meaning(of: member.key.text),
                let reason = meaning.reason(member.value, metric)
            else { continue }
            return (member.key.text, reason)
        }
        return nil
    }

    /// Most values are none.
    private static func mayBeFlag(_ value: MappingValue) -> Bool {
        switch value {
        case .boolean: true
        case .number(let number): number == 0 || number == 1
        case .string(let text): (1...64).contains(text.utf8.count)
        default: false
        }
    }

    /// What is known of the keys that came. Bounded: begun anew once it is full.
    private static let known = Mutex<[String: Meaning?]>([:])
    private static let mostKnown = 4096

    private static func meaning(of key: String) -> Meaning? {
        guard key.utf8.count <= 48 else { return nil }
        if let found = known.withLock({ $0[key] }) { return found }
        let meaning = look(KnownName.words(of: key).map { $0.lowercased() }, key)
        known.withLock { known in
            if known.count >= mostKnown { known.removeAll(keepingCapacity: true) }
            known[key] = .some(meaning)
        }
        return meaning
    }

    private static func look(_ words: [String], _ key: String) -> Meaning? {
        let bare = words.joined()
        if errors.contains(bare) { return .error }
        if stables.contains(bare) { return .stable }
        if statuses.contains(bare) { return .status }
        if presences.contains(bare) { return .presence(isOpposite: false) }
        if let valid = words.first(where: { $0.hasPrefix("valid") || $0 == "invalid" }) {
            let rest = words.filter { $0 != valid && !fillers.contains($0) }
            let isOpposite = valid == "invalid" || words.contains("not")
            if rest.isEmpty || rest == ["not"] { return .validity(of: nil, isOpposite: isOpposite) }
            return NearNames.metric(of: rest.joined(separator: "_")).map { .validity(of: $0, isOpposite: isOpposite) }
        }
        guard !presenceWords.isDisjoint(with: words),
            words.allSatisfy({ presenceWords.contains($0) || fillers.contains($0) || opposites.contains($0) })
        else { return nil }
        return .presence(isOpposite: !opposites.isDisjoint(with: words))
    }

    private static let presenceWords: Set = ["finger", "contact", "occupied", "occupancy", "presence", "present", "worn", "wearing"]
    private static let opposites: Set = ["no", "not", "off", "out", "lost", "missing", "without", "poor", "loose"]
    private static let fillers: Set = [
        "is", "has", "in", "on", "bed", "skin", "body", "sensor", "electrode", "lead", "leads", "probe", "wrist", "person", "human",
        "patient",
        "user", "detected", "detection", "ok", "good", "status", "state", "data", "reading", "measurement", "measure", "sample", "value",
        "signal", "result",
    ]
    private static let presences: Set = ["inbed", "hastarget", "targetdetected", "onbody", "onskin", "onwrist", "fingeron"]
    private static let errors: Set = [
        "error", "err", "haserror", "iserror", "errorflag", "fault", "measurementerror", "sensorerror", "errormessage", "errormsg",
        "failed",
    ]
    private static let stables: Set = [
        "stabilized", "stabilised", "isstabilized", "isstabilised", "stable", "isstable", "weightstabilized", "settled", "isfinal", "final",
    ]
    private static let statuses: Set = [
        "status", "state", "measurementstatus", "measurementstate", "sensorstatus", "sensorstate", "signalstatus", "readingstatus",
    ]
    /// What is so whether anybody is at the sensor or not.
    fileprivate static let ofPlaces: Set = [
        "ambient-temperature", "relative-humidity", "steps", "distance", "floors", "energy", "active-energy", "basal-energy",
        "active-minutes",
        DeviceAspect.battery.metric,
    ]
    /// In letters alone, small.
    fileprivate static let failures = [
        "nofinger", "fingeroff", "fingerout", "fingernot", "nocontact", "contactlost", "leadoff", "leadsoff", "probeoff", "sensoroff",
        "notworn", "offwrist", "nosignal", "inflating", "deflating", "calibrating", "initializ", "initialis", "artifact", "artefact",
        "invalid", "planned", "scheduled", "proposed", "fingerremoved", "nobody", "unoccupied",
    ]
    fileprivate static let failed: Set = ["error", "err", "failed", "failure", "fault", "searching", "warmingup", "warmup", "draft"]
    fileprivate static let harmless: Set = ["none", "no", "ok", "false", "null", "noerror", "success", "nil", "normal", "okay", "na", "0"]
}

extension RecordFlags.Meaning {
    fileprivate func reason(_ value: MappingValue, _ metric: String) -> String? {
        switch self {
        case .validity(let own, let isOpposite):
            guard own == nil || own == metric, isOpposite ? value.isTrue : value.isFalse else { return nil }
            return "is marked as not valid"
        case .presence(let isOpposite):
            guard !RecordFlags.ofPlaces.contains(metric), !metric.hasPrefix("sleep"), isOpposite ? value.isTrue : value.isFalse else {
                return nil
            }
            return "was taken while nobody was at the sensor"
        case .stable: return value.isFalse ? "was taken before the value was stable" : nil
        case .error:
            if value.isTrue { return "is an error's" }
            guard case .string(let text) = value, value.number == nil else { return nil }
            let bare = KnownName.bare(text)
            return bare.isEmpty || RecordFlags.harmless.contains(bare) ? nil : "is an error's"
        case .status:
            guard case .string(let text) = value else { return nil }
            let bare = KnownName.bare(text)
            let isFailure = RecordFlags.failed.contains(bare) || RecordFlags.failures.contains { bare.contains($0) }
            return isFailure ? "is that of no finished measurement" : nil
        }
    }
}
