/// A question or an order to the timeline, published on `timeline/queries`; the answer goes to the response topic.
///
/// `{"query": "page", "participant": "12", "span": "week"}`. Fields that a query does not use are passed over.
public struct TimelineRequest: Hashable, Sendable, Codable {
    /// What is wanted.
    public enum Query: String, Hashable, Sendable, Codable, CaseIterable {
        /// Everybody who was observed.
        case participants
        /// The data stored of a participant: metrics with counts and times.
        case metrics
        /// The newest value of each metric.
        case latest
        /// Readings, earliest first, page by page (`metric`, `from`, `to`, `limit`, `after`).
        case readings
        /// A metric in at most `width` steps with their extremes (`metric`, `from`, `to`).
        case series
        /// Samples in a window (`metric`, `from`, `to`).
        case waveform
        /// The timeline of a `span` that ends at `to`.
        case page
        /// A metric by weekday, hour, day, week or month (`metric`, `by`, `from`, `to`, `zone`).
        case histogram
        /// Recording sessions.
        case sessions
        /// Times in which a metric has nothing for longer than `seconds`.
        case gaps
        /// The transitions of alerts (`from`, `to`, `limit`).
        case alerts
        /// The entries that people made.
        case entries
        /// The facts known of a participant.
        case profile
        /// Stores `entries`; where an import brings them, `id` is the import's.
        case addEntries = "add-entries"
        /// Removes the entry `id`.
        case removeEntry = "remove-entry"
        /// Stores `profile`.
        case setProfile = "set-profile"
        /// Stores levels of pain, mood and energy at `time`.
        case addLevels = "add-levels"
        /// Removes exactly what the import `id` added.
        case undoImport = "undo-import"
        /// Removes everything about a participant.
        case erase
        /// Adds `audit` to the audit trail, by whoever did something of which the trail should know.
        case addAudit = "add-audit"
    }

    /// What is wanted.
    public var query: Query
    /// Whose.
    public var participant: String?
    /// The metric's name.
    public var metric: String?
    /// The source's name; all sources where it is missing.
    public var source: String?
    /// The first moment that belongs to the range.
    public var from: Timestamp?
    /// The first moment that does not; now where it is missing.
    public var to: Timestamp?
    /// `day`, `week`, `month`, `year`, `decade`.
    public var span: String?
    /// `weekday`, `hour`, `day`, `week`, `month`.
    public var by: String?
    /// An IANA time zone; the participant's, else UTC, where it is missing.
    public var zone: String?
    /// The number of steps a series has at most, for example the pixels of a plot.
    public var width: Int?
    /// The number of readings, entries or transitions an answer has at most.
    public var limit: Int?
    /// The `next` of the answer before: an answer has 2 MiB at most, and where a list has more, says where it goes on. Of readings it is the
    /// result's `next`, as text.
    public var after: String?
    /// For gaps, in seconds.
    public var seconds: Double?
    /// An entry's or an import's id.
    public var id: String?
    /// Entries to store.
    public var entries: [TimelineEntry]?
    /// The profile to store.
    public var profile: ParticipantProfile?
    /// Levels from 0 to 10 by name: `pain`, `mood`, `energy`.
    public var levels: [String: Double]?
    /// When the levels were felt; now where it is missing.
    public var time: Timestamp?
    /// Lines for the audit trail.
    public var audit: [AuditEntry]?
    /// Where the answer goes over MQTT 3.1.1, which has no response topic of its own.
    public var responseTopic: String?

    /// Makes a request.
    public init(_ query: Query, participant: String? = nil) {
        self.query = query
        self.participant = participant
    }
}

/// The answer to a `TimelineRequest`: a result, or an error.
public struct TimelineResponse<Result: Codable & Sendable>: Sendable, Codable {
    /// Why there is no result.
    public struct Failure: Error, Hashable, Sendable, Codable, CustomStringConvertible {
        /// `bad-request`, `unavailable` or `failed`.
        public let code: String
        /// In words.
        public let reason: String

        /// Makes a failure.
        public init(code: String, reason: String) {
            self.code = code
            self.reason = reason
        }

        /// "reason (code)".
        public var description: String { "\(reason) (\(code))" }
    }

    /// The answer.
    public let result: Result?
    /// Why there is none.
    public let error: Failure?
    /// The `after` with which the rest of a list is asked for; nil where the answer holds all of it.
    public let next: String?

    /// Makes an answer.
    public init(result: Result?, error: Failure? = nil, next: String? = nil) {
        self.result = result
        self.error = error
        self.next = next
    }

    /// The result, or the failure thrown.
    public func get() throws -> Result {
        if let result { return result }
        throw error ?? Failure(code: "failed", reason: "the timeline's answer is empty")
    }
}
