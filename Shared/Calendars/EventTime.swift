import CIcal

/// A time as an event has it: a moment, a time of day wherever one is, or a day.
@safe struct EventTime {
    let time: icaltimetype

    /// Nil where there is none.
    init?(_ time: icaltimetype) {
        guard unsafe icaltime_is_null_time(time) == 0 else { return nil }
        unsafe self.time = time
    }

    /// The time of a property, in the zone that its `TZID` names.
    init?(_ property: OpaquePointer, _ event: OpaquePointer) {
        unsafe self.init(icalproperty_get_datetime_with_component(property, event))
    }

    /// The time that an `RDATE` adds, and its length where it has its own. A date alone means the event's time of that day.
    static func added(_ property: OpaquePointer, _ event: OpaquePointer, like start: EventTime) -> (EventTime, length: Int64?)? {
        let zoned = unsafe icalproperty_get_datetime_with_component(property, event)
        if let time = unsafe EventTime(zoned) { return (time.isDay && !start.isDay ? start.on(time) : time, nil) }
        var period = unsafe icalproperty_get_rdate(property).period
        if unsafe period.start.zone == nil { unsafe period.start.zone = zoned.zone }
        if unsafe period.end.zone == nil { unsafe period.end.zone = zoned.zone }
        guard let start = unsafe EventTime(period.start) else { return nil }
        let end = unsafe EventTime(period.end)
        let length = unsafe Int64(icaldurationtype_as_int(period.duration))
        return (start, end.map { $0.seconds - start.seconds } ?? length)
    }

    /// Unix seconds; those of a wall clock as if it showed UTC where it has no zone.
    var seconds: Int64 { unsafe Int64(icaltime_as_timet_with_zone(time, time.zone)) }
    var isDay: Bool { unsafe time.is_date != 0 }
    var isFloating: Bool { unsafe isDay || time.zone == nil }
    /// The day on a calendar in its own zone, as a number.
    var day: Int { unsafe (Int(time.year) * 12 + Int(time.month)) * 31 + Int(time.day) }

    /// The same moment where another has its zone.
    func inZone(of other: EventTime) -> EventTime {
        guard !isFloating, let zone = unsafe other.time.zone else { return self }
        return unsafe EventTime(icaltime_convert_to_zone(time, zone)) ?? self
    }

    /// The same time so many years later as often as it stays two years before a moment: birthdays repeat over centuries.
    func advanced(byYears years: Int, near moment: Int64) -> EventTime {
        let left = (moment - seconds) / 31_556_952 - 2
        guard left > 0, unsafe (time.month, time.day) != (2, 29) else { return self }
        var time = unsafe time
        unsafe time.year += Int32(Int(left) / years * years)
        return unsafe EventTime(time) ?? self
    }

    /// The same time of another day.
    private func on(_ day: EventTime) -> EventTime {
        var time = unsafe time
        unsafe (time.year, time.month, time.day) = (day.time.year, day.time.month, day.time.day)
        return unsafe EventTime(time) ?? self
    }
}

/// The times that a repeated event does not have, as `EXDATE` and `RECURRENCE-ID` name them: a moment, or a day in the event's own zone.
struct ExceptedTimes {
    private var moments: Set<Int64> = []
    private var days: Set<Int> = []
    /// The days of the moments, for events that last whole days.
    private var daysOfMoments: Set<Int> = []

    mutating func insert(_ time: EventTime?) {
        guard let time else { return }
        if time.isDay { days.insert(time.day) } else { daysOfMoments.insert(time.day) }
        if !time.isDay { moments.insert(time.seconds) }
    }

    /// - Parameter time: in the event's own zone.
    func contains(_ time: EventTime) -> Bool {
        days.contains(time.day) || (time.isDay ? daysOfMoments.contains(time.day) : moments.contains(time.seconds))
    }
}
