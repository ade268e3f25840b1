package import VigilSchema

/// One accepted cell: an observation, with its names as indices into tables.
package struct AcceptedCell: Sendable {
    /// For "no text".
    package static let noText: Int32 = -1

    /// Microseconds since 1970, UTC.
    package var time: Int64
    /// The number, in the metric's unit; 0 for a text.
    package var value: Double
    /// The index of its participant, source and session.
    package var subject: Int32
    /// The index of its metric.
    package var metric: Int32
    /// Distinguishes readings of one series and time.
    package var sequence: Int32
    /// The index of its text in the block, `noText` for a number, or below that −2 − the index of its samples.
    package var text: Int32
    /// The seconds that it covers from its time on; 0: a moment.
    package var interval: Int32 = 0
    /// The wearer's offset from UTC in minutes, or `ParsedTime.noZone`.
    package var zone: Int16
}

/// Readings and rejects in the order of the file's rows.
package struct ReadingBlock: Sendable {
    /// The accepted cells.
    package var readings: [AcceptedCell] = []
    /// The texts.
    package var texts: [String] = []
    /// The blocks of samples, with their period in seconds.
    package var samples: [(values: [Double], period: Double)] = []
    /// The entries, each with its participant.
    package var entries: [(participant: String, entry: TimelineEntry)] = []
    /// The profiles of participants.
    package var profiles: [(participant: String, profile: ParticipantProfile)] = []
    /// Complete observations of Vigil's own exports, in groups of consecutive ones.
    package private(set) var groups: [ObservationGroup] = []
    /// The number of observations in the groups.
    package private(set) var grouped = 0
    /// The other records of Vigil's own exports, each with its participant.
    package var records: [(participant: String, record: TimelineRecord)] = []
    /// The rejects.
    package var rejects: [RejectedCell] = []
    /// The indices of readings that are refused later, because another file of the run contradicts them. They stay in
    /// the block, so that its batches are the same in every run.
    package var withheld: Set<Int> = []

    /// The number of accepted items.
    package var count: Int { readings.count + entries.count + grouped + records.count }

    /// Adds an observation of one of Vigil's exports.
    /// - Parameter head: its participant, source and time of receipt; the group's own observations do not count.
    mutating func add(_ observation: Observation, of head: ObservationGroup) {
        grouped += 1
        if let last = groups.last, last.received == head.received, last.source == head.source, last.session == head.session,
            last.participant == head.participant
        {
            groups[groups.count - 1].observations.append(observation)
        } else {
            var group = head
            group.observations = [observation]
            groups.append(group)
        }
    }

    /// Removes a reading that is refused later.
    mutating func removeReading(at place: Int) -> AcceptedCell {
        if !withheld.isEmpty { withheld = Set(withheld.lazy.filter { $0 != place }.map { $0 > place ? $0 - 1 : $0 }) }
        return readings.remove(at: place)
    }

    /// The content of one reading of the block.
    package func content(of reading: AcceptedCell) -> Observation.Content {
        if reading.text == AcceptedCell.noText { return .value(reading.value) }
        if reading.text >= 0 { return .text(texts[Int(reading.text)]) }
        let (values, period) = samples[Int(-2 - reading.text)]
        return .samples(values, period: period)
    }

    /// Empties the block, keeping its storage.
    mutating func removeAll() {
        readings.removeAll(keepingCapacity: true)
        texts.removeAll(keepingCapacity: true)
        samples.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        profiles.removeAll(keepingCapacity: true)
        groups.removeAll(keepingCapacity: true)
        grouped = 0
        records.removeAll(keepingCapacity: true)
        rejects.removeAll(keepingCapacity: true)
        withheld.removeAll(keepingCapacity: true)
    }
}

/// Reads a file's observations, whatever its layout, block by block in the order of the file.
///
/// The same bytes with the same profile always give the same readings in the same order.
///
/// Threading: used by one task.
protocol ReadingReader {
    /// The participants, sources and sessions so far.
    var subjects: [Subjects.Subject] { get }
    /// The metrics so far.
    var metrics: [MetricPlan] { get }
    /// The outcome of the cells so far.
    var account: CellCounts { get }
    /// The number of bytes read.
    var offset: Int { get }
    /// The open units, with what the content so far shows about them.
    var questions: [UnitStatistics] { get }
    /// Remarks for the user on the content so far.
    var notes: [String] { get }

    /// Fills the block with the next readings and rejects.
    /// - Returns: false at the end.
    mutating func fill(_ block: inout ReadingBlock) throws -> Bool
}

/// A refused cell or row.
package struct RejectedCell: Hashable, Sendable {
    /// The line of the cell, from 1.
    package var line: Int
    /// The column on that line at which the cell starts, in characters from 1.
    package var column: Int
    /// The cell's (or row's) offset in the file, in bytes from 0.
    package var offset: Int
    /// The header of the cell's column; nil: the whole row is refused.
    package var field: String?
    /// The reason.
    package var reason: String
    /// The row as written in the file.
    package var original: String
    /// The cell's `seq`, for importing the corrected cell.
    package var sequence: Int32
    /// The time of measurement in microseconds since 1970, if the row alone does not give it.
    package var time: Int64?
    /// The number of filled cells that are refused with it: 1, or the row's.
    package var cells: Int
    /// The identity of the cell in its row, for importing the corrected cell; nil: the whole row, or no table.
    package var cell: Cell?

    /// Distinguishes a cell's value from others of its row: headers may be equal, and a cell may hold two values.
    package struct Cell: Hashable, Sendable {
        /// The index of its column.
        package var place: Int
        /// Its metric.
        package var metric: String
    }
}

extension ReadingReader {
    var questions: [UnitStatistics] { [] }
    var notes: [String] { [] }
}

/// The outcome of a file's cells. Every cell that is neither identity nor time has exactly one of the four outcomes.
package struct CellCounts: Hashable, Sendable {
    /// Rows read, including refused ones.
    package var rows = 0
    /// Cells that became observations.
    package var accepted = 0
    /// Refused cells.
    package var rejected = 0
    /// Empty cells.
    package var empty = 0
    /// Cells of columns and rows that the profile ignores.
    package var ignored = 0

    /// Zero counts.
    package init() {}

    /// The total.
    package var cells: Int { accepted + rejected + empty + ignored }

    /// The sum of both.
    package static func + (left: CellCounts, right: CellCounts) -> CellCounts {
        var sum = left
        sum.rows += right.rows
        sum.accepted += right.accepted
        sum.rejected += right.rejected
        sum.empty += right.empty
        sum.ignored += right.ignored
        return sum
    }
}

/// The participants, sources and sessions of a file; each combination has an index in the order of its first row.
struct Subjects {
    /// The participant, the source and the session.
    struct Subject: Hashable, Sendable {
        var participant: String
        var source: String
        var session: String?
        var partition: Partition
        /// The indices of (participant, source), to which times belong in any session.
        var series: Int
    }

    private struct Key: Hashable {
        let participant: String
        let source: String
        let session: String?
    }

    /// All combinations.
    private(set) var all: [Subject] = []
    private var places: [Key: Int] = [:]
    private var series: [Key: Int] = [:]

    /// The index of the combination.
    mutating func place(participant: String, source: String, session: String?) -> Int {
        let key = Key(participant: participant, source: source, session: session)
        if let known = places[key] { return known }
        let seriesKey = Key(participant: participant, source: source, session: nil)
        let number = series[seriesKey] ?? series.count
        series[seriesKey] = number
        all.append(
            Subject(
                participant: participant, source: source, session: session, partition: Partition(participant: participant), series: number))
        places[key] = all.count - 1
        return all.count - 1
    }
}
