import VigilSchema

/// The time that a reading is given, and what it speaks for.
struct MeasuredTime {
    var time: Timestamp
    var zone: Int16?
    /// A Boolean value that indicates whether it brings none of its own.
    var isStamped = true
    /// In seconds.
    var interval: Int32 = 0
    /// A Boolean value that indicates whether it is a count of the day so far, which begins at the wearer's midnight.
    var isDayCount = false
}

extension MappingRun {
    /// The time of a metric's reading: its own, else that of receipt.
    /// - Throws: `PayloadError` where there is one that is none.
    func time(
        of metric: String, _ when: Mapping.Time?, _ period: MappingExpression?, _ scope: MappingExpression.Scope
    ) throws(PayloadError) -> MeasuredTime {
        let isCount = Self.dayCounters.contains(metric)
        let span = try scope.known?.span(isCount: isCount)
        var format = when?.format ?? MappingTime()
        if let zone = try ZoneBeside.zone(in: scope.holder ?? scope.record, read: mapping.recordKeys) { format.zone = zone }
        var found = MeasuredTime(time: received)
        if let value = span?.start ?? when?.value(in: scope) {
            (found.time, found.zone) = try moment(value, format)
            found.isStamped = false
        }
        var seconds = period?.value(in: scope)?.number
        guard seconds?.isFinite ?? true else { throw PayloadError(.notFinite, "the period of \(metric) is no finite number") }
        if seconds == nil, let end = span?.end {
            seconds = try moment(end, format).time.seconds - found.time.seconds
            guard seconds ?? 0 >= 0 else { throw PayloadError(.implausibleTime, "the interval ends before it starts") }
        }
        if seconds == nil, !found.isStamped, let until = mapping.until, let end = until.value(in: scope).flatMap(until.format.moment) {
            seconds = end.time.seconds - found.time.seconds
        }
        if seconds == nil, found.isStamped || mapping.takesKnownNames || mapping.isAnnounced, isCount {
            // What comes later in the day replaces it, and does not add to it.
            (found.isDayCount, seconds) = (true, 86_400)
        }
        let interval = seconds.map { Int32(clamping: Int($0.clamped.rounded())) } ?? 0
        found.interval = min(interval, Observation.longestInterval)
        return found
    }

    private func moment(_ value: MappingValue, _ format: MappingTime) throws(PayloadError) -> (time: Timestamp, zone: Int16?) {
        guard let moment = format.moment(value) else { throw PayloadError(.implausibleTime, "the time cannot be read") }
        guard moment.time >= MappingTime.earliest else {
            let reason = "the time lies before 1990: it counts from a device's start, or from a clock that was never set"
            throw PayloadError(.implausibleTime, reason)
        }
        return moment
    }
}

extension Mapping.Time {
    /// The value that is to be read as a time; nil where none is given.
    fileprivate func value(in scope: MappingExpression.Scope) -> MappingValue? {
        let value = places.lazy.compactMap { $0.value(in: scope) }.first
        guard let date = value?.text, let time = clock?.value(in: scope)?.text else { return value }
        return .string("\(date.prefix(10)) \(time)")
    }
}

extension Double {
    /// Between 0 and a billion.
    fileprivate var clamped: Double { isNaN ? 0 : Swift.min(Swift.max(self, 0), 1e9) }
}
