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
        /// More occurrences than can be kept.
        case tooMany
    }

    package static let mostBytes = 4 << 20
    package static let mostOccurrences = 20_000
    /// The most repetitions of one event that are counted off before the first that is asked for.
    private static let mostSteps = 100_000

    /// Reads a file.
    /// - Parameter range: in Unix seconds; an occurrence that touches it is returned, in order.
    package static func read(_ text: String, in range: Range<Int64>) throws(Failure) -> [Occurrence] {
        guard text.utf8.count <= mostBytes, !text.utf8.contains(0) else { throw .tooLarge }
        icalerror_set_errors_are_fatal(0)
        guard let root = unsafe icalparser_parse_string(text) else { throw .noCalendar }
        defer { unsafe icalcomponent_free(root) }
        var reader = Reader(range: range)
        let kind = unsafe icalcomponent_isa(root)
        guard kind == ICAL_VCALENDAR_COMPONENT || kind == ICAL_XROOT_COMPONENT else {
            throw .noCalendar
        }
        try unsafe reader.read(root)
        guard reader.hasCalendar || kind == ICAL_VCALENDAR_COMPONENT else { throw .noCalendar }
        return reader.occurrences.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    }

    @safe private struct Reader {
        let range: Range<Int64>
        var occurrences: Set<Occurrence> = []
        var hasCalendar = false
        /// The occurrences that have an event of their own, by the repeated event's name.
        private var changed: [String: Set<Int64>] = [:]

        init(range: Range<Int64>) { self.range = range }

        mutating func read(_ component: OpaquePointer) throws(Failure) {
            unsafe each(component, ICAL_VEVENT_COMPONENT) { event in
                let original = unsafe icalcomponent_get_recurrenceid(event)
                if unsafe icaltime_is_null_time(original) == 0,
                    let name = unsafe icalcomponent_get_uid(event)
                {
                    unsafe changed[String(cString: name), default: []].insert(Self.seconds(original))
                }
            }
            var failure: Failure?
            unsafe each(component, ICAL_VEVENT_COMPONENT) { event in
                guard failure == nil else { return }
                do throws(Failure) { try unsafe take(event) } catch { failure = error }
            }
            unsafe each(component, ICAL_VCALENDAR_COMPONENT) { calendar in
                guard failure == nil else { return }
                hasCalendar = true
                do throws(Failure) { try unsafe read(calendar) } catch { failure = error }
            }
            if let failure { throw failure }
        }

        private func each(
            _ component: OpaquePointer, _ kind: icalcomponent_kind, _ body: (OpaquePointer) -> Void
        ) {
            var next = unsafe icalcomponent_get_first_component(component, kind)
            while let current = unsafe next {
                unsafe body(current)
                unsafe next = icalcomponent_get_next_component(component, kind)
            }
        }

        private mutating func take(_ event: OpaquePointer) throws(Failure) {
            let start = unsafe icalcomponent_get_dtstart(event)
            guard unsafe icaltime_is_null_time(start) == 0,
                unsafe icalcomponent_get_status(event) != ICAL_STATUS_CANCELLED
            else { return }
            let end = unsafe icalcomponent_get_dtend(event)
            var length =
                unsafe icaltime_is_null_time(end) == 0 ? Self.seconds(end) - Self.seconds(start) : 0
            if unsafe start.is_date != 0, length < 86_400 { length = 86_400 }
            guard length > 0 else { return }
            let isOwn = unsafe icaltime_is_null_time(icalcomponent_get_recurrenceid(event)) != 0
            let name = unsafe icalcomponent_get_uid(event).map { unsafe String(cString: $0) } ?? ""
            var left = unsafe exceptions(event)
            if isOwn { left.formUnion(changed[name] ?? []) }
            for moment in unsafe moments(event, start)
            where !left.contains(moment) && !left.contains(Self.day(moment)) {
                guard moment < range.upperBound, moment + length > range.lowerBound else { continue }
                let isFloating = unsafe start.is_date != 0 || start.zone == nil
                occurrences.insert(Occurrence(start: moment, end: moment + length, isFloating: isFloating))
                guard occurrences.count <= CalendarFile.mostOccurrences else { throw .tooMany }
            }
        }

        /// The beginnings of an event and its repetitions, up to the end of the range.
        private func moments(_ event: OpaquePointer, _ start: icaltimetype) -> [Int64] {
            var moments = unsafe [Self.seconds(start)]
            unsafe properties(event, ICAL_RRULE_PROPERTY) { property in
                let iterator = unsafe icalrecur_iterator_new(icalproperty_get_rrule(property), start)
                defer { unsafe icalrecur_iterator_free(iterator) }
                guard unsafe iterator != nil else { return }
                for _ in 0..<CalendarFile.mostSteps {
                    let next = unsafe icalrecur_iterator_next(iterator)
                    guard unsafe icaltime_is_null_time(next) == 0 else { return }
                    let moment = unsafe Self.seconds(next)
                    guard moment < range.upperBound else { return }
                    moments.append(moment)
                }
            }
            unsafe properties(event, ICAL_RDATE_PROPERTY) { property in
                let date = unsafe icalproperty_get_rdate(property)
                unsafe moments.append(
                    Self.seconds(icaltime_is_null_time(date.time) == 0 ? date.time : date.period.start))
            }
            return Array(Set(moments))
        }

        private func exceptions(_ event: OpaquePointer) -> Set<Int64> {
            var moments: Set<Int64> = []
            unsafe properties(event, ICAL_EXDATE_PROPERTY) { property in
                unsafe moments.insert(
                    Self.seconds(icalproperty_get_datetime_with_component(property, event)))
            }
            return moments
        }

        private func properties(
            _ event: OpaquePointer, _ kind: icalproperty_kind, _ body: (OpaquePointer) -> Void
        ) {
            var next = unsafe icalcomponent_get_first_property(event, kind)
            while let current = unsafe next {
                unsafe body(current)
                unsafe next = icalcomponent_get_next_property(event, kind)
            }
        }

        private static func seconds(_ time: icaltimetype) -> Int64 {
            unsafe Int64(icaltime_as_timet_with_zone(time, time.zone))
        }
        /// The midnight of a moment's day: an exception may name the day alone.
        private static func day(_ moment: Int64) -> Int64 {
            moment - ((moment % 86_400) + 86_400) % 86_400
        }
    }
}
