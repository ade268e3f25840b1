import Foundation
package import ServiceKit
package import VigilSchema

/// A measured number, with its place in the person's calendar.
package struct NumberReading: Hashable, Sendable {
    /// Unix seconds.
    package let time: Double
    package let value: Double
    /// Days since 1970-01-01 by the person's local clock.
    package let day: Int
    /// Seconds since midnight of that day.
    package let second: Int
    /// Distinguishes devices, and a device's values of a day from those of an hour; has no other meaning.
    package let source: Int

    package init(time: Double, value: Double, day: Int, second: Int, source: Int = 0) {
        self.time = time
        self.value = value
        self.day = day
        self.second = second
        self.source = source
    }
}

/// An observed text.
package struct TextReading: Hashable, Sendable {
    package let time: Double
    package let text: String
    package let day: Int
    package let second: Int
}

/// A person's data, from the host's state or from a test.
package protocol PersonRecord {
    var participant: String { get }
    var profile: ParticipantProfile { get }
    /// A metric's numbers, earliest first.
    func readings(of metric: String) throws -> [NumberReading]
    /// A metric's texts, earliest first.
    func texts(of metric: String) throws -> [TextReading]
    /// The timeline's entries of a kind, earliest first.
    func entries(of kind: TimelineEntry.Kind) throws -> [TimelineEntry]
    /// A parameter of the person, by its full name.
    func setting(_ name: String) throws -> ParameterValue?
    /// A module's value, by its full name.
    func finding(_ name: String) throws -> ParameterValue?
}

/// The input of a module: one person at one time.
package struct ModuleContext {
    package let record: any PersonRecord
    /// The time of the evaluation in Unix seconds.
    package let now: Double
    package let calendar: PersonCalendar
    private let module: any HealthModule

    package init(module: any HealthModule, record: any PersonRecord, now: Double) {
        self.module = module
        self.record = record
        self.now = now
        calendar = PersonCalendar(zone: record.profile.timeZone.flatMap(TimeZone.init(identifier:)) ?? .gmt)
    }

    package var profile: ParticipantProfile { record.profile }
    /// The person's current day.
    package var today: Int { calendar.day(of: now) }

    /// A metric's numbers up to now, earliest first.
    package func readings(_ metric: String) throws -> [NumberReading] {
        let all = try record.readings(of: metric)
        // A device whose clock is ahead does not count today.
        return all.last.map { $0.time > now } ?? false ? all.filter { $0.time <= now } : all
    }

    /// A metric's texts up to now, earliest first.
    package func texts(_ metric: String) throws -> [TextReading] { try record.texts(of: metric).filter { $0.time <= now } }

    /// The module's parameter, or its default.
    package func setting(_ name: String) throws -> ParameterValue? {
        guard let parameter = module.parameters.first(where: { $0.name == name }), let accepts = parameter.accepts else { return nil }
        // A value that an earlier version accepted may be invalid now.
        let kept = try record.setting("\(module.id).\(name)").flatMap(accepts.reading)
        return kept ?? parameter.initial
    }

    /// A numeric parameter, or its default.
    package func number(_ name: String) throws -> Double? {
        guard case .number(let value)? = try setting(name) else { return nil }
        return value
    }

    /// A text parameter, or its default; empty: none.
    package func text(_ name: String) throws -> String {
        guard case .text(let value)? = try setting(name) else { return "" }
        return value
    }

    /// A number of another module.
    package func found(_ name: String) throws -> Double? {
        guard case .number(let value)? = try record.finding(name) else { return nil }
        return value
    }

    /// The person's age in years with a fraction; nil without a birth date.
    package func age(at time: Double) -> Double? {
        guard let birth = profile.birthDate.flatMap(PersonCalendar.day(written:)) else { return nil }
        let days = calendar.day(of: time) - birth
        return days < 0 ? nil : Double(days) / 365.25
    }

    /// The person's age in whole calendar years; nil without a birth date.
    package var years: Int? { profile.age(at: Timestamp(seconds: now)).flatMap { $0 >= 0 ? $0 : nil } }
}
