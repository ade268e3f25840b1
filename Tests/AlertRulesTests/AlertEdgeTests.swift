import Testing

@testable import AlertRules

/// By how much an alert must be worse, how long a series may be quiet, and what an event says of several values.
@Suite("Alerts at their edges")
struct AlertEdgeTests {
    private static let limits =
        #"{rules: [{id: "any", severity: "warning", any: [{metric: "x-one", above: 10}, {metric: "x-two", above: 200}]}]}"#

    static let margins: [Course] = [
        Course(
            "by a dead band of less than one",
            #"{rules: [{id: "a", metric: "body-temperature", severity: "warning", above: 38, hysteresis: 0.5}]}"#,
            "0 body-temperature 39; 1 clear 100; 2 body-temperature 39.4; 3 body-temperature 39.5",
            "0 raised warning; 1 cleared warning; 3 clear-ended none; 3 raised warning since 0"),
        Course(
            "by a twentieth of a limit below twenty", #"{rules: [{id: "a", metric: "x-one", severity: "warning", above: 10}]}"#,
            "0 x-one 11; 1 clear 100; 2 x-one 11.4; 3 x-one 11.5",
            "0 raised warning; 1 cleared warning; 3 clear-ended none; 3 raised warning since 0"),
        Course(
            "by a twentieth of a limit below twenty, where several metrics are compared", limits,
            "0 x-one 10.25; 1 clear 100; 2 x-one 10.625; 3 x-one 10.75",
            "0 raised warning; 1 cleared warning; 3 clear-ended none; 3 raised warning since 0"),
    ]

    @Test("one that was ended by hand is told again once it is worse", arguments: margins)
    func margin(course: Course) throws { try course.check() }

    private static let silent = #"kind: "technical", severity: "notice", noData: "2m", afterContinuous: "2m""#

    static let pauses: [Course] = [
        // Every ten seconds: a gap of a minute is longer than three intervals, and shorter than what may pass.
        Course(
            "that pauses for less than the rule allows runs on", silent,
            "0 70; 10 70; 20 70; 30 70; 90 70; 100 70; 110 70; 120 70; 130 70; 249; 250", "250 raised notice"),
        Course(
            "that pauses for longer begins anew", silent, "0 70; 10 70; 20 70; 30 70; 151 70; 160 70; 170 70; 180 70; 600", ""),
    ]

    @Test("a series", arguments: pauses)
    func pause(course: Course) throws { try course.check() }

    private static let clock = #"{id: "clock", kind: "technical", metric: "clock-offset", severity: "notice", outside: [-300, 300]}"#
    private static let high = #"{id: "high", metric: "heart-rate", severity: "warning", above: 110}"#

    static let readings: [Course] = [
        Course(
            "that is ahead by as many seconds as the rule allows is not told", "{rules: [\(clock), \(high)]}",
            "0 90 300; 1 90 301; 2 90 300",
            "1 clock raised notice; 2 clock cleared notice"),
        Course(
            "which only technical rules judge keeps the pulse from standing in",
            #"{rules: [{id: "odd", kind: "technical", metric: "heart-rate", severity: "notice", above: 110}]}"#,
            "0 90; 1 pulse-rate 120; 121 pulse-rate 120", "121 raised notice"),
    ]

    @Test("a heart rate", arguments: readings)
    func reading(course: Course) throws { try course.check() }

    @Test("the end of an alert bears the priority and the limit of the level that it was of", arguments: [(120.0, 110.0), (140, 130)])
    func endsOfLevels(value: Double, limit: Double) throws {
        var engine = try EngineHarness(
            #"{rules: [{id: "a", metric: "heart-rate", levels: [{severity: "warning", above: 110}, {severity: "critical", above: 130}]}]}"#)
        try engine.read("heart-rate", value, at: 0)
        try engine.read("heart-rate", 90, at: 1)
        #expect(engine.events.map(\.transition) == [.raised, .cleared])
        #expect(engine.events.map(\.alert.priority) == Array(repeating: limit == 110 ? AlertPriority.medium : .high, count: 2))
        #expect(engine.events.map(\.alert.threshold) == [limit, limit])
    }

    @Test(
        "of several metrics an event names the one that holds, with its value and limit, whichever stands first", arguments: ["one", "two"])
    func decisive(name: String) throws {
        var engine = try EngineHarness(
            #"{rules: [{id: "any", severity: "warning", any: [{metric: "x-one", above: 10}, {metric: "x-two", above: 20}]}]}"#)
        let other = name == "one" ? "two" : "one"
        try engine.read("x-\(other)", 5, at: 0)
        try engine.read("x-\(name)", 25, at: 1)
        let alert = try #require(engine.events.last?.alert)
        #expect(alert.metric.map { engine.engine.rules.metrics[$0] } == "x-\(name)")
        #expect(alert.value == 25 && alert.threshold == (name == "one" ? 10 : 20))
    }
}
