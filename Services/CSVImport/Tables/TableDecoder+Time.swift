import VigilSchema

/// The time of a row that is not one cell, and its zone.
extension TableDecoder {
    /// Whole seconds until the row's end, where it has one.
    mutating func interval(_ reader: CSVReader, from time: ParsedTime) -> Int32 {
        guard let column = plan.endColumn, column < reader.fieldCount, let text = reader.text(column)?.trimmed, !text.isEmpty else {
            return 0
        }
        let clock = plan.profile.time.isUTC ? nil : offset(reader)
        guard let end = times.parse(text, offset: clock, endOf: time) else { return 0 }
        let seconds = (end.microseconds - time.microseconds + 500_000) / 1_000_000
        return seconds > 0 && seconds <= Int64(Observation.longestInterval) ? Int32(seconds) : 0
    }

    /// The moment that the row's time stands for, among those of the same participant, source and, in a long table, metric.
    @inline(never)
    mutating func settle(_ time: ParsedTime, _ reader: CSVReader) -> ParsedTime {
        let cell = { (place: Int?) -> String in place.flatMap { $0 < reader.fieldCount ? reader.text($0)?.trimmed : nil } ?? "" }
        let series = ClockSeries(subject: series, metric: cell(plan.long?.metric), code: cell(plan.long?.code))
        var settled = times.settle(time, of: series)
        if plan.profile.time.isUTC { settled.zone = time.zone }
        return settled
    }

    /// The clock's offset from UTC in minutes, where a column of the row has it.
    func offset(_ reader: CSVReader) -> Int? {
        guard let column = plan.zoneColumn ?? plan.long?.zone, column < reader.fieldCount, let text = reader.text(column)?.trimmed else {
            return nil
        }
        // A long table's own zone is in minutes: -330 is no -03:30.
        return plan.zoneColumn == nil ? OffsetUnit.minutes.offset(text) : zoneUnit.offset(text)
    }

    /// The time of a row that only tells its distance from a start.
    @inline(never)
    func countedTime(_ reader: CSVReader, _ bytes: RawSpan) -> ParsedTime? {
        switch plan.timing {
        case .columns: return nil
        case .samples: return sampleTime.map { ParsedTime(microseconds: $0) }
        case .offsets(let start):
            let field = reader.field(plan.timeColumns[0])
            guard let offset = number.parse(bytes, Int(field.start), Int(field.end)), abs(offset) < 1e9 else { return nil }
            return ParsedTime(microseconds: start + Int64((offset * 1_000_000).rounded()))
        case .elapsed(let start):
            guard let minutes = reader.text(plan.timeColumns[0]).flatMap(TimeOfDay.minutes) else { return nil }
            return ParsedTime(microseconds: start + Int64((minutes * 60_000_000).rounded()))
        }
    }

    /// The time of a row that tells nothing of it: its place among the others does.
    var sampleTime: Int64? {
        guard case .samples(let start, let rate) = plan.timing else { return nil }
        return (Double(account.rows - 1) / rate * 1_000_000).microseconds.map { start + $0 }
    }

    /// A date's and a time's column, as one text.
    @inline(never)
    mutating func parseJoinedTime(_ reader: CSVReader) -> ParsedTime? {
        let text = plan.timeColumns.map { $0 < reader.fieldCount ? reader.text($0)?.trimmed ?? "" : "" }.joined(separator: " ").trimmed
        let offset = offset(reader)
        if offset == nil, !followsZone(reader) { return nil }
        guard plan.profile.time.isUTC else { return times.read(text, offset: offset) }
        var time = times.read(text)
        if let moment = time?.microseconds, let minutes = offset ?? wearer?.offset(at: moment) { time?.zone = Int16(minutes) }
        return time
    }

    /// Reads the row's time by the zone that it names, `Asia/Tokyo`, or by the file's; false where it names one that is not known.
    mutating func followsZone(_ reader: CSVReader) -> Bool {
        let text = plan.zoneColumn.flatMap { $0 < reader.fieldCount ? reader.text($0)?.trimmed : nil } ?? ""
        let name = text.isEmpty || plan.profile.emptyMarks.contains(text) ? nil : text
        if name == zoneName { return true }
        let zone = name.flatMap(WearerZone.init)
        guard zone != nil || name == nil else { return false }
        zoneName = name
        times.follow(zone)
        return true
    }
}
