/// Some of a participant's entries, and where the next ones start.
package struct EntriesPage: Hashable, Sendable {
    /// Earliest first.
    package var entries: [TimelineEntry]
    /// The place behind the last; nil where none follow.
    package var next: EntryCursor?

    package init(entries: [TimelineEntry] = [], next: EntryCursor? = nil) { (self.entries, self.next) = (entries, next) }
}

/// A place behind an entry: those behind it follow, whichever before it have come or gone meanwhile.
package struct EntryCursor: Hashable, Sendable {
    package var time: Timestamp
    package var id: String

    package init(_ entry: TimelineEntry) { (time, id) = (entry.time, entry.id) }

    /// Reads a request's `after`; nil where it is no place between entries.
    package init?(after text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let microseconds = Int64(parts[0]), Timestamp.all.contains(microseconds), Name.isValid(String(parts[1]))
        else {
            return nil
        }
        (time, id) = (Timestamp(microseconds: microseconds), String(parts[1]))
    }

    /// The text of a request's `after`.
    package var after: String { "\(time.microseconds)/\(id)" }
}

extension Timestamp {
    /// The microseconds that a time in a request may have.
    fileprivate static let all = -Int64(253_402_300_800_000_000)...253_402_300_800_000_000
}
