import AlertRules
import Foundation
import SignalSynthesis
import VigilSchema

/// Plays synthetic courses of vital signs through the alert engine.
enum CoursePlayer {
    /// A moment at which somebody would have been told.
    struct Told {
        /// Seconds after the course's start.
        var second: Double
        var rule: String
        var severity: String
        var isMedical: Bool
    }

    /// The end of the hour before anything happens, in seconds.
    static let quiet = 3600.0
    /// Midnight at which all courses start, in Unix seconds.
    private static let start = 1_790_812_800.0
    private static let telling: Set = ["raised", "severity-raised", "recurred", "worsened"]
    /// Less than a warning wakes nobody.
    private static let severities: Set = ["warning", "critical"]

    /// Returns what people would have heard, earliest first.
    static func play(_ course: VitalCourse, rules: RuleSet, seed: UInt64) throws -> [Told] {
        let readings = course.samples(seed: seed).map { sample in
            ReplayReading(
                participant: "drill", metric: sample.metric, time: microseconds(sample.time),
                value: sample.text.map(ReplayReading.Value.text) ?? .number(sample.value), source: sample.source)
        }
        let result = try RuleReplay.run(rules: rules, readings: readings, commands: [profile(of: course.person)], after: 1_000_000)
        return result.events.filter { telling.contains($0.transition) && severities.contains($0.severity) && $0.isAudible }
            .map { Told(second: $0.decided - start, rule: $0.rule, severity: $0.severity, isMedical: $0.kind == "medical") }
    }

    private static func profile(of person: VitalCourse.Person) -> RecordedCommand {
        var message = CommandMessage(command: "set-profile", actor: "drill")
        message.profile = CommandMessage.Profile(
            born: start - person.age * 365.25 * 86_400, pregnant: person.isPregnant, saturationScale: person.usesScale2 ? 2 : 1)
        return RecordedCommand(participant: "drill", rule: "all", time: microseconds(0), message: message)
    }

    private static func microseconds(_ second: Double) -> Int64 { Int64(((start + second) * 1e6).rounded()) }
}
