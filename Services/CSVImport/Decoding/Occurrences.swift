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
