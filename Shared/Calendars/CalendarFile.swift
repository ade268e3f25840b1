import CIcal

/// The times at which the events of an iCalendar file (RFC 5545) take place, by libical.
///
/// Repetitions, exceptions and changed occurrences are followed, and each time is that of its own zone over every change of the clocks. Cancelled events
/// are left out; an event that is marked as free time counts, as holidays are.
package enum CalendarFile {
    /// One event, or one of its repetitions.
    package struct Occurrence: Hashable, Sendable {
        /// Unix seconds; where `isFloating`, those of a wall clock as if it showed UTC.
        package let start: Int64
        /// The end, no longer part of it.
        package let end: Int64
        /// Whether it takes place at a time of day or on a day wherever one is, such as a holiday.
        package let isFloating: Bool

        package init(start: Int64, end: Int64, isFloating: Bool) {
            self.start = start
            self.end = end
            self.isFloating = isFloating
        }
    }

    /// The reason why a file is no calendar.
    package enum Failure: Error, Hashable, Sendable {
        case tooLarge
        case noCalendar
        /// More occurrences than can be kept, or repetitions than can be counted off.
        case tooMany
    }

    package static let mostBytes = 4 << 20
    package static let mostOccurrences = 20_000

    /// Reads a file.
    /// - Parameter range: in Unix seconds; an occurrence that touches it is returned, in order.
    package static func read(_ text: String, in range: Range<Int64>) throws(Failure) -> [Occurrence] {
        guard text.utf8.count <= mostBytes, !text.utf8.contains(0) else { throw .tooLarge }
        icalerror_set_errors_are_fatal(0)
        guard let root = unsafe icalparser_parse_string(text) else { throw .noCalendar }
        defer { unsafe icalcomponent_free(root) }
        var reader = CalendarReader(range: range)
        let kind = unsafe icalcomponent_isa(root)
        guard kind == ICAL_VCALENDAR_COMPONENT || kind == ICAL_XROOT_COMPONENT else { throw .noCalendar }
        try unsafe reader.read(root)
        guard reader.hasCalendar || kind == ICAL_VCALENDAR_COMPONENT else { throw .noCalendar }
        return reader.occurrences.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    }
}
