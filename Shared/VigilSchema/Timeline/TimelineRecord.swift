import Foundation

/// A participant's data in a timeline besides readings in force, as a complete export carries it and an import restores it.
///
/// As JSON an object with one member that names its kind: `{"entry": {…}, "received": 1484840182}`.
public enum TimelineRecord: Hashable, Sendable {
    /// The facts known of the participant as a person.
    case profile(ParticipantProfile)
    /// Something that a person put into the timeline, and when it came.
    case entry(TimelineEntry, received: Timestamp?)
    /// A transition of an alert.
    case alert(AlertMessage)
    /// A value that something received later took the place of.
    case replaced(ReplacedValue)

    /// The name of its kind.
    public var kind: String {
        switch self {
        case .profile: "profile"
        case .entry: "entry"
        case .alert: "alert"
        case .replaced: "replaced"
        }
    }

    /// The time that it is about; nil for a profile.
    public var time: Timestamp? {
        switch self {
        case .profile: nil
        case .entry(let entry, _): entry.time
        case .alert(let alert): Timestamp(seconds: alert.time)
        case .replaced(let value): value.time
        }
    }

    /// Checks what the types do not say.
    public func validate() throws(PayloadError) {
        switch self {
        case .profile(let profile): try profile.validate()
        case .entry(let entry, _): try entry.validate()
        case .alert(let alert): try alert.validate()
        case .replaced(let value): try value.validate()
        }
    }

    /// The record as JSON, its members sorted.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }

    /// The record as another participant's.
    public func moved(to participant: String) -> Self {
        guard case .alert(var alert) = self else { return self }
        alert.participant = participant
        return .alert(alert)
    }
}

extension TimelineRecord: Codable {
    private enum CodingKeys: String, CodingKey {
        case profile, entry, received, alert, replaced
    }

    /// Reads the JSON object.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        if let profile = try members.decodeIfPresent(ParticipantProfile.self, forKey: .profile) {
            self = .profile(profile)
        } else if let entry = try members.decodeIfPresent(TimelineEntry.self, forKey: .entry) {
            self = .entry(entry, received: try members.decodeIfPresent(Timestamp.self, forKey: .received))
        } else if let alert = try members.decodeIfPresent(AlertMessage.self, forKey: .alert) {
            self = .alert(alert)
        } else {
            self = .replaced(try members.decode(ReplacedValue.self, forKey: .replaced))
        }
    }

    /// Writes the JSON object.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .profile(let profile): try members.encode(profile, forKey: .profile)
        case .entry(let entry, let received):
            try members.encode(entry, forKey: .entry)
            try members.encodeIfPresent(received, forKey: .received)
        case .alert(let alert): try members.encode(alert, forKey: .alert)
        case .replaced(let value): try members.encode(value, forKey: .replaced)
        }
    }
}

/// A value that stood in the timeline until something received later replaced it.
public struct ReplacedValue: Hashable, Sendable, Codable {
    /// Rises from one to the next.
    public var number: Int64
    /// The metric's name.
    public var metric: String
    /// The unit of the value.
    public var unit: String
    /// The source of the measurement.
    public var source: String
    /// The recording session's name, where there is one.
    public var session: String?
    /// The time of measurement.
    public var time: Timestamp
    /// The number among readings of one metric, source and time.
    public var sequence: Int32
    /// The wearer's offset from UTC in minutes, where it is known.
    public var zone: Int16?
    /// The number.
    public var value: Double?
    /// The text, where it was none.
    public var text: String?
    /// The samples, where it was a block of them.
    public var samples: [Double]?
    /// Seconds: what the number counts over, or what lies between samples.
    public var period: Double?
    /// The time at which it was received.
    public var received: Timestamp
    /// The time at which its replacement was received.
    public var replaced: Timestamp

    /// Makes a replaced value without a content.
    public init(
        number: Int64, metric: String, unit: String, source: String, session: String? = nil, time: Timestamp, sequence: Int32,
        zone: Int16? = nil, received: Timestamp, replaced: Timestamp
    ) {
        self.number = number
        self.metric = metric
        self.unit = unit
        self.source = source
        self.session = session
        self.time = time
        self.sequence = sequence
        self.zone = zone
        self.received = received
        self.replaced = replaced
    }

    /// Checks what the types do not say.
    public func validate() throws(PayloadError) {
        for (name, what) in [(metric, "metric"), (source, "source"), (session ?? "-", "session"), (unit, "unit")] {
            guard (1...256).contains(name.utf8.count), !name.utf8.contains(0) else {
                throw PayloadError(.wrongType, "a \(what) has 1 to 256 bytes", path: "$.\(what)")
            }
        }
        let kinds = [value == nil, text == nil, samples == nil].count { !$0 }
        guard kinds == 1 else { throw PayloadError(.conflicting, "a replaced value is a number, a text or samples", path: "$") }
        guard value?.isFinite ?? true, samples?.allSatisfy(\.isFinite) ?? true, samples?.isEmpty != true else {
            throw PayloadError(.notFinite, "the value is not finite", path: "$.value")
        }
        guard value.map(Observation.numbers.contains) ?? true, samples?.allSatisfy(Observation.numbers.contains) ?? true else {
            throw PayloadError(.implausible, "no quantity has a number beyond 1e140", path: "$.value")
        }
        guard (text?.utf8.count ?? 0) <= Observation.longestText, text?.utf8.contains(0) != true else {
            throw PayloadError(.tooLarge, "the text is longer than \(Observation.longestText) bytes", path: "$.text")
        }
        if let period, !(period > 0 && period <= Double(Observation.longestInterval)) || samples != nil && period > 86_400 {
            throw PayloadError(.wrongType, "the period is no length of time", path: "$.period")
        }
        guard samples == nil || period != nil else { throw PayloadError(.missing, "samples have a period", path: "$.period") }
    }
}
