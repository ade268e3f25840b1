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

    /// The readings that are wanted of a time, and their order.
    public struct Selection: Hashable, Sendable {
        /// The most metrics that a selection names.
        public static let mostMetrics = 500

        /// The metrics' names; empty: all.
        public var metrics: [String]
        /// The time in which the readings were received; always, where both ends are missing.
        public var received: Range
        /// A Boolean value that indicates whether the newest come first.
        public var isNewestFirst: Bool
        /// The beginning of the sources' names; nil: all.
        public var source: String?

        /// Makes a selection; by default of all readings, earliest first.
        public init(metrics: [String] = [], received: Range = Range(), isNewestFirst: Bool = false, source: String? = nil) {
            self.metrics = metrics
            self.source = source
            self.received = received
            self.isNewestFirst = isNewestFirst
        }
    }

    /// Everybody who was observed: `[String]`.
    case participants
    /// The same, with the facts known of each as a person: `[KnownPerson]`.
    case people
    /// The data stored of a participant, metric by metric: `[MetricSummary]`. To count it takes long where there are years of it.
    case metrics(participant: String, counted: Bool = true)
    /// The newest value of each metric: `[LatestValue]`.
    case latest(participant: String)
    /// Readings of one metric or of all, earliest first unless the selection says otherwise: a `ReadingsPage`. Among readings that are selected by
    /// their receipt a page may be empty and yet have a `next`.
    case readings(participant: String, metric: String? = nil, Range = Range(), limit: Int? = nil, Selection = Selection())
    /// A metric in at most `width` steps with their extremes, for example the pixels of a plot: `[SeriesBucket]`.
    case series(Series, width: Int? = nil)
    /// The samples in a window: `[WaveformSegment]`.
    case waveform(Series)
    /// The smallest and the largest sample in each of `width` steps of a window, 1000 by default: `[WaveformEnvelope]`.
    case envelope(Series, width: Int? = nil)
    /// The timeline of a span that ends at `to`, or now: a `TimelinePage`.
    case page(participant: String, span: PageSpan = .day, to: Timestamp? = nil)
    /// A metric by weekday, hour, day, week or month in an IANA time zone, the participant's by default: `[HistogramBin]`.
    case histogram(Series, by: HistogramBinning = .weekday, zone: String? = nil)
    /// The sources that a metric has numbers of, to the day: `[String]`.
    case sources(Series)
    /// Recording sessions: `[SessionSummary]`.
    case sessions(participant: String)
    /// Times in which a metric has nothing for longer than some seconds, 60 by default: `[SeriesGap]`.
    case gaps(Series, longerThan: Double? = nil)
    /// The transitions of alerts, earliest first: `[AlertMessage]`.
    case alerts(participant: String, Range = Range(), limit: Int? = nil)
    /// The entries that people made and that reach into a time, of some kinds or of all: `[TimelineEntry]`. An allergy, a condition or a
    /// medicine without an end reaches into each time after its beginning.
    case entries(participant: String, Range = Range(), kinds: Set<TimelineEntry.Kind> = [], limit: Int? = nil)
    /// The facts known of a participant: a `ParticipantProfile`.
    case profile(participant: String)
    /// Stores entries, 1 to 1000; `origin` is the import that brings them: a `StoredCount`.
    case addEntries([TimelineEntry], participant: String, origin: String? = nil)
    /// Puts back what an export has kept, 1 to 1000 records; `origin` is the import that brings them: a `StoredCount`.
    case restore([TimelineRecord], participant: String, origin: String? = nil)
    /// Removes an entry: true where there was one.
    case removeEntry(id: String, participant: String)
    /// Removes the readings of one source at one moment, of 1 to 20 metrics, with what they replaced: true where there was one.
    case removeReadings([String], participant: String, source: String, at: Timestamp)
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
        case participants, people, metrics, latest, readings, series, waveform, envelope, page, histogram, sources, sessions, gaps, alerts,
            entries, profile,
            erase, restore
        case addEntries = "add-entries"
        case removeEntry = "remove-entry"
        case removeReadings = "remove-readings"
        case setProfile = "set-profile"
        case addLevels = "add-levels"
        case undoImport = "undo-import"
        case addAudit = "add-audit"
    }
}

/// A query as it is published on `requests/<account>/timeline`; the answer goes to the response topic.
///
/// As JSON it is flat: `{"query": "page", "participant": "12", "span": "week"}`. Fields that a query does not use are passed over.
public struct TimelineRequest: Hashable, Sendable {
    /// The question or order.
    public var query: TimelineQuery
    /// The `next` of the answer before: an answer has 2 MiB at most, and one that has no room for all says where it goes on. Of readings
    /// it is `ReadingsPage.next` as text.
    public var after: String?
    /// The topic of the answer over MQTT 3.1.1, which has no response topic of its own.
    public var responseTopic: String?
    /// The name of whoever asks, for an account that asks for others (the dashboard); of any other account it is the account itself.
    public var actor: String?
    /// The address that one asks from.
    public var address: String?

    /// Makes a request.
    public init(_ query: TimelineQuery, after: String? = nil, responseTopic: String? = nil) {
        self.query = query
        self.after = after
        self.responseTopic = responseTopic
    }

    /// A request that names a query but lacks what the query needs, or has it in a form that makes no sense.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        /// The query that it names.
        public let query: TimelineQuery.Name
        /// The participant that it names, perhaps not a valid name.
        public let participant: String?
        /// The topic of the answer over MQTT 3.1.1.
        public let responseTopic: String?
        /// The name of whoever asks, for an account that asks for others.
        public let actor: String?
        /// The problem, in words for the sender.
        public let reason: String

        /// The reason.
        public var description: String { reason }
    }
}

extension TimelineRequest: Codable {
    /// Reads a request's JSON.
    /// - Throws: `Invalid` where the query lacks something; `DecodingError` where it is no request.
    public init(from decoder: any Decoder) throws {
        let fields = try TimelineRequestFields(from: decoder)
        self.init(try fields.asked(), after: fields.after, responseTopic: fields.responseTopic)
        (actor, address) = (fields.actor, fields.address)
    }

    /// Writes the request's JSON.
    public func encode(to encoder: any Encoder) throws { try TimelineRequestFields(self).encode(to: encoder) }
}

/// The members of a request's JSON.
package struct TimelineRequestFields: Hashable, Sendable, Codable {
    package private(set) var query: TimelineQuery.Name
    package private(set) var participant: String?
    package private(set) var metric: String?
    fileprivate var source: String?
    package private(set) var from: Timestamp?
    package private(set) var to: Timestamp?
    package private(set) var span: String?
    package private(set) var by: String?
    fileprivate var zone: String?
    fileprivate var width: Int?
    fileprivate var limit: Int?
    fileprivate var after: String?
    fileprivate var counted: Bool?
    fileprivate var metrics: [String]?
    fileprivate var receivedFrom: Timestamp?
    fileprivate var receivedTo: Timestamp?
    fileprivate var newestFirst: Bool?
    fileprivate var seconds: Double?
    fileprivate var id: String?
    fileprivate var kinds: [TimelineEntry.Kind]?
    fileprivate var entries: [TimelineEntry]?
    fileprivate var records: [TimelineRecord]?
    fileprivate var profile: ParticipantProfile?
    fileprivate var levels: [String: Double]?
    fileprivate var time: Timestamp?
    fileprivate var audit: [AuditEntry]?
    fileprivate var responseTopic: String?
    fileprivate var actor: String?
    fileprivate var address: String?
}

/// From a request.
extension TimelineRequestFields {
    package init(_ request: TimelineRequest) {
        self.init(request.query)
        after = request.after
        responseTopic = request.responseTopic
        (actor, address) = (request.actor, request.address)
    }

    private init(_ asked: TimelineQuery) {
        switch asked {
        case .participants: self.init(named: .participants)
        case .people: self.init(named: .people)
        case .metrics(let participant, let counted):
            self.init(named: .metrics, participant)
            self.counted = counted ? nil : false
        case .latest(let participant): self.init(named: .latest, participant)
        case .readings(let participant, let metric, let range, let limit, let selection):
            self.init(named: .readings, participant, range, limit: limit)
            self.metric = metric
            metrics = selection.metrics.isEmpty ? nil : selection.metrics
            (receivedFrom, receivedTo) = (selection.received.from, selection.received.to)
            newestFirst = selection.isNewestFirst ? true : nil
            source = selection.source
        case .series(let series, let width):
            self.init(named: .series, series)
            self.width = width
        case .waveform(let series): self.init(named: .waveform, series)
        case .envelope(let series, let width):
            self.init(named: .envelope, series)
            self.width = width
        case .page(let participant, let span, let to):
            self.init(named: .page, participant)
            (self.span, self.to) = (span.rawValue, to)
        case .histogram(let series, let by, let zone):
            self.init(named: .histogram, series)
            (self.by, self.zone) = (by.rawValue, zone)
        case .sources(let series): self.init(named: .sources, series)
        case .sessions(let participant): self.init(named: .sessions, participant)
        case .gaps(let series, let seconds):
            self.init(named: .gaps, series)
            self.seconds = seconds
        case .alerts(let participant, let range, let limit): self.init(named: .alerts, participant, range, limit: limit)
        case .entries(let participant, let range, let kinds, let limit):
            self.init(named: .entries, participant, range, limit: limit)
            self.kinds = kinds.isEmpty ? nil : kinds.sorted { $0.rawValue < $1.rawValue }
        case .profile(let participant): self.init(named: .profile, participant)
        case .addEntries(let entries, let participant, let origin):
            self.init(named: .addEntries, participant)
            (self.entries, id) = (entries, origin)
        case .restore(let records, let participant, let origin):
            self.init(named: .restore, participant)
            (self.records, id) = (records, origin)
        case .removeEntry(let id, let participant):
            self.init(named: .removeEntry, participant)
            self.id = id
        case .removeReadings(let metrics, let participant, let source, let time):
            self.init(named: .removeReadings, participant)
            (self.metrics, self.source, self.time) = (metrics, source, time)
        case .setProfile(let profile, let participant):
            self.init(named: .setProfile, participant)
            self.profile = profile
        case .addLevels(let levels, let participant, let time):
            self.init(named: .addLevels, participant)
            (self.levels, self.time) = (levels, time)
        case .undoImport(let id):
            self.init(named: .undoImport)
            self.id = id
        case .erase(let participant): self.init(named: .erase, participant)
        case .addAudit(let lines):
            self.init(named: .addAudit)
            audit = lines
        }
    }

    private init(
        named query: TimelineQuery.Name, _ participant: String? = nil, _ range: TimelineQuery.Range = TimelineQuery.Range(),
        limit: Int? = nil
    ) {
        self.query = query
        self.participant = participant
        self.limit = limit
        (from, to) = (range.from, range.to)
    }

    private init(named query: TimelineQuery.Name, _ series: TimelineQuery.Series) {
        self.init(named: query, series.participant, series.range)
        (metric, source) = (series.metric, series.source)
    }
}

/// To a query.
extension TimelineRequestFields {
    fileprivate func asked() throws(TimelineRequest.Invalid) -> TimelineQuery {
        switch query {
        case .participants: .participants
        case .people: .people
        case .metrics: .metrics(participant: try person(), counted: counted ?? true)
        case .latest: .latest(participant: try person())
        case .readings: .readings(participant: try person(), metric: metric, range, limit: limit, try selection())
        case .series: .series(try series(), width: width)
        case .waveform: .waveform(try series())
        case .envelope: .envelope(try series(), width: width)
        case .page: .page(participant: try person(), span: try choice(span, "span", default: .day), to: to)
        case .histogram: .histogram(try series(), by: try choice(by, "by", default: .weekday), zone: zone)
        case .sources: .sources(try series())
        case .sessions: .sessions(participant: try person())
        case .gaps: .gaps(try series(), longerThan: seconds)
        case .alerts: .alerts(participant: try person(), range, limit: limit)
        case .entries: .entries(participant: try person(), range, kinds: Set(kinds ?? []), limit: limit)
        case .profile: .profile(participant: try person())
        case .addEntries:
            .addEntries(try some(entries, "entries are"), participant: try person(), origin: try id == nil ? nil : name())
        case .restore: .restore(try some(records, "records are"), participant: try person(), origin: try id == nil ? nil : name())
        case .removeEntry: .removeEntry(id: try name(), participant: try person())
        case .removeReadings:
            .removeReadings(
                try someMetrics(), participant: try person(), source: try given(source, "source"), at: try given(time, "time"))
        case .setProfile: .setProfile(try given(profile, "profile"), participant: try person())
        case .addLevels: .addLevels(levels ?? [:], participant: try person(), time: time)
        case .undoImport: .undoImport(id: try name())
        case .erase: .erase(participant: try person())
        case .addAudit: .addAudit(try some(audit, "audit is"))
        }
    }

    private var range: TimelineQuery.Range { TimelineQuery.Range(from: from, to: to) }

    private func selection() throws(TimelineRequest.Invalid) -> TimelineQuery.Selection {
        let metrics = metrics ?? []
        guard metrics.count <= TimelineQuery.Selection.mostMetrics else { throw invalid("metrics names more than 500") }
        guard metric == nil || metrics.isEmpty else { throw invalid("metric and metrics exclude each other") }
        guard source?.utf8.count ?? 1 <= 256 else { throw invalid("source is longer than 256 bytes") }
        return TimelineQuery.Selection(
            metrics: metrics, received: .init(from: receivedFrom, to: receivedTo), isNewestFirst: newestFirst ?? false,
            source: source)
    }

    private func someMetrics() throws(TimelineRequest.Invalid) -> [String] {
        guard let metrics, (1...20).contains(metrics.count) else { throw invalid("metrics is missing, or names more than 20") }
        return metrics
    }

    private func series() throws(TimelineRequest.Invalid) -> TimelineQuery.Series {
        guard let metric, !metric.isEmpty else { throw invalid("metric is missing") }
        return TimelineQuery.Series(participant: try person(), metric: metric, source: source, range: range)
    }

    private func person() throws(TimelineRequest.Invalid) -> String {
        guard let participant, Name.isValid(participant) else {
            throw invalid("participant is missing or is not 1 to 64 of A-Z a-z 0-9 _ . -")
        }
        return participant
    }

    private func name() throws(TimelineRequest.Invalid) -> String {
        guard let id, Name.isValid(id) else { throw invalid("id is missing or no name") }
        return id
    }

    private func given<Value>(_ value: Value?, _ name: String) throws(TimelineRequest.Invalid) -> Value {
        guard let value else { throw invalid("\(name) is missing") }
        return value
    }

    private func some<Element>(_ list: [Element]?, _ words: String) throws(TimelineRequest.Invalid) -> [Element] {
        guard let list, (1...1000).contains(list.count) else { throw invalid("\(words) missing, or more than 1000") }
        return list
    }

    private func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String?, _ name: String, default value: Choice
    ) throws(TimelineRequest.Invalid) -> Choice where Choice.RawValue == String {
        guard let text else { return value }
        guard let choice = Choice(rawValue: text) else {
            throw invalid("\(name) is none of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    private func invalid(_ reason: String) -> TimelineRequest.Invalid {
        TimelineRequest.Invalid(query: query, participant: participant, responseTopic: responseTopic, actor: actor, reason: reason)
    }
}
