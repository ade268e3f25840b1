import AlertRules
import Alerting
import Foundation
import Testing
import VigilSchema

/// Every combination of age, pregnancy, saturation scale, metric and extreme value: somebody is told, or it is said who is not watched.
@Suite("Everybody is watched")
struct EverybodyIsWatchedTests {
    private struct Person: Hashable, CustomStringConvertible {
        let age: Double
        let isPregnant: Bool
        let usesScale2: Bool

        var description: String { "\(age) years\(isPregnant ? ", pregnant" : "")\(usesScale2 ? ", scale 2" : "")" }
    }

    private struct Extreme {
        let metric: String
        var value: ReplayReading.Value
        /// Seconds between two readings.
        let interval: Int64
    }

    private static let people = [0.1, 0.6, 3, 8, 14, 17, 31, 50, 82].flatMap { age in
        [false, true].compactMap { isPregnant in
            isPregnant && !(14...50).contains(age) ? nil : Person(age: age, isPregnant: isPregnant, usesScale2: false)
        }
    }

    /// The second scale of the saturation is tried where it matters.
    private static let pairs = people.flatMap { person in
        extremes.map { (person, $0) }
            + extremes.filter { $0.metric == "oxygen-saturation" }.map {
                (Person(age: person.age, isPregnant: person.isPregnant, usesScale2: true), $0)
            }
    }

    private static let extremes =
        [
            ("heart-rate", 25, 10), ("heart-rate", 235, 10), ("oxygen-saturation", 70, 10), ("respiration-rate", 3, 10),
            ("respiration-rate", 75, 10), ("body-temperature", 30, 300), ("body-temperature", 42, 300), ("systolic-pressure", 55, 900),
            ("systolic-pressure", 215, 900), ("diastolic-pressure", 135, 900), ("mean-arterial-pressure", 28, 10),
            ("blood-glucose", 30, 900), ("blood-glucose", 650, 900), ("ecg-pause", 8, 5),
            ("respiration-pause", 40, 5), ("help-call", 1, 3600), ("fall-detected", 1, 3600), ("blood-ketones", 5, 3600),
            ("phq9-self-harm", 1, 3600),
        ].map { Extreme(metric: $0.0, value: .number(Double($0.1)), interval: Int64($0.2)) }
        + ["confusion", "voice", "pain", "unresponsive"].map { Extreme(metric: "consciousness", value: .text($0), interval: 3600) }

    /// Values that are not extreme: each must be told of somebody of an age.
    private static func moderate(age: Double) -> [Extreme] {
        let values: [(String, Double, Int64)] =
            switch age {
            case ..<1:
                [
                    ("heart-rate", 195, 10), ("heart-rate", 75, 10), ("respiration-rate", 76, 10), ("respiration-rate", 18, 10),
                    ("systolic-pressure", 55, 900), ("systolic-pressure", 125, 900), ("diastolic-pressure", 90, 900),
                    ("mean-arterial-pressure", 33, 10), ("body-temperature", 35.6, 300), ("body-temperature", 38.6, 300),
                ]
            case ..<12:
                [
                    ("heart-rate", 175, 10), ("heart-rate", 50, 10), ("respiration-rate", 45, 10), ("respiration-rate", 12, 10),
                    ("systolic-pressure", 68, 900), ("systolic-pressure", 145, 900), ("diastolic-pressure", 95, 900),
                    ("mean-arterial-pressure", 40, 10), ("body-temperature", 34.5, 300), ("body-temperature", 39.5, 300),
                ]
            case ..<18:
                [
                    ("heart-rate", 135, 10), ("heart-rate", 38, 10), ("respiration-rate", 32, 10), ("respiration-rate", 9, 10),
                    ("systolic-pressure", 84, 900), ("systolic-pressure", 165, 900), ("diastolic-pressure", 102, 900),
                    ("mean-arterial-pressure", 56, 10), ("body-temperature", 34.5, 300), ("body-temperature", 39.5, 300),
                ]
            default:
                [
                    ("heart-rate", 136, 10), ("heart-rate", 38, 10), ("respiration-rate", 32, 10), ("respiration-rate", 7, 10),
                    ("systolic-pressure", 86, 900), ("systolic-pressure", 188, 900), ("diastolic-pressure", 124, 900),
                    ("mean-arterial-pressure", 60, 10), ("body-temperature", 34.5, 300), ("body-temperature", 39.5, 300),
                ]
            }
        return
            (values + [
                ("oxygen-saturation", 87, 10), ("blood-glucose", 62, 900), ("blood-glucose", 420, 900), ("blood-ketones", 1.8, 3600),
            ])
            .map { Extreme(metric: $0.0, value: .number($0.1), interval: $0.2) }
    }

    /// Values that are told though only one of them comes: whoever measures once a day sends no second one.
    private static let single = [
        ("oxygen-saturation", 70), ("body-temperature", 42), ("body-temperature", 30), ("systolic-pressure", 55),
        ("systolic-pressure", 215),
        ("diastolic-pressure", 130), ("blood-glucose", 30), ("blood-glucose", 650), ("blood-ketones", 5), ("help-call", 1),
    ].map { Extreme(metric: $0.0, value: .number(Double($0.1)), interval: 1_000_000) }

    private static let start: Int64 = 1_790_812_800

    private static func told(_ person: Person, _ extreme: Extreme, _ rules: RuleSet) throws -> [AlertMessage] {
        var message = CommandMessage(command: "set-profile", actor: "test")
        message.profile = .init(
            born: Double(start) - person.age * 31_557_600, pregnant: person.isPregnant, saturationScale: person.usesScale2 ? 2 : 1)
        let profile = RecordedCommand(participant: "p", rule: "all", time: start * 1_000_000, message: message)
        // What comes all the time is tried for ten minutes, the rest for two hours: each in few enough readings for a debug build.
        let readings = stride(from: start, through: start + (extreme.interval < 60 ? 600 : 7200), by: Int(extreme.interval)).map {
            ReplayReading(participant: "p", metric: extreme.metric, time: Int64($0 + 1) * 1_000_000, value: extreme.value, source: "a")
        }
        let result = try RuleReplay.run(rules: rules, readings: readings, commands: [profile], after: 1_200_000_000)
        return result.events.filter { ["raised", "severity-raised"].contains($0.transition) && $0.isAudible && $0.severity != "notice" }
    }

    @Test("an extreme value of anybody is told as an alarm within two hours, or it is said that no rule judges it")
    func everyCombination() async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let rules = try RuleSetReader.read(try RuleFolder.read(folder.appending(path: "deploy/rules").path))
        let moderate = Self.people.flatMap { person in Self.moderate(age: person.age).map { (person, $0) } }
        let single = Self.people.flatMap { person in Self.single.map { (person, $0) } }
        var silent: [String] = []
        var unjudged: [String] = []
        for (person, extreme) in Self.pairs + moderate + single {
            // Others wait for this thread.
            await Task.yield()
            let told = try Self.told(person, extreme, rules)
            let name = "\(person): \(extreme.metric) \(extreme.value)\(extreme.interval > 7200 ? ", once" : "")"
            if told.isEmpty { silent.append(name) }
            if !told.isEmpty, told.allSatisfy({ $0.rule == "no-rules-apply" }) { unjudged.append(name) }
        }
        #expect(silent.isEmpty, "\(silent.joined(separator: "\n"))")
        // Nothing of these needs to be left to a remark that nobody watches.
        #expect(unjudged.isEmpty, "\(unjudged.joined(separator: "\n"))")
    }
}
