import CIcal

/// Collects the occurrences of a calendar's events within a range of time.
@safe struct CalendarReader {
    let range: Range<Int64>
    private(set) var occurrences: Set<CalendarFile.Occurrence> = []
    private(set) var hasCalendar = false
    private var budget = RepetitionBudget()
    /// The occurrences that have an event of their own, by the repeated event's name.
    private var changed: [String: ExceptedTimes] = [:]

    init(range: Range<Int64>) { self.range = range }

    mutating func read(_ component: OpaquePointer) throws(CalendarFile.Failure) {
        unsafe each(component, ICAL_VEVENT_COMPONENT) { event in
            guard let name = unsafe icalcomponent_get_uid(event) else { return }
            unsafe properties(event, ICAL_RECURRENCEID_PROPERTY) { property in
                unsafe changed[String(cString: name), default: ExceptedTimes()].insert(EventTime(property, event))
            }
        }
        var failure: CalendarFile.Failure?
        unsafe each(component, ICAL_VEVENT_COMPONENT) { event in
            guard failure == nil else { return }
            do throws(CalendarFile.Failure) { try unsafe take(event) } catch { failure = error }
        }
        unsafe each(component, ICAL_VCALENDAR_COMPONENT) { calendar in
            guard failure == nil else { return }
            hasCalendar = true
            do throws(CalendarFile.Failure) { try unsafe read(calendar) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private mutating func take(_ event: OpaquePointer) throws(CalendarFile.Failure) {
        let start = unsafe EventTime(icalcomponent_get_dtstart(event))
        guard let start, unsafe icalcomponent_get_status(event) != ICAL_STATUS_CANCELLED else { return }
        let end = unsafe EventTime(icalcomponent_get_dtend(event))
        let length = max(end.map { $0.seconds - start.seconds } ?? 0, start.isDay ? 86_400 : 0)
        var left = ExceptedTimes()
        unsafe properties(event, ICAL_EXDATE_PROPERTY) { unsafe left.insert(EventTime($0, event)) }
        let isOwn = unsafe icalcomponent_get_first_property(event, ICAL_RECURRENCEID_PROPERTY) == nil
        let moved = unsafe isOwn ? icalcomponent_get_uid(event).flatMap { unsafe changed[String(cString: $0)] } : nil
        func note(_ time: EventTime, _ length: Int64) throws(CalendarFile.Failure) {
            guard length > 0, time.seconds < range.upperBound, time.seconds + length > range.lowerBound else { return }
            let time = time.inZone(of: start)
            guard !left.contains(time), moved?.contains(time) != true else { return }
            occurrences.insert(.init(start: time.seconds, end: time.seconds + length, isFloating: time.isFloating))
            guard occurrences.count <= CalendarFile.mostOccurrences else { throw .tooMany }
        }
        try note(start, length)
        var failure: CalendarFile.Failure?
        var budget = budget
        unsafe properties(event, ICAL_RRULE_PROPERTY) { property in
            guard failure == nil else { return }
            do throws(CalendarFile.Failure) {
                try unsafe budget.expand(property, from: start, within: range) { (time) throws(CalendarFile.Failure) in
                    try note(time, length)
                }
            } catch { failure = error }
        }
        self.budget = budget
        unsafe properties(event, ICAL_RDATE_PROPERTY) { property in
            guard failure == nil, let (time, own) = unsafe EventTime.added(property, event, like: start) else { return }
            do throws(CalendarFile.Failure) { try note(time, own ?? length) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func each(_ component: OpaquePointer, _ kind: icalcomponent_kind, _ body: (OpaquePointer) -> Void) {
        var next = unsafe icalcomponent_get_first_component(component, kind)
        while let current = unsafe next {
            unsafe body(current)
            unsafe next = icalcomponent_get_next_component(component, kind)
        }
    }

    private func properties(_ event: OpaquePointer, _ kind: icalproperty_kind, _ body: (OpaquePointer) -> Void) {
        var next = unsafe icalcomponent_get_first_property(event, kind)
        while let current = unsafe next {
            unsafe body(current)
            unsafe next = icalcomponent_get_next_property(event, kind)
        }
    }
}

/// The work that the repetitions of all a file's events may cost.
///
/// A rule is charged with its periods up to the end of the range before it is expanded: libical tries each of them, also those of a rule that never
/// comes true.
@safe private struct RepetitionBudget {
    /// The periods of libical's frequencies, in seconds; finer ones are refused.
    private static let periods: [String: Double] = [
        "HOURLY": 3600, "DAILY": 86_400, "WEEKLY": 604_800, "MONTHLY": 2_592_000, "YEARLY": 31_536_000,
    ]
    /// The members by each of whose values a period has another time.
    private static let multiplying = ["BYSECOND", "BYMINUTE", "BYHOUR", "BYDAY", "BYMONTHDAY", "BYYEARDAY"]
    /// Some seconds of a processor's time.
    private var left = 3_000_000.0
    /// libical looks for the first time of a rule through five centuries, whatever the rule costs.
    private let deadline = ContinuousClock.now + .seconds(10)

    /// Counts off the times of a rule.
    mutating func expand(
        _ property: OpaquePointer, from first: EventTime, within range: Range<Int64>,
        _ body: (EventTime) throws(CalendarFile.Failure) -> Void
    ) throws(CalendarFile.Failure) {
        guard let text = unsafe icalproperty_get_value_as_string(property) else { return }
        let members = unsafe String(cString: text).split(separator: ";").map { $0.split(separator: "=") }
        guard let frequency = members.first(where: { $0.first == "FREQ" })?.last else { return }
        guard let period = Self.periods[String(frequency)] else { throw .tooMany }
        var rule = unsafe icalproperty_get_rrule(property)
        let (end, interval) = (range.upperBound, unsafe max(1, Int(rule.interval)))
        let isSkipped = unsafe frequency == "YEARLY" && rule.count == 0
        let start = isSkipped ? first.advanced(byYears: interval, near: range.lowerBound) : first
        let times = members.filter { Self.multiplying.contains(String($0[0])) }.reduce(1.0) { product, member in
            product * Double(member.last?.count { $0 == "," } ?? 0) + product
        }
        left -= 1 + max(0, Double(end - start.seconds)) / period / Double(interval) * times
        guard left > 0, ContinuousClock.now < deadline else { throw .tooMany }
        guard start.seconds < end else { return }
        // A day later, as the time of a wall clock may lie behind.
        let until = unsafe icaltime_from_timet_with_zone(time_t(end + 86_400), 0, icaltimezone_get_utc_timezone())
        if unsafe icaltime_is_null_time(rule.until) != 0 || icaltime_compare(rule.until, until) > 0 { unsafe rule.until = until }
        let iterator = unsafe icalrecur_iterator_new(rule, start.time)
        defer { unsafe icalrecur_iterator_free(iterator) }
        while unsafe iterator != nil, let time = unsafe EventTime(icalrecur_iterator_next(iterator)), time.seconds < end {
            left -= 1
            guard left > 0 else { throw .tooMany }
            try body(time)
        }
    }
}
