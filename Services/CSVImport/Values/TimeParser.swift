/// Reads a time column: the formats in their order, the one that fitted last being tried first.
///
/// Threading: a value that remembers, used by one task.
struct TimeParser {
    private enum Compiled {
        case unix(unit: Int64)
        case pattern(TimePattern)
    }

    private let formats: [Compiled]
    private var zone: WearerZone
    private let keepsZone: Bool
    private var preferred = 0

    /// - Parameter zone: of times that do not name their own; nil: UTC, and observations keep no offset.
    /// - Throws: `ImportError` for a pattern that means nothing.
    init(_ formats: [TimeFormat], zone: WearerZone?) throws(ImportError) {
        var compiled: [Compiled] = []
        for format in formats {
            switch format {
            case .unix(let unit): compiled.append(.unix(unit: unit))
            case .pattern(let text):
                guard let pattern = TimePattern(text) else {
                    throw ImportError(.usage, "the time format \"\(text)\" is neither unix, unix-ms, unix-us nor a date pattern")
                }
                compiled.append(.pattern(pattern))
            }
        }
        self.formats = compiled
        self.zone = zone ?? .utc
        keepsZone = zone != nil
    }

    /// The moment that the bytes spell, or nil.
    @inline(__always)
    mutating func parse(_ bytes: RawSpan, _ start: Int, _ end: Int) -> ParsedTime? {
        if case .unix(let unit) = formats[preferred], let moment = UnixTime.parse(bytes, start, end, unit: unit) {
            return ParsedTime(microseconds: moment)
        }
        return search(bytes, start, end)
    }

    @inline(never)
    private mutating func search(_ bytes: RawSpan, _ start: Int, _ end: Int) -> ParsedTime? {
        for turn in formats.indices {
            let index = (preferred + turn) % formats.count
            guard let time = parse(bytes, start, end, formats[index]) else { continue }
            preferred = index
            return time
        }
        return nil
    }

    private mutating func parse(_ bytes: RawSpan, _ start: Int, _ end: Int, _ format: Compiled) -> ParsedTime? {
        switch format {
        case .unix(let unit):
            return UnixTime.parse(bytes, start, end, unit: unit).map { ParsedTime(microseconds: $0) }
        case .pattern(let pattern):
            guard let (civil, offset) = pattern.parse(bytes, start, end) else { return nil }
            let local = civil.microseconds
            let minutes = offset ?? zone.offset(atLocal: local)
            let known = offset != nil || keepsZone
            return ParsedTime(
                microseconds: local - Int64(minutes) * 60_000_000, zone: known ? Int16(minutes) : ParsedTime.noZone)
        }
    }
}
