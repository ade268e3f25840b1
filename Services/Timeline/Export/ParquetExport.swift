import Foundation
import Settings
import TimelineStore
import VigilSchema

/// An export as Parquet files for DuckDB, pandas, Polars and Arrow: a file a metric and day (UTC) at `metric=…/day=…/PARTICIPANT.parquet`, as
/// Hive names partitions, so that a query about one day opens only its files.
///
/// A sample of a waveform is a row, in `PARTICIPANT+samples.parquet`. Memory: the row groups of two days.
struct ParquetExport {
    let source: ExportSource
    let folder: URL

    /// Writes the files in place of those of an earlier export, and says how many rows they have.
    func write() async throws -> Int {
        var rows = 0
        for metric in Set(try await source.store.metrics(participant: source.participant, counted: false).map(\.metric)).sorted()
        where source.metric == nil || source.metric == metric {
            let part = ExportSource(store: source.store, participant: source.participant, metric: metric, range: source.range)
            let folder = folder.appending(path: "metric=\(Self.escaped(metric))")
            var days = ParquetDays(folder: folder, participant: Self.escaped(source.participant))
            do {
                try await part.forEach { group in try days.add(group) }
                rows += try days.finish()
            } catch {
                days.abandon()
                throw error
            }
        }
        return rows
    }

    /// A name as part of a path: a byte that no name on the bus has as `%` and two digits.
    static func escaped(_ name: String) -> String {
        name.utf8.map { byte in
            let character = String(UnicodeScalar(byte))
            return Name.isValid(character) ? character : "%" + String(Int(byte) + 256, radix: 16).dropFirst()
        }.joined()
    }
}

/// The open files of one metric. Readings come before blocks of samples, each in the order of their times.
private struct ParquetDays {
    private static let columns: [ParquetColumn] = [
        ParquetColumn("time", .int64, .microseconds), ParquetColumn("participant", .binary, .text), ParquetColumn("value", .double),
        ParquetColumn("text", .binary, .text), ParquetColumn("unit", .binary, .text), ParquetColumn("source", .binary, .text),
        ParquetColumn("session", .binary, .text), ParquetColumn("seq", .int32), ParquetColumn("period", .int32),
        ParquetColumn("zone", .int32), ParquetColumn("received", .int64, .microseconds),
    ]

    private let folder: URL
    private let participant: String
    private var files: [Timestamp: (file: ParquetFile, sink: ExportSink)] = [:]
    private var hasSamples = false
    private var rows = 0

    init(folder: URL, participant: String) { (self.folder, self.participant) = (folder, participant) }

    mutating func add(_ group: ObservationGroup) throws {
        for observation in group.observations {
            guard case .samples(let samples, let period) = observation.content else {
                try end(before: RollupLevel.day.start(of: observation.time))
                try add(observation, of: group, at: observation.time)
                continue
            }
            if !hasSamples { try end(before: nil) }
            hasSamples = true
            // No block is longer than a day: it ends on the next.
            try end(before: RollupLevel.day.start(of: observation.time))
            for (index, sample) in samples.enumerated() {
                try add(observation, of: group, at: observation.time.advanced(bySeconds: Double(index) * period), sample: sample)
            }
        }
    }

    /// Puts the rest of the files in place, and returns the number of rows of all.
    mutating func finish() throws -> Int {
        try end(before: nil)
        return rows
    }

    /// Removes what is not in place yet.
    func abandon() {
        for (_, sink) in files.values { sink.abandon() }
    }

    private mutating func add(_ observation: Observation, of group: ObservationGroup, at time: Timestamp, sample: Double? = nil) throws {
        let day = RollupLevel.day.start(of: time)
        var (file, sink) = try files.removeValue(forKey: day) ?? open(day)
        var (value, text): (Double?, String?) = (sample, nil)
        if case .value(let number) = observation.content { value = number }
        if case .text(let words) = observation.content { text = words }
        file.append { columns in
            columns[0].append(time.microseconds)
            columns[1].append(group.participant)
            columns[2].append(value)
            columns[3].append(text)
            columns[4].append(observation.unit)
            columns[5].append(group.source)
            columns[6].append(group.session)
            columns[7].append(observation.sequence)
            columns[8].append(observation.interval > 0 ? observation.interval : nil)
            columns[9].append(observation.zone.map(Int32.init))
            columns[10].append(group.received.microseconds)
        }
        rows += 1
        let output = file.takeOutput()
        if !output.isEmpty { try sink.write(output) }
        files[day] = (file, sink)
    }

    private func open(_ day: Timestamp) throws -> (file: ParquetFile, sink: ExportSink) {
        let folder = folder.appending(path: "day=\(day.iso8601().prefix(10))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let name = "\(participant)\(hasSamples ? "+samples" : "").parquet"
        return (ParquetFile(columns: Self.columns), try ExportSink(path: folder.appending(path: name).path, passphrase: nil))
    }

    /// Puts the files of the days before one in place; of all where it is nil.
    private mutating func end(before day: Timestamp?) throws {
        for (key, var (file, sink)) in files where day.map({ key < $0 }) ?? true {
            file.end()
            try sink.write(file.takeOutput())
            try sink.finish()
            files[key] = nil
        }
    }
}
