package import VigilSchema

/// Everything that was observed, each observation exactly once, for decades.
///
/// Two stores implement it, `SQLiteStore` and `PostgresStore`; they give the same answers.
/// Threading: any number of tasks may call it. A store writes on a thread of its own and reads on another, never on
/// Swift's cooperative threads, so that a slow database does not hold up the process.
/// Errors: every failure is a `StoreError`, whose `isRetryable` says whether the same call can succeed later. A call that
/// threw has changed nothing, or has changed everything and the connection was lost before it heard so: repeating it is
/// safe in both cases, because an observation that is already stored counts as a duplicate.
///
/// A third store implements either
/// - `SQLTimelineStore`, where its database speaks SQL: `append` of observations and alerts, `read`, `record` and `write`, and an
///   `SQLConnection` in the dialect that the two share. Every question, entry, profile, erasure, retention run and audit line is then there,
///   and `SQLiteStore.swift` is the example; or
/// - this protocol, where it does not: each operation below, as it is documented here.
///
/// The tests of `Tests/TimelineStoreTests` run on every case of `StoreKind`: the new store is one more.
package protocol TimelineStore: Sendable {
    /// Connects, and brings the schema to the program's version under a lock that other instances wait for.
    ///
    /// Calling it again does nothing. The other calls open the store by themselves; this one is for finding out at start.
    func open() async throws(StoreError)

    /// Lets go of the connections. A later call opens them again.
    func close() async

    /// Returns where the database answers, and throws where it does not.
    func ping() async throws(StoreError)

    // MARK: Storing

    /// Stores all the batches in one transaction, each observation exactly once, and says per batch, in order, what became
    /// of its observations.
    func append(_ batches: [ObservationBatch]) async throws(StoreError) -> [AppendCounts]

    /// Stores batches of an import as `append` does, beside it where the database can: live data does not wait for their transaction.
    func appendHistory(_ batches: [ObservationBatch]) async throws(StoreError) -> [AppendCounts]

    /// Stores the transitions of alerts in one transaction, each exactly once, and says how many were new and how many known.
    ///
    /// They must be valid (`AlertMessage.validate`).
    func append(alerts: [AlertMessage]) async throws(StoreError) -> AppendCounts

    /// Adds lines to the audit trail, in one transaction. They must be valid (`AuditEntry.validate`).
    func append(audit entries: [AuditEntry]) async throws(StoreError)

    /// Stores what somebody put into a participant's timeline; an entry with a known id takes the place of the one before.
    ///
    /// The entry must be valid (`TimelineEntry.validate`). The participant becomes known by it.
    /// - Parameter origin: the import that brings it. Undoing that import removes the entry, but one that was there before stays, with what
    ///   the import has put into it.
    func post(_ entry: TimelineEntry, participant: String, received: Timestamp, origin: String?) async throws(StoreError)

    /// Puts values back that were replaced, as an export has kept them, each once, in one transaction; what is in force stays as it is.
    ///
    /// They must be valid (`ReplacedValue.validate`). The participant becomes known by it.
    /// - Parameter origin: the import that brings them, and whose undoing removes them.
    func restore(_ values: [ReplacedValue], participant: String, origin: String?) async throws(StoreError) -> AppendCounts

    /// Removes an entry, and says whether there was one.
    func removeEntry(_ id: String, participant: String) async throws(StoreError) -> Bool

    /// Stores what is known of a participant as a person, in place of what was known before.
    ///
    /// The profile must be valid (`ParticipantProfile.validate`). The participant becomes known by it.
    func setProfile(_ profile: ParticipantProfile, participant: String) async throws(StoreError)

    // MARK: Questions

    /// Everybody who was observed, sorted.
    func participants() async throws(StoreError) -> [String]

    /// Everybody who was observed, sorted, with what is known of each as a person.
    func people() async throws(StoreError) -> [KnownPerson]

    /// The data stored of a participant, sorted by metric.
    /// - Parameter counted: also how many, which reads all of the participant's days.
    func metrics(participant: String, counted: Bool) async throws(StoreError) -> [MetricSummary]

    /// The sources that a metric has numbers of in a range, to the day, sorted.
    func sources(_ range: SeriesRange) async throws(StoreError) -> [String]

    /// A participant's recording sessions, earliest first, at most `limit` of those after the first `offset`.
    func sessions(participant: String, limit: Int, offset: Int) async throws(StoreError) -> [SessionSummary]

    /// The newest value of each metric of a participant, whichever source it is from, sorted by metric. Waveforms are not among them.
    func latest(participant: String) async throws(StoreError) -> [LatestValue]

    /// A participant's readings, a page at a time, so that a range of any length takes little memory.
    /// - Parameters:
    ///   - metric: one metric; nil: all, or those that the selection names.
    ///   - selection: of the metrics, the receipt and the order. Where it selects by receipt, which no index leads to, a page looks through
    ///     50,000 readings at most: it may be empty and yet have a `next`.
    ///   - limit: how many at most, 1…100,000.
    ///   - bytes: how long their texts may be together; a page has one reading at least.
    ///   - after: the page before's `next`.
    func readings(
        participant: String, metric: String?, from: Timestamp, to: Timestamp, selection: TimelineQuery.Selection, limit: Int, bytes: Int,
        after: ReadingsCursor?
    ) async throws(StoreError) -> ReadingsPage

    /// A series in at most `width` steps of equal length, each with its extremes, so that a spike survives however wide the range is.
    ///
    /// Steps of two minutes and more are put together from rollups and then accurate to a minute, hour or day, at most half a step;
    /// shorter ones are exact. Empty steps are left out.
    func series(_ range: SeriesRange, width: Int) async throws(StoreError) -> [SeriesBucket]

    /// The samples of a waveform in a window, a segment for each stored block that reaches into it, cut to the window.
    /// - Parameter limit: how many samples at most; a window that holds more is refused, so that memory stays small.
    func waveform(_ range: SeriesRange, limit: Int) async throws(StoreError) -> [WaveformSegment]

    /// The smallest and the largest sample in each of `width` steps of a window, source by source: a run of steps for each stretch without a gap.
    ///
    /// A gap is longer than two and a half periods and 20 ms. Throws `badRequest` where the steps of all sources are more than 120,000.
    /// - Parameter limit: how many samples at most; a window that holds more is refused, so that it takes no more than seconds.
    func envelope(_ range: SeriesRange, width: Int, limit: Int) async throws(StoreError) -> [WaveformEnvelope]

    /// A participant's day, week, month, year or decade up to a moment.
    func page(participant: String, _ span: PageSpan, to end: Timestamp) async throws(StoreError) -> StoredPage

    /// The way a metric distributes over weekdays, hours, days, weeks or months of the wearer's clock, also across changes of it.
    ///
    /// Weekdays and hours come all, the others only where there are readings, in their order. Accurate to the minute: a reading
    /// belongs to the range if its minute starts there. A counter is counted once where several sources report it (`CounterRule`).
    /// - Parameter keepsEmpty: days, weeks and months without readings come too, where the range has 10,000 days at most.
    func histogram(
        _ range: SeriesRange, by binning: HistogramBinning, zone: String, keepsEmpty: Bool
    ) async throws(StoreError) -> [HistogramBin]

    /// The times in which a series of numbers, texts or samples is silent for longer than `seconds`, also at the range's ends. Empty where the
    /// participant or the metric is unknown. Throws `badRequest` where that is so more than two hundred thousand times, or ten thousand times where
    /// `seconds` is less than a minute.
    func gaps(_ range: SeriesRange, longerThan seconds: Double) async throws(StoreError) -> [SeriesGap]

    /// The transitions of a participant's alerts in a range, earliest first; of more than `limit` the newest, without the
    /// `offset` newest.
    func alerts(participant: String, from: Timestamp, to: Timestamp, limit: Int, offset: Int) async throws(StoreError) -> [AlertMessage]

    /// A participant's entries that reach into a range, earliest first, a page at a time. What is standing and has no end reaches into
    /// each range after its beginning.
    /// - Parameters:
    ///   - kinds: the kinds that are wanted; all where it is empty.
    ///   - limit: how many at most.
    ///   - bytes: how long their texts may be together, about; a page has one entry at least.
    ///   - after: the page before's `next`.
    func entries(
        participant: String, from: Timestamp, to: Timestamp, kinds: Set<TimelineEntry.Kind>, limit: Int, bytes: Int, after: EntryCursor?
    ) async throws(StoreError) -> EntriesPage

    /// The facts known of a participant as a person; nil where nothing was entered.
    func profile(participant: String) async throws(StoreError) -> ParticipantProfile?

    /// The values of a participant that have been replaced, a thousand at a time.
    /// - Parameter after: the number of the last of those before; 0 at first.
    func corrections(participant: String, after: Int64) async throws(StoreError) -> [ReplacedValue]

    /// A participant's blocks of one metric that reach into a range, earliest first, cut to it, with all that is kept of them, a page at a time.
    /// - Parameter after: the page before's `next`.
    func blocks(
        participant: String, metric: String, from: Timestamp, to: Timestamp, after: ReadingsCursor?
    ) async throws(StoreError) -> BlocksPage

    /// The times at which a participant's entries came, by their ids.
    func entryReceipts(participant: String) async throws(StoreError) -> [String: Timestamp]

    /// Lines of the audit trail, oldest first.
    /// - Parameters:
    ///   - participant: by name, or by the pseudonym of one who was erased; nil: of all and of nobody.
    ///   - after: the number of the last line that was read before; 0 at first.
    func audit(participant: String?, from: Timestamp, to: Timestamp, limit: Int, after: Int64) async throws(StoreError) -> [AuditLine]

    /// Reads the whole audit trail, and finds the first line that was changed, removed, added or moved.
    /// - Parameter head: a hash that an earlier check gave: it must be among the lines'.
    func verifyAudit(head: String?) async throws(StoreError) -> AuditVerification

    /// The space that the timeline takes in its database. Reads every day's sums, of SQLite's file every page, and where no rollups are kept
    /// every reading.
    func storage(now: Timestamp) async throws(StoreError) -> StorageReport

    /// Runs a SELECT statement over everything that is stored, and hands on its rows as they come.
    /// - Parameter body: returns whether more is wanted.
    func select(_ query: SelectQuery, _ body: @escaping @Sendable (SelectQuery.Event) -> Bool) async throws(StoreError)

    // MARK: Taking out

    /// Takes back exactly what the batches of one origin added, in one transaction: new observations are removed, corrected ones get
    /// back what the import replaced, rollups are counted anew, and sessions and participants that nothing else names go.
    ///
    /// Later arrivals stay: an observation that something else corrected after the import keeps that content. Time: the readings
    /// of the time that the import covers are read through.
    /// - Parameter origin: the import's id; one that nothing has come from gives a report of nothing.
    func undo(origin: String) async throws(StoreError) -> UndoReport

    /// Removes the readings of one source at one moment, with the values that they replaced, counts the rollups of their days anew, and
    /// says how many there were.
    func removeReadings(_ metrics: [String], participant: String, source: String, at time: Timestamp) async throws(StoreError) -> Int

    /// Removes everything that is stored about a participant, also the name, the replaced contents and the rollups, in one transaction.
    ///
    /// Appends that are under way are waited for. What arrives later, also at other instances, is stored as of somebody new.
    /// The audit trail keeps a pseudonym in place of the name. SQLite
    /// overwrites what it removes; PostgreSQL frees it at its next vacuum, and backups keep what they hold.
    func erase(participant: String) async throws(StoreError) -> ErasureReport

    /// The ids of the imports that brought something of a participant.
    func imports(participant: String) async throws(StoreError) -> [String]

    /// The changes of a participant's clock, in order.
    func clockChanges(participant: String) async throws(StoreError) -> [ClockChange]

    /// Some buckets of a rollup level, by metric and time, and the place of the last; none at the end.
    func sums(
        participant: String, _ level: RollupLevel, after place: SumPlace
    ) async throws(StoreError) -> (sums: [StoredSum], last: SumPlace)

    /// The retention rules, by kind and metric.
    func retentionRules() async throws(StoreError) -> [RetentionRule]

    /// Sets a rule in place of the one of that kind and metric.
    func setRetention(_ rule: RetentionRule) async throws(StoreError)

    /// Removes a rule, and says whether there was one. What it removed does not come back.
    func removeRetention(_ kind: RetentionRule.Kind, metric: String?) async throws(StoreError) -> Bool

    /// Removes what the rules keep no longer: PostgreSQL's months of which nothing is kept by dropping their partitions, the rest in small
    /// transactions, between which others write.
    ///
    /// From then on readings that are older are refused, because the rollups hold them already. May be stopped at any moment; the next run
    /// goes on.
    func applyRetention(now: Timestamp) async throws(StoreError) -> RetentionReport

    /// Judges the clock by which retention is about to run, and keeps what it was: whoever runs by themselves asks before.
    /// - Parameter ran: How long the process has run since it asked last.
    func judgeClock(_ now: Timestamp, ran: Duration) async throws(StoreError) -> RetentionClock.Verdict

    /// Makes the indexes by which one participant's readings are found in a month, where they are missing, and names the months' partitions.
    /// Nobody waits for it. May be stopped at any moment; the next run goes on.
    func indexMonths() async throws(StoreError) -> [String]

    /// Moves the readings of whole days of UTC that ended before a moment into blocks, which take a twentieth of the room, in small transactions,
    /// between which others write. Every answer stays the same. May be stopped at any moment; the next run goes on.
    func sealDays(before end: Timestamp) async throws(StoreError) -> SealingReport

    /// Moves the readings of all blocks back, and returns their number. May be stopped at any moment.
    func unsealDays() async throws(StoreError) -> UnsealingReport

    /// Has nothing more sealed, neither by a run under way, or lets it go on.
    func pauseSealing(_ isPaused: Bool) async throws(StoreError)

    /// Returns whether sealing is paused.
    func isSealingPaused() async throws(StoreError) -> Bool

    /// Gives the room of sealed readings back to the system where the database keeps it, and names the months' partitions. May be stopped at any
    /// moment; the next run goes on.
    func shrinkMonths() async throws(StoreError) -> [String]

    /// Lays together what belongs together of the months that are over, and says what it moved. Nobody waits for more than milliseconds. May be
    /// stopped at any moment; the next run goes on.
    func packMonths(now: Timestamp) async throws(StoreError) -> PackingReport
}

/// The questions with what is usually asked.
extension TimelineStore {
    /// In line with the live data, for a database that has one writer.
    package func appendHistory(_ batches: [ObservationBatch]) async throws(StoreError) -> [AppendCounts] { try await append(batches) }

    /// Nothing where the database has no months.
    package func indexMonths() async throws(StoreError) -> [String] { [] }

    /// Nothing where the database has no blocks.
    package func sealDays(before end: Timestamp) async throws(StoreError) -> SealingReport { SealingReport() }

    /// Nothing where the database has no blocks.
    package func unsealDays() async throws(StoreError) -> UnsealingReport { UnsealingReport() }

    /// Nothing where the database has no blocks.
    package func pauseSealing(_ isPaused: Bool) async throws(StoreError) {}

    /// No where the database has no blocks.
    package func isSealingPaused() async throws(StoreError) -> Bool { false }

    /// Nothing where the database has no months.
    package func shrinkMonths() async throws(StoreError) -> [String] { [] }

    /// Nothing where each table lies in the order of its key.
    package func packMonths(now: Timestamp) async throws(StoreError) -> PackingReport { PackingReport() }

    /// An entry that no import brings.
    package func post(_ entry: TimelineEntry, participant: String, received: Timestamp) async throws(StoreError) {
        try await post(entry, participant: participant, received: received, origin: nil)
    }

    /// Readings with at most 1 MiB of texts, by default earliest first.
    package func readings(
        participant: String, metric: String? = nil, from: Timestamp, to: Timestamp, selection: TimelineQuery.Selection = .init(),
        limit: Int = 1000, after: ReadingsCursor? = nil
    ) async throws(StoreError) -> ReadingsPage {
        try await readings(
            participant: participant, metric: metric, from: from, to: to, selection: selection, limit: limit, bytes: 1 << 20, after: after)
    }

    /// At most a million samples.
    package func waveform(_ range: SeriesRange) async throws(StoreError) -> [WaveformSegment] {
        try await waveform(range, limit: 1_000_000)
    }

    /// Only the days, weeks and months that have readings.
    package func histogram(
        _ range: SeriesRange, by binning: HistogramBinning, zone: String = "UTC"
    ) async throws(StoreError) -> [HistogramBin] {
        try await histogram(range, by: binning, zone: zone, keepsEmpty: false)
    }

    /// The newest transitions.
    package func alerts(
        participant: String, from: Timestamp, to: Timestamp, limit: Int = 1000
    ) async throws(StoreError) -> [AlertMessage] {
        try await alerts(participant: participant, from: from, to: to, limit: limit, offset: 0)
    }

    /// All entries, for who has the memory for them.
    package func entries(participant: String, from: Timestamp, to: Timestamp) async throws(StoreError) -> [TimelineEntry] {
        var entries: [TimelineEntry] = []
        var after: EntryCursor?
        repeat {
            let page = try await self.entries(
                participant: participant, from: from, to: to, kinds: [], limit: 1000, bytes: 1 << 20, after: after)
            entries += page.entries
            after = page.next
        } while after != nil
        return entries
    }

    /// The earliest million sessions.
    package func sessions(participant: String) async throws(StoreError) -> [SessionSummary] {
        try await sessions(participant: participant, limit: 1_000_000, offset: 0)
    }

    /// At most a thousand lines.
    package func audit(
        participant: String? = nil, from: Timestamp, to: Timestamp, after: Int64 = 0
    ) async throws(StoreError) -> [AuditLine] {
        try await audit(participant: participant, from: from, to: to, limit: 1000, after: after)
    }

    /// The check without an earlier one's hash.
    package func verifyAudit() async throws(StoreError) -> AuditVerification { try await verifyAudit(head: nil) }
}

/// The options of a store: what it keeps besides the observations.
package struct StoreOptions: Hashable, Sendable {
    /// A Boolean value that indicates whether minute, hour and day rollups are kept up to date with every change; nil: as the database was told
    /// before, at first yes.
    ///
    /// Without them appending is faster, and pages, histograms and downsampled series are computed from the readings: the same
    /// answers, slower. Switching them on makes them anew, which takes minutes for every hundred million readings. The database
    /// remembers it for all who open it: every instance that writes has to be started again after a change.
    package var rollups: Bool?

    /// Makes options.
    package init(rollups: Bool? = nil) { self.rollups = rollups }
}
