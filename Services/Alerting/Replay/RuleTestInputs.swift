import JSON5
import VigilSchema

/// Reads the readings and commands of a rule test.
struct RuleTestInputs {
    private static let longest = 1_000_000
    let participant: String
    /// Microseconds since 1970.
    let start: Int64
    let problems: JSON5Problems

    /// `{metric, at, value}` or `{metric, from, to, every, value}`; `text` instead of `value` for texts.
    func readings(_ value: JSON5Value) -> [ReplayReading] {
        guard var object = JSON5Object(value, as: "a reading", problems: problems) else { return [] }
        object.require("metric")
        let person = object.string("participant") ?? participant
        let content = object.number("value").map(ReplayReading.Value.number) ?? object.string("text").map(ReplayReading.Value.text)
        if content == nil { problems.add("a reading needs \"value\" or \"text\"", at: value.position) }
        let metric = object.string("metric")
        let times = times(&object, value.position)
        object.refuseUnknown()
        guard let metric, let content else { return [] }
        return times.map { ReplayReading(participant: person, metric: metric, time: start + $0, value: content) }
    }

    private func times(_ object: inout JSON5Object, _ position: SourcePosition) -> [Int64] {
        guard object.has("from") || object.has("to") || object.has("every") else {
            object.require("at")
            return object.duration("at").map { [$0] } ?? []
        }
        for name in ["from", "to", "every"] { object.require(name) }
        guard let from = object.duration("from"), let to = object.duration("to"), let every = object.duration("every") else { return [] }
        guard every > 0, to >= from, (to - from) / every < Self.longest else {
            problems.add("\"from\", \"to\" and \"every\" must make 1 to \(Self.longest) readings", at: position)
            return []
        }
        return Array(stride(from: from, through: to, by: Int64.Stride(every)))
    }

    /// `{at, command, rule, actor, reason, duration, severity, value, profile}`.
    func command(_ value: JSON5Value) -> ReplayCommand? {
        guard var object = JSON5Object(value, as: "a command", problems: problems) else { return nil }
        object.require("at")
        let at = object.duration("at")
        let name = object.choice("command", of: CommandMessage.changing)
        let (person, rule) = (object.string("participant") ?? participant, object.string("rule") ?? "all")
        var message = CommandMessage(command: name ?? "", actor: object.string("actor") ?? "test", reason: object.string("reason"))
        message.duration = object.string("duration")
        message.severity = object.string("severity")
        message.value = object.number("value")
        message.profile = profile(&object)
        object.refuseUnknown()
        guard let at, name != nil else { return nil }
        return ReplayCommand(participant: person, rule: rule, time: start + at, message: message)
    }

    private func profile(_ object: inout JSON5Object) -> CommandMessage.Profile? {
        guard var profile = object.object("profile") else { return nil }
        defer { profile.refuseUnknown() }
        return CommandMessage.Profile(
            born: profile.number("born"), pregnant: profile.bool("pregnant"),
            saturationScale: profile.integer("saturationScale", in: 1...2), height: profile.number("height"))
    }
}
