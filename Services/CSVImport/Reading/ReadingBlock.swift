package import VigilSchema

/// One cell that has been accepted: an observation, with its names kept as places in tables.
package struct AcceptedCell: Sendable {
    /// For "no text".
    package static let noText: Int32 = -1

    /// Microseconds since 1970, UTC.
    package var time: Int64
    /// The number, in the metric's unit; 0 for a text.
    package var value: Double
    /// The place of its participant, source and session.
    package var subject: Int32
    /// The place of its metric.
    package var metric: Int32
    /// Tells apart readings of one series that share a time.
    package var sequence: Int32
    /// The place of its text in the block, `noText` for a number, or below that −2 − the place of its samples.
    package var text: Int32
    /// Whole seconds from its time on that it speaks for; 0: a moment.
    package var interval: Int32 = 0
    /// The wearer's offset from UTC in minutes, or `ParsedTime.noZone`.
    package var zone: Int16
}

/// Readings and rejects in the order of the file's rows.
package struct ReadingBlock: Sendable {
    /// The accepted cells.
    package var readings: [AcceptedCell] = []
    /// The texts of those that are texts.
    package var texts: [String] = []
    /// The samples of those that are blocks of them, with their distance in seconds.
    package var samples: [(values: [Double], period: Double)] = []
    /// The entries that people made, with its participant.
    package var entries: [(participant: String, entry: TimelineEntry)] = []
    /// The facts about participants as persons that the file holds.
    package var profiles: [(participant: String, profile: ParticipantProfile)] = []
    /// Observations of Vigil's own exports, with all that was kept of them, in groups of those that stand together.
    package private(set) var groups: [ObservationGroup] = []
    /// The number of observations in the groups.
    package private(set) var grouped = 0
    /// Everything else that Vigil's own exports hold, with its participant.
    package var records: [(participant: String, record: TimelineRecord)] = []
    /// The refused ones.
    package var rejects: [RejectedCell] = []
    /// The places of readings that are refused after all, as another file of the run contradicts them. They stay where they are, so that what is made of the
    /// readings is the same in every run.
    package var withheld: Set<Int> = []

    /// The number of things that are not refused.
    package var count: Int { readings.count + entries.count + grouped + records.count }

    /// Adds an observation of one of Vigil's exports.
    /// - Parameter head: whose it is, from where, and when it was received; its observations do not count.
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

    /// Takes a reading out, which is refused after all; the others move up.
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

    /// Empties it, keeping its storage.
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
/// The same bytes by the same profile give the same readings in the same order, whenever they are read.
///
/// Threading: used by one task.
protocol ReadingReader {
    /// The participants, sources and sessions met so far.
    var subjects: [Subjects.Subject] { get }
    /// The metrics met so far.
    var metrics: [MetricPlan] { get }
    /// The fate of the cells so far.
    var account: CellCounts { get }
    /// The number of the content's bytes that have been read.
    var offset: Int { get }
    /// The units that are in question, with what the content read so far says of them.
    var questions: [UnitStatistics] { get }
    /// Remarks on the content read so far, for the user.
    var notes: [String] { get }

    /// Fills the block with the next readings and rejects.
    /// - Returns: false once nothing follows.
    mutating func fill(_ block: inout ReadingBlock) throws -> Bool
}

/// A cell, or a whole row, that was refused.
package struct RejectedCell: Hashable, Sendable {
    /// The line on which the cell stands, from 1.
    package var line: Int
    /// The column on that line at which the cell starts, in characters from 1.
    package var column: Int
    /// The cell's (or row's) offset in the file, in bytes from 0.
    package var offset: Int
    /// The header of the cell's column; nil where the whole row is refused.
    package var field: String?
    /// The reason, in words.
    package var reason: String
    /// The row as it stands in the file.
    package var original: String
    /// The cell's `seq`, for importing it once it is corrected.
    package var sequence: Int32
    /// The time at which it was measured, in microseconds since 1970, where the row alone would not tell the same.
    package var time: Int64?
    /// The number of filled cells that are refused with it: 1, or the row's.
    package var cells: Int
    /// The cell among those of its row, for importing it once it is corrected; nil where the whole row is refused, or it is none of a table's.
    package var cell: Cell?

    /// What tells a cell's value from the others of its row: headers may be the same, and a cell may hold two values.
    package struct Cell: Hashable, Sendable {
        /// The place of its column, from 0.
        package var place: Int
        /// The metric that it is read as.
        package var metric: String
    }
}

extension ReadingReader {
    var questions: [UnitStatistics] { [] }
    var notes: [String] { [] }
}

/// The outcome for a file's cells. Every cell that is neither identity nor time is in exactly one of the four.
package struct CellCounts: Hashable, Sendable {
    /// Rows read, refused ones too.
    package var rows = 0
    /// Cells that became observations.
    package var accepted = 0
    /// Cells that were refused.
    package var rejected = 0
    /// Cells with nothing in them.
    package var empty = 0
    /// Cells of columns and rows that the profile leaves out.
    package var ignored = 0

    /// Nothing yet.
    package init() {}

    /// All of them.
    package var cells: Int { accepted + rejected + empty + ignored }

    /// Both together.
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

/// The participants, sources and sessions of a file, each combination numbered in the order of its first row.
struct Subjects {
    /// The participant, the source and the session.
    struct Subject: Hashable, Sendable {
        var participant: String
        var source: String
        var session: String?
        var partition: Partition
        /// Numbers (participant, source), to which times belong whatever the session.
        var series: Int
    }

    private struct Key: Hashable {
        let participant: String
        let source: String
        let session: String?
    }

    /// All of them.
    private(set) var all: [Subject] = []
    private var places: [Key: Int] = [:]
    private var series: [Key: Int] = [:]

    /// The place of the combination.
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
