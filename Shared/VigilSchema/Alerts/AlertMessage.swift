import Foundation

/// An alert's transition or present state, as it is published.
public struct AlertMessage: Codable, Hashable, Sendable {
    /// The format and its version.
    public var schema = ObservationBatch.schema
    /// The participant whose alert it is.
    public var participant: String
    /// The rule's id.
    public var rule: String
    /// Counts this alert's transitions from 1: with participant and rule the transition's identity.
    public var sequence: UInt32
    /// The event: `raised`, `acknowledged`, `cleared` and so on.
    public var transition: String
    /// `reading`, `timer`, `command`, `inhibition` or `rules`.
    public var cause: String
    /// The time at which it happened, in Unix seconds of event time.
    public var time: Double
    /// The time at which the service decided it, in Unix seconds.
    public var decided: Double
    /// `none`, `pending` or `active`.
    public var state: String
    /// `none`, `notice`, `warning` or `critical`.
    public var severity: String
    /// The alarm's priority as IEC 60601-1-8 names them.
    public var priority: String
    /// `medical` or `technical`.
    public var kind: String
    /// The subject of the rule, as its file says.
    public var group: String
    /// Somebody has seen it.
    public var acknowledged = false
    /// The condition ended, but the alert waits to be acknowledged.
    public var recovered = false
    /// Another rule's alert keeps it quiet.
    public var inhibited = false
    /// Nothing more is known of its condition.
    public var dataLost = false
    /// Nobody is to be told for now.
    public var silenced = false
    /// The end of the silence, in Unix seconds.
    public var silencedUntil: Double?
    /// The end of the quiet after somebody ended the alert by hand, in Unix seconds.
    public var clearedUntil: Double?
    /// The time at which it was raised or became pending.
    public var since: Double
    /// The metric that decided.
    public var metric: String?
    /// Its value.
    public var value: Double?
    /// The value's limit.
    public var threshold: Double?
    /// The event time of a value that is newer than the transition, in Unix seconds.
    public var updated: Double?
    /// The offset of the participant's local time from UTC in minutes, where known.
    public var zone: Int?
    /// The person who gave the command.
    public var actor: String?
    /// The reason, in the words of whoever gave the command.
    public var reason: String?
    /// The receiver that an escalation told.
    public var escalatedTo: String?
    /// By language.
    public var title: [String: String]
    /// The text for people, by language.
    public var message: [String: String]
    /// The source of the rule's thresholds.
    public var source: String?
    /// True where it is told before it is stored, because the database of the alerts' state is away. It comes again without this once it is stored, with
    /// the same sequence; should it never, it was decided anew.
    public var unconfirmed: Bool?

    /// A Boolean value that indicates whether people should be told: active, not silenced, not inhibited.
    public var isAudible: Bool { state == "active" && !silenced && !inhibited }

    /// Makes one of an alert that is not acknowledged, inhibited or silenced, without what decided it.
    public init(
        participant: String, rule: String, sequence: UInt32, transition: String, cause: String, time: Double, decided: Double,
        state: String, severity: String, priority: String, kind: String, group: String, since: Double,
        title: [String: String] = [:], message: [String: String] = [:]
    ) {
        self.participant = participant
        self.rule = rule
        self.sequence = sequence
        self.transition = transition
        self.cause = cause
        self.time = time
        self.decided = decided
        self.state = state
        self.severity = severity
        self.priority = priority
        self.kind = kind
        self.group = group
        self.since = since
        self.title = title
        self.message = message
    }

    /// As JSON, keys sorted.
    public func encoded() throws -> [UInt8] { try ControlCoding.encode(self) }

    /// From JSON.
    public init(decoding bytes: [UInt8]) throws { self = try JSONDecoder().decode(AlertMessage.self, from: Data(bytes)) }
}

extension AlertMessage {
    /// Checks what the types do not say: names, a time that can be written, texts without NUL.
    public func validate() throws(PayloadError) {
        guard Name.isValid(participant) else { throw Self.name("participant") }
        guard Name.isValid(rule) else { throw Self.name("rule") }
        for (moment, field) in [(time, "time"), (since, "since"), (decided, "decided"), (silencedUntil ?? 0, "silencedUntil")] {
            guard abs(moment) <= 62_135_596_800 else {
                throw PayloadError(.implausibleTime, "the time is not between the years 1 and 3938", path: "$.\(field)")
            }
        }
        for (field, text) in texts where text.utf8.contains(0) {
            throw PayloadError(.malformed, "a text contains a NUL", path: "$.\(field)")
        }
    }

    private var texts: [(field: String, text: String)] {
        [("transition", transition), ("state", state), ("severity", severity), ("priority", priority)]
            + title.map { ("title", $0.value) } + message.map { ("message", $0.value) }
    }

    private static func name(_ field: String) -> PayloadError {
        PayloadError(.wrongType, "a \(field) is 1 to 64 of A-Z a-z 0-9 _ . -", path: "$.\(field)")
    }
}
