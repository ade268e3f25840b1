/// A question or an order to the timeline, with what it needs. Each case names the type of its result in a `TimelineResponse`.
///
/// A list that has no room in one answer comes in several: `TimelineRequest.after` asks for the rest.
public enum TimelineQuery: Hashable, Sendable {
    /// The time that a query is about.
    public struct Range: Hashable, Sendable {
        /// The first moment that belongs to it; a day before `to` where it is missing.
        public var from: Timestamp?
        /// The first moment that does not; now where it is missing.
        public var to: Timestamp?

        /// Makes a range.
        public init(from: Timestamp? = nil, to: Timestamp? = nil) {
            self.from = from
            self.to = to
        }
    }

    /// The readings that a query is about: one participant's, of one metric, in a time.
    public struct Series: Hashable, Sendable {
        /// The participant.
        public var participant: String
        /// The metric's name.
        public var metric: String
        /// The source's name; nil: all sources.
        public var source: String?
        /// The time.
        public var range: Range

        /// Makes a selection.
        public init(participant: String, metric: String, source: String? = nil, range: Range = Range()) {
            self.participant = participant
            self.metric = metric
            self.source = source
            self.range = range
        }
    }

    /// Everybody who was observed: `[String]`.
    case participants
    /// The data stored of a participant, metric by metric: `[MetricSummary]`.
    case metrics(participant: String)
    /// The newest value of each metric: `[LatestValue]`.
    case latest(participant: String)
    /// Readings of one metric or of all, earliest first: a `ReadingsPage`.
    case readings(participant: String, metric: String? = nil, Range = Range(), limit: Int? = nil)
    /// A metric in at most `width` steps with their extremes, for example the pixels of a plot: `[SeriesBucket]`.
    case series(Series, width: Int? = nil)
    /// The samples in a window: `[WaveformSegment]`.
    case waveform(Series)
    /// The timeline of a span that ends at `to`, or now: a `TimelinePage`.
    case page(participant: String, span: PageSpan = .day, to: Timestamp? = nil)
    /// A metric by weekday, hour, day, week or month in an IANA time zone, the participant's by default: `[HistogramBin]`.
    case histogram(Series, by: HistogramBinning = .weekday, zone: String? = nil)
    /// Recording sessions: `[SessionSummary]`.
    case sessions(participant: String)
    /// Times in which a metric has nothing for longer than some seconds, 60 by default: `[SeriesGap]`.
    case gaps(Series, longerThan: Double? = nil)
    /// The transitions of alerts, earliest first: `[AlertMessage]`.
    case alerts(participant: String, Range = Range(), limit: Int? = nil)
    /// The entries that people made: `[TimelineEntry]`.
    case entries(participant: String, Range = Range(), limit: Int? = nil)
    /// The facts known of a participant: a `ParticipantProfile`.
    case profile(participant: String)
    /// Stores entries, 1 to 1000; `origin` is the import that brings them: a `StoredCount`.
    case addEntries([TimelineEntry], participant: String, origin: String? = nil)
    /// Removes an entry: true where there was one.
    case removeEntry(id: String, participant: String)
    /// Stores a profile in place of the one before: the `ParticipantProfile`.
    case setProfile(ParticipantProfile, participant: String)
    /// Stores levels from 0 to 10 of `pain`, `mood` and `energy`, felt at `time` or now: a `Receipt`.
    case addLevels([String: Double], participant: String, time: Timestamp? = nil)
    /// Removes exactly what an import added: an `UndoReport`.
    case undoImport(id: String)
    /// Removes everything about a participant: an `ErasureReport`.
    case erase(participant: String)
    /// Adds lines, 1 to 1000, to the audit trail, by whoever did something of which the trail should know: a `StoredCount`.
    case addAudit([AuditEntry])

    /// The name of a query in a request's `query`.
    public enum Name: String, Hashable, Sendable, Codable, CaseIterable {
        case participants, metrics, latest, readings, series, waveform, page, histogram, sessions, gaps, alerts, entries, profile, erase
        case addEntries = "add-entries"
        case removeEntry = "remove-entry"
        case setProfile = "set-profile"
        case addLevels = "add-levels"
        case undoImport = "undo-import"
        case addAudit = "add-audit"
    }
}

/// The time that a page covers before its end.
public enum PageSpan: String, CaseIterable, Sendable, Codable {
    case day, week, month, year, decade
}

/// The bins of a histogram, on the wearer's clock.
public enum HistogramBinning: String, CaseIterable, Sendable, Codable {
    case weekday, hour, day, week, month
}
