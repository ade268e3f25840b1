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
    /// All moments under different names, at most some.
    private var moments: [RivalTime] = []
    /// The keys of two times that contradict each other.
    private var dispute: (String, String)?

    /// Nil where nothing in the object is a time.
    /// - Parameters:
    ///   - isWithin: Whether the object stands within one whose time is known: then only what stands beside its own values counts.
    ///   - isElement: Whether it is one of an array, whose offsets are those of times.
    init?(_ members: [MappingValue.Member], _ format: MappingTime, isWithin: Bool = false, isElement: Bool = false) {
        for member in members where member.key != MappingValue.parentKey { take(member, format) }
        if isEmpty { takeEnvelope(members, format) }
        settle(format)
        takeRelative(members, isElement: isElement)
        if isEmpty, !isWithin {
            var budget = Self.largestSearch
            unread = Self.unreadKey(in: members, depth: 0, &budget)
        }
        if isEmpty { return nil }
    }

    /// A time of values whose object is the member of a key that is one: `{"1434758640": {…}}`.
    init(unreadKey key: String) { unread = key }

    /// The key of a time among members; nil where there is none.
    /// - Parameter isUsed: Whether a mapping reads a key, or leaves it out on purpose.
    static func unreadKey(beside members: [MappingValue.Member], unless isUsed: (String) -> Bool) -> String? {
        for member in members where TimeShape.mayBeTime(member.value) && member.key != MappingValue.parentKey {
            let key = member.key.text
            if !isUsed(key), TimeShape.isTime(member.value), !TimeName.isOfDevice(key), KnownName(key) == nil { return key }
        }
        let attributes = members.lazy.filter { $0.key == "attributes" }.flatMap { $0.value.objectMembers }
        if let key = attributes.first(where: { TimeShape.isTime($0.value) && TimeName.saysMeasuring($0.key.text) })?.key.text {
            return isUsed(key) || isUsed("attributes") ? nil : key
        }
        return RelativeTime.key(in: members.filter { !isUsed($0.key.text) }, isElement: false, isDate: false)
    }

    /// The key of a record's own time that its mapping does not read, and that says more of measuring than the one which it reads.
    /// - Parameters:
    ///   - weight: What the name of the one that is read says.
    ///   - time: That time.
    static func surerKey(
        beside members: [MappingValue.Member], than weight: TimeName.Weight, at time: Timestamp, _ format: MappingTime,
        unless isUsed: (String) -> Bool
    ) -> String? {
        members.first { member in
            let key = member.key.text
            guard TimeShape.mayBeTime(member.value), member.key != MappingValue.parentKey, !isUsed(key), KnownName(key) == nil,
                TimeName.Weight(key) < weight, TimeShape.isTime(member.value), !TimeName.isOfDevice(key)
            else { return false }
            switch TimeName(key) ?? TimeName(withNotation: key) {
            case .moment?: break
            case nil where TimeName.saysMeasuring(key): break
            default: return false
            }
            return RivalTime(member, 0).differs(from: time, format)
        }?.key.text
    }

    private var isEmpty: Bool { moment == nil && start == nil && end == nil && unread == nil }

    /// The key that may hold a time and was not read; nil where the time is known.
    var objection: String? { moment == nil && start == nil && end == nil ? unread : nil }

    private mutating func take(_ member: MappingValue.Member, _ format: MappingTime) {
        let key = member.key.text
        if case .boolean = member.value { return }
        guard !member.value.isBlank else { return }
        guard key.utf8.count <= Name.maximumLength else {
            if unread == nil, TimeShape.isTime(member.value) { unread = key }
            return
        }
        switch TimeName(key) {
        case .moment(let rank)?:
            note(member, rank)
        case .start? where Self.isTime(member.value, format): start = start ?? member.value
        case .end? where Self.isTime(member.value, format): end = end ?? member.value
        case .foreign?: unread = unread ?? key
        // A start in words that no notation fits is one all the same.
        case .start?, .end?: if unread == nil, TimeShape.isDateOrClock(member.value) { unread = key }
        case nil:
            if TimeShape.isTime(member.value) {
                takeShaped(member, format)
            } else if unread == nil, TimeShape.mayBeUnreadable(member.value), !TimeName.isNotation(key),
                case .moment? = TimeName(withNotation: key),
                KnownName(key) == nil
            {
                unread = key
            }
        }
    }

    private mutating func note(_ member: MappingValue.Member, _ rank: Int) {
        if rank < moment?.rank ?? .max { moment = (member.value, rank) }
        if moments.count < 8 { moments.append(RivalTime(member, rank)) }
    }

    /// A value that looks like a time, under a key that is none of the usual ones.
    private mutating func takeShaped(_ member: MappingValue.Member, _ format: MappingTime) {
        let key = member.key.text
        guard KnownName(key) == nil else { return }
        switch TimeName(withNotation: key) {
        case .moment(let rank)?:
            note(member, rank)
        case .start? where Self.isTime(member.value, format): start = start ?? member.value
        case .end? where Self.isTime(member.value, format): end = end ?? member.value
        default:
            if TimeName.saysMeasuring(key) {
                note(member, .max - 1)
            } else if unread == nil, !TimeName.isOfDevice(key) {
                unread = key
            }
        }
    }

    /// Of times that differ, the one counts whose name says that it is that of measuring. Of several that say the same, none does.
    private mutating func settle(_ format: MappingTime) {
        guard moments.count > 1, RivalTime.dispute(among: moments, format) != nil else { return }
        let surest = moments.map(\.weight).min(), best = moments.filter { $0.weight == surest }
        if surest != .sending { dispute = RivalTime.dispute(among: best, format) }
        if let first = best.min(by: { $0.rank < $1.rank }) { moment = (first.value, first.rank) }
    }

    /// Returns whether it says more than one of the object's times alone: they differ, or its hour stands elsewhere.
    func decides(_ format: MappingTime) -> Bool {
        dispute != nil || moments.count > 1 && RivalTime.dispute(among: moments, format) != nil
    }

    /// Takes a part of a date, or a time told by how long ago it was, for one that cannot be read.
    private mutating func takeRelative(_ members: [MappingValue.Member], isElement: Bool) {
        let isDate = moment.map { RivalTime.isDay($0.value) } ?? false
        guard start == nil || end == nil, moment == nil || isDate else { return }
        guard let key = RelativeTime.key(in: members, isElement: isElement, isDate: isDate) else { return }
        if isDate { dispute = (key, key) } else { unread = unread ?? key }
    }

    /// The members that are searched for a time in objects that hold no readings.
    private static let largestSearch = 500

    /// The key of a time somewhere below, in what holds no readings of its own: `{"spo2": 80, "sample": {"epoch": 1434758640}}`.
    private static func unreadKey(in members: [MappingValue.Member], depth: Int, _ budget: inout Int) -> String? {
        guard depth < 4 else { return nil }
        for member in members where member.key != MappingValue.parentKey {
            budget -= 1
            guard budget > 0 else { return nil }
            let inner: [MappingValue.Member]
            switch member.value {
            case .object(let members): inner = members
            case .array(let elements): inner = elements.prefix(4).flatMap { $0.objectMembers }
            default: continue
            }
            guard !inner.isEmpty, !TimeName.isOfDevice(member.key.text), !KnownName.holdsReading(inner) else { continue }
            for candidate in inner where TimeShape.isTime(candidate.value) && !TimeName.isOfDevice(candidate.key.text) {
                return candidate.key.text
            }
            if let key = unreadKey(in: inner, depth: depth + 1, &budget) { return key }
        }
        return nil
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
        if let dispute { throw Self.disputeError(dispute) }
        if let moment { return Span(start: moment.value, end: nil) }
        if let start, let end { return Span(start: start, end: end) }
        guard let one = start ?? end else {
            throw Self.unreadError(unread ?? "")
        }
        guard !isCount else {
            throw PayloadError(.implausibleTime, "what is counted needs the start and the end of its interval, and one of them is missing")
        }
        return Span(start: one, end: nil)
    }

    /// The refusal of what was measured at a time that nobody reads.
    static func unreadError(_ key: String) -> PayloadError {
        let reason =
            "the key \"\(key.prefix(Name.maximumLength))\" tells of a time that is not read, so it is not known when this was measured: "
        return PayloadError(
            .implausibleTime, reason + "name it timestamp, or take the time from it in a mapping; name an identifier or a counter as one")
    }

    private static func disputeError(_ keys: (String, String)) -> PayloadError {
        guard keys.0 != keys.1 else { return unreadError(keys.0) }
        let names = "\"\(keys.0.cut(characters: 32))\" and \"\(keys.1.cut(characters: 32))\""
        return PayloadError(
            .implausibleTime, "the times under \(names) differ, and it is not known which is that of measuring: name that one measured_at")
    }

    /// Returns whether it is a time that can be: small numbers under such names mean other things.
    private static func isTime(_ value: MappingValue, _ format: MappingTime) -> Bool {
        format.moment(value).map { $0.time >= MappingTime.earliest } ?? false
    }
}

extension MappingValue {
    /// The members of an object; none of anything else.
    var objectMembers: [Member] { if case .object(let members) = self { members } else { [] } }

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
