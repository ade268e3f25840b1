import Foundation
import SQLiteDatabase
import ServiceKit
import VigilSchema

/// A person's data in the state file, read on demand, each series once.
///
/// Threading: one task at a time, like its database.
final class StateRecord: PersonRecord {
    let participant: String
    let profile: ParticipantProfile
    private let tables: StateTables
    private let person: Int64
    private let now: Double
    private let registry: ModuleRegistry
    private let calendar: PersonCalendar
    private var numbers: [String: [NumberReading]] = [:]
    private var entriesByKind: [TimelineEntry.Kind: [TimelineEntry]]?

    /// Nil for an unknown person.
    init?(_ participant: String, in database: Database, registry: ModuleRegistry, now: Double) throws {
        tables = StateTables(database: database)
        guard let person = try tables.existingPerson(participant) else { return nil }
        self.person = person
        self.participant = participant
        self.registry = registry
        self.now = now
        profile = try tables.profile(person)
        calendar = PersonCalendar(zone: profile.timeZone.flatMap(TimeZone.init(identifier:)) ?? .gmt)
    }

    func readings(of metric: String) throws -> [NumberReading] {
        if let known = numbers[metric] { return known }
        var sources: [Series: Int] = [:]
        var clock = OffsetClock(zone: calendar.zone)
        let list = try rows(metric, "value IS NOT NULL") { row -> NumberReading in
            let time = Double(row.integer(0)) / 1_000_000
            let (day, second) = Self.place(time, row, &clock)
            let source = Series(source: row.text(2), interval: row.integer(5))
            let number = sources[source] ?? sources.count
            sources[source] = number
            return NumberReading(time: time, value: row.real(3), day: day, second: second, source: number)
        }
        numbers[metric] = list
        return list
    }

    func texts(of metric: String) throws -> [TextReading] {
        var clock = OffsetClock(zone: calendar.zone)
        return try rows(metric, "text IS NOT NULL") { row in
            let time = Double(row.integer(0)) / 1_000_000
            let (day, second) = Self.place(time, row, &clock)
            return TextReading(time: time, text: row.text(4), day: day, second: second)
        }
    }

    func entries(of kind: TimelineEntry.Kind) throws -> [TimelineEntry] {
        if let known = entriesByKind { return known[kind] ?? [] }
        let text = try tables.first("SELECT entries FROM person WHERE id = ?", [.integer(person)]) { $0.text(0) } ?? "[]"
        let all = try JSONDecoder().decode([TimelineEntry].self, from: Data(text.utf8)).sorted { ($0.time, $0.id) < ($1.time, $1.id) }
        let byKind = Dictionary(grouping: all, by: \.kind)
        entriesByKind = byKind
        return byKind[kind] ?? []
    }

    func setting(_ name: String) throws -> ParameterValue? { try tables.setting(person, name) }

    func finding(_ name: String) throws -> ParameterValue? {
        guard let dot = name.firstIndex(of: "."),
            case .value(let value)? = try tables.result(person, String(name[..<dot]))?.result.findings[
                String(name[name.index(after: dot)...])]
        else { return nil }
        return value
    }

    private func rows<Value>(_ metric: String, _ condition: String, _ read: (Statement) throws -> Value) throws -> [Value] {
        guard let number = try tables.existingMetric(metric), let retention = registry.retention(of: metric) else { return [] }
        let earliest = (now - Double(retention.days) * 86_400) * 1_000_000
        return try tables.all(
            """
            SELECT time, zone, source, value, text, interval FROM reading WHERE person = ? AND metric = ? AND time > ? AND \(condition)
            ORDER BY time, source, sequence, interval
            """, [.integer(person), .integer(number), .integer(Int64(max(earliest, -9e18)))], read)
    }

    /// By the offset of the reading if it has one, else by the zone where the person lives.
    private static func place(_ time: Double, _ row: Statement, _ clock: inout OffsetClock) -> (day: Int, second: Int) {
        let offset = row.isNull(1) ? clock.offset(at: time) : min(max(Int(row.integer(1)), -1440), 1440) * 60
        return PersonCalendar.place(of: time, offset: offset)
    }
}

/// A device's readings over equal intervals; a day's steps and an hour's are separate sources.
private struct Series: Hashable {
    let source: String
    let interval: Int64
}

/// A zone's offsets for rising times, looked up once between two changes of the clock.
private struct OffsetClock {
    private let zone: TimeZone
    private var known: (from: Double, until: Double, offset: Int)?

    init(zone: TimeZone) { self.zone = zone }

    mutating func offset(at time: Double) -> Int {
        if let known, time >= known.from, time < known.until { return known.offset }
        let date = Date(timeIntervalSince1970: time)
        let offset = zone.secondsFromGMT(for: date)
        let next = zone.nextDaylightSavingTimeTransition(after: date)?.timeIntervalSince1970
        // No rules are known so far ahead, so they are looked up again after a month.
        known = (time, min(next ?? .infinity, time + 30 * 86_400), offset)
        return offset
    }
}
