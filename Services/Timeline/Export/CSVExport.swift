import VigilSchema

/// A row an observation: RFC 4180 with a header. A block of samples is one row, its samples separated by spaces.
///
/// `period` is what a number counts over, or what lies between samples, in seconds. `time` is Unix seconds, exact to the microsecond, so that a file can be imported again; `instant` is the same for people.
struct CSVExport: ExportEncoder {
    /// Leaves texts as they are that a spreadsheet would take for a formula.
    let isRaw: Bool

    private static let header = "participant-id,time,instant,metric,value,unit,text,period,samples,source,session-id,seq,zone\r\n"

    mutating func begin(_ output: inout [UInt8]) { output.append(contentsOf: Self.header.utf8) }

    mutating func add(_ group: ObservationGroup, to output: inout [UInt8]) {
        for observation in group.observations {
            var (value, text, period, samples) = cells(observation.content)
            if observation.interval > 0, period.isEmpty { period = String(observation.interval) }
            let row = [
                group.participant, Self.seconds(observation.time), InstantText.iso8601(observation.time, zone: observation.zone),
                harmless(observation.metric), value, harmless(observation.unit), harmless(text), period, samples, harmless(group.source),
                harmless(group.session ?? ""),
                observation.sequence == 0 ? "" : String(observation.sequence), observation.zone.map { String($0) } ?? "",
            ]
            output.append(contentsOf: (row.map(CSVCell.quoted).joined(separator: ",") + "\r\n").utf8)
        }
    }

    mutating func end(_ output: inout [UInt8]) {}

    private func cells(_ content: Observation.Content) -> (value: String, text: String, period: String, samples: String) {
        switch content {
        case .value(let value): (Self.number(value), "", "", "")
        case .text(let text): ("", text, "", "")
        case .samples(let samples, let period):
            ("", "", Self.number(period), samples.map(Self.number).joined(separator: " "))
        }
    }

    /// The shortest text that reads back as the same number.
    static func number(_ value: Double) -> String {
        if let integer = Int64(exactly: value), integer.magnitude < 1 << 53 { return String(integer) }
        return value.description
    }

    private static func seconds(_ time: Timestamp) -> String {
        let (seconds, micros) = time.microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        let digits = String(micros)
        let fraction = micros == 0 ? "" : "." + String(repeating: "0", count: 6 - digits.count) + digits
        return (time.microseconds < 0 ? "-" : "") + String(seconds) + fraction
    }

    private func harmless(_ text: String) -> String { isRaw ? text : CSVCell.harmless(text) }
}

/// Times as people and programs read them: ISO 8601 in UTC, or with the wearer's offset where that is known.
enum InstantText {
    /// For example `2017-01-19T15:36:22.41Z` or `2017-01-19T10:36:22.41-05:00`. Microseconds as far as they are needed.
    ///
    /// Days are counted after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2013.
    static func iso8601(_ time: Timestamp, zone: Int16? = nil) -> String {
        let local = time.microseconds + Int64(zone ?? 0) * 60_000_000
        let (day, inDay) = floorDivide(local, 86_400_000_000)
        let (year, month, dayOfMonth) = civil(day)
        let (seconds, micros) = inDay.quotientAndRemainder(dividingBy: 1_000_000)
        let date = pad(year, 4) + "-" + pad(month, 2) + "-" + pad(dayOfMonth, 2)
        let clock = pad(seconds / 3600, 2) + ":" + pad(seconds / 60 % 60, 2) + ":" + pad(seconds % 60, 2)
        return date + "T" + clock + fraction(micros) + offset(zone)
    }

    private static func offset(_ zone: Int16?) -> String {
        guard let zone else { return "Z" }
        let minutes = Int64(zone.magnitude)
        return (zone < 0 ? "-" : "+") + pad(minutes / 60, 2) + ":" + pad(minutes % 60, 2)
    }

    private static func fraction(_ micros: Int64) -> String {
        guard micros > 0 else { return "" }
        var digits = pad(micros, 6)
        while digits.hasSuffix("0") { digits.removeLast() }
        return "." + digits
    }

    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func pad(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
