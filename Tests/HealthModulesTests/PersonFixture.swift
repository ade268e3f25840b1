import Foundation
import ServiceKit
import VigilSchema

@testable import HealthModules

/// A person as a module is given them, in memory.
struct PersonFixture: PersonRecord {
    /// Sunday, 22 November 2026, 12:00 UTC.
    static let noon = 1_795_348_800.0

    var participant = "anna"
    var profile = ParticipantProfile(birthDate: "1980-06-15", sex: .female, height: 170)
    var numbers: [String: [NumberReading]] = [:]
    var words: [String: [TextReading]] = [:]
    var list: [TimelineEntry] = []
    var settings: [String: ParameterValue] = [:]
    var found: [String: ParameterValue] = [:]

    private var calendar: PersonCalendar { PersonCalendar(zone: profile.timeZone.flatMap(TimeZone.init(identifier:)) ?? .gmt) }

    /// Adds values by their time.
    mutating func add(_ metric: String, _ values: [(time: Double, value: Double)]) {
        numbers[metric, default: []] += values.map {
            let (day, second) = calendar.place(of: $0.time)
            return NumberReading(time: $0.time, value: $0.value, day: day, second: second)
        }
        numbers[metric]?.sort { $0.time < $1.time }
    }

    mutating func add(_ metric: String, text: String, at time: Double) {
        let (day, second) = calendar.place(of: time)
        words[metric, default: []].append(TextReading(time: time, text: text, day: day, second: second))
    }

    func readings(of metric: String) -> [NumberReading] { numbers[metric] ?? [] }
    func texts(of metric: String) -> [TextReading] { words[metric] ?? [] }
    func entries(of kind: TimelineEntry.Kind) -> [TimelineEntry] { list.filter { $0.kind == kind } }
    func setting(_ name: String) -> ParameterValue? { settings[name] }
    func finding(_ name: String) -> ParameterValue? { found[name] }

    /// Returns what a module says of the person.
    func evaluate(_ module: any HealthModule, at time: Double = noon) throws -> ModuleResult {
        try module.evaluate(ModuleContext(module: module, record: self, now: time))
    }
}

extension ModuleResult {
    /// A number that was found; nil where it is not known.
    func number(_ name: String) -> Double? {
        guard case .value(.number(let value))? = findings[name] else { return nil }
        return value
    }

    func text(_ name: String) -> String? {
        guard case .value(.text(let value))? = findings[name] else { return nil }
        return value
    }
}
