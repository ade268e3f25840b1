import VigilSchema

/// One of several times that an object brings.
struct RivalTime: Sendable {
    let key: String
    let value: MappingValue
    /// Its name's place among the names.
    let rank: Int
    let weight: TimeName.Weight

    /// In seconds: what writing and sending take.
    private static let tolerance = 300.0
    /// The farthest that a zone lies from UTC, in seconds.
    private static let farthestZone = 50_400.0

    init(_ member: MappingValue.Member, _ rank: Int) {
        (key, value, self.rank, weight) = (member.key.text, member.value, rank, TimeName.Weight(member.key.text))
    }

    /// The keys of the first two that differ; nil where all agree, as far as they can be read.
    static func dispute(among times: [RivalTime], _ format: MappingTime) -> (String, String)? {
        for (place, one) in times.enumerated() {
            guard let moment = one.moment(format) else { continue }
            for other in times.dropFirst(place + 1) where other.differs(from: moment.time, format, isZoned: one.isZoned(moment.zone)) {
                if isDay(one.value), one.isDay(of: other, format) { continue }
                return (one.key, other.key)
            }
        }
        return nil
    }

    /// Returns whether it is another time. A day agrees with its times, and a time without a zone with the same in another zone.
    func differs(from time: Timestamp, _ format: MappingTime, isZoned: Bool = true) -> Bool {
        guard let own = moment(format) else { return false }
        let difference = (own.time.seconds - time.seconds).magnitude
        guard difference > Self.tolerance else { return false }
        if Self.isDay(value) { return !(-Self.farthestZone...86_400 + Self.farthestZone).contains(time.seconds - own.time.seconds) }
        guard self.isZoned(own.zone) != isZoned, difference <= Self.farthestZone else { return true }
        let rest = difference.remainder(dividingBy: 900).magnitude
        return rest > 60
    }

    private func isDay(of other: RivalTime, _ format: MappingTime) -> Bool {
        other.moment(format).map { !differs(from: $0.time, format) } ?? true
    }

    private func moment(_ format: MappingTime) -> (time: Timestamp, zone: Int16?)? {
        format.moment(value).flatMap { $0.time >= MappingTime.earliest ? $0 : nil }
    }

    /// Returns whether it says which moment it is, wherever it was written.
    private func isZoned(_ zone: Int16?) -> Bool {
        guard case .string(let text) = value, value.number == nil else { return true }
        return text.dropFirst(10).contains { "Zz+-".contains($0) } || text.contains("Date(")
    }

    /// Returns whether it is a date without a time of day.
    static func isDay(_ value: MappingValue) -> Bool {
        guard case .string(let text) = value, value.number == nil else { return false }
        return text.utf8.count <= 12 && !text.contains(":")
    }
}

/// Times that are told by how long ago they were, by parts of a date, or by an offset: none of them is read, and none may become now.
enum RelativeTime {
    /// The key that tells of one; nil where there is none.
    /// - Parameters:
    ///   - isElement: Whether the object is one of an array, where an offset is a time's.
    ///   - isDate: Whether its day is known: then only the hour is missing.
    static func key(in members: [MappingValue.Member], isElement: Bool, isDate: Bool) -> String? {
        members.first { member in
            guard member.key != MappingValue.parentKey, member.key.text.utf8.count <= Name.maximumLength else { return false }
            let key = member.key.text
            switch member.value {
            case .boolean(true): return !isDate && stored.contains(KnownName.bare(key))
            case .number(let number) where number != 0:
                if number == number.rounded(), (0...60).contains(number), clocks.contains(KnownName.bare(key)) { return true }
                return !isDate && isRelative(key, number, isElement: isElement)
            case .string(let text):
                if let number = member.value.number, number != 0 { return !isDate && isRelative(key, number, isElement: isElement) }
                return isDate && TimeShape.isClock(text) && (TimeName(key) ?? TimeName(withNotation: key)) != nil
            default: return false
            }
        }?.key.text ?? (isDate ? nil : date(in: members))
    }

    /// A year beside a month: a date in parts.
    private static func date(in members: [MappingValue.Member]) -> String? {
        let year = members.first { KnownName.bare($0.key.text) == "year" && ($0.value.number.map { (1990..<2100).contains($0) } ?? false) }
        return members.contains { KnownName.bare($0.key.text) == "month" } ? year?.key.text : nil
    }

    private static func isRelative(_ key: String, _ number: Double, isElement: Bool) -> Bool {
        guard mayBeRelative(key.utf8) else { return false }
        let words = KnownName.words(of: key).map { $0.lowercased() }, bare = words.joined()
        let kinds = words.filter { $0 == "ago" || $0 == "age" || $0 == "since" || $0 == "relative" || $0 == "offset" }
        guard let kind = kinds.first, words.allSatisfy({ $0 == kind || units[$0] != nil || fillers.contains($0) }) else {
            return ages.contains(bare)
        }
        // A person has an age, and a sensor an offset.
        if kind == "age", !words.contains(where: { units[$0] != nil }) { return false }
        if kind == "offset", !isElement { return false }
        if kind == "relative", words.count == 1 { return false }
        let unit = words.lazy.compactMap { units[$0] }.first ?? 3600
        return number.magnitude * unit > 300
    }

    /// Most keys are none, and every one is asked.
    private static func mayBeRelative(_ key: String.UTF8View) -> Bool {
        guard key.count >= 3 else { return false }
        let small = String(decoding: key.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        return small.contains("ag") || small.contains("since") || small.contains("relative") || small.contains("offset")
    }

    private static let units: [String: Double] = [
        "ms": 0.001, "millis": 0.001, "milliseconds": 0.001, "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "min": 60, "mins": 60,
        "minute": 60, "minutes": 60, "m": 60, "h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600, "day": 86_400,
        "days": 86_400,
    ]
    private static let fillers: Set = [
        "time", "in", "last", "the", "of", "measurement", "measured", "measure", "taken", "reading", "read", "sample", "sampled", "record",
        "recorded", "value", "data", "message", "msg", "update", "updated", "observation",
    ]
    private static let ages: Set = ["minsago", "minutesago", "secondsago", "hoursago", "msago", "agems", "ageseconds", "agesec", "agemin"]
    private static let stored: Set = [
        "historic", "historical", "ishistoric", "ishistorical", "buffered", "isbuffered", "backlog", "replay", "replayed", "isreplay",
    ]
    private static let clocks: Set = ["hour", "hourofday", "minuteofday"]
}
