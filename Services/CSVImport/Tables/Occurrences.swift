import SQLiteDatabase

/// A time comes again in the midst of those already seen: the file must be read again, with a history.
struct NeedsHistory: Error {}

/// Numbers the readings of each series that share a time, in the order of the file: 0 for the first.
///
/// The number belongs to the reading's identity, so it depends on the file's rows alone, refused cells included: importing
/// the file again, or after a cell was corrected, or an export that goes on where this one ends, gives the same numbers.
///
/// Times that only rise, or only fall, need no memory. When a time comes again in the midst of those already seen, the
/// earlier ones must be known: `next` then says so, and the file is read again from its start with a history.
struct Occurrences {
    private struct Series {
        var last: Int64
        var count: Int32
        var low: Int64
        var high: Int64
    }

    private var series: [Series?] = []
    private var history: TimeHistory?

    /// - Parameter keepsHistory: remembers every time, for files whose times go to and fro.
    init(keepsHistory: Bool = false) {
        history = keepsHistory ? TimeHistory() : nil
    }

    /// The reading's number, or nil if only a history can tell.
    @inline(__always)
    mutating func next(series place: Int, time: Int64) throws(ImportError) -> Int32? {
        if history == nil, place < series.count, let known = series[place] {
            if time > known.high {
                series[place] = Series(last: time, count: 1, low: known.low, high: time)
                return 0
            }
            if time == known.last {
                series[place]?.count += 1
                return known.count
            }
        }
        return try rarely(place, time)
    }

    @inline(never)
    private mutating func rarely(_ place: Int, _ time: Int64) throws(ImportError) -> Int32? {
        if history != nil { return try history?.next(series: place, time: time) }
        if place >= series.count { series.append(contentsOf: repeatElement(nil, count: place + 1 - series.count)) }
        guard let known = series[place] else {
            series[place] = Series(last: time, count: 1, low: time, high: time)
            return 0
        }
        guard time < known.low else { return nil }
        series[place] = Series(last: time, count: 1, low: time, high: known.high)
        return 0
    }
}

/// The number of times that each series has had each moment: in memory up to half a million different ones, then in a temporary SQLite table, so
/// that a file of any length can be read in bounded memory.
struct TimeHistory {
    private struct Key: Hashable {
        let series: Int32
        let time: Int64
    }

    private let largestInMemory: Int
    private var counts: [Key: Int32] = [:]
    private var table: Database?

    /// - Parameter largestInMemory: so many are kept in memory, as a rule about 25 MB.
    init(largestInMemory: Int = 1 << 19) { self.largestInMemory = largestInMemory }

    /// The number of the reading among those of its series and time, counting it.
    mutating func next(series: Int, time: Int64) throws(ImportError) -> Int32 {
        if table == nil, counts.count >= largestInMemory { try spill() }
        if let table { return try TimeHistory.next(in: table, series: series, time: time) }
        return counts[Key(series: Int32(series), time: time), default: 0].counting()
    }

    private mutating func spill() throws(ImportError) {
        do {
            // An empty name is a temporary database, on disk as soon as it outgrows its cache, and gone with the connection.
            let database = try Database(path: "", durability: .normal)
            try database.execute("PRAGMA cache_size = -16000; PRAGMA journal_mode = OFF")
            try database.execute("CREATE TABLE seen(series INTEGER, time INTEGER, count INTEGER, PRIMARY KEY(time, series)) WITHOUT ROWID")
            for (key, count) in counts {
                try database.run(
                    "INSERT INTO seen VALUES(?, ?, ?)", [.integer(Int64(key.series)), .integer(key.time), .integer(Int64(count))])
            }
            table = database
            counts = [:]
        } catch {
            throw ImportError(.ledger, "cannot remember the times of a file that is not in order: \(error)")
        }
    }

    private static func next(in table: Database, series: Int, time: Int64) throws(ImportError) -> Int32 {
        do {
            let statement = try table.statement(
                "INSERT INTO seen VALUES(?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count - 1")
            try statement.bind(Int64(series), at: 1)
            try statement.bind(time, at: 2)
            _ = try statement.step()
            return Int32(truncatingIfNeeded: statement.integer(0))
        } catch {
            throw ImportError(.ledger, "cannot remember the times of a file that is not in order: \(error)")
        }
    }
}

extension Int32 {
    /// The number, which is one more afterwards.
    fileprivate mutating func counting() -> Int32 {
        self += 1
        return self - 1
    }
}
