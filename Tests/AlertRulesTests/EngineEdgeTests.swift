import Testing

@testable import AlertRules

/// What counts, and what is known, at the very edges of time, habit and share.
@Suite("Conditions at their edges")
struct EngineEdgeTests {
    private static let share = #"severity: "warning", above: 110, for: "20s", share: 0.8"#

    /// A reading a second, of which twenty come within the delay, so that four may miss.
    static let shares: [Course] = [
        Course(
            "as many as may miss of the readings that will come do not end it", share,
            "0 90; 1 90; 2 90; 3 120; 4 90; 5 90; 6 90; 7 90; 8 120; 9 120; 10 120; 11 120; 12 120; 13 120; 14 120; 15 120; 16 120; "
                + "17 120; 18 120; 19 120; 20 120; 21 120; 22 120; 23 120",
            "3 pending warning; 23 raised warning since 3"),
        Course(
            "one more does", share, "0 90; 1 90; 2 90; 3 120; 4 90; 5 90; 6 90; 7 90; 8 120; 9 90",
            "3 pending warning; 9 cancelled none"),
        Course(
            "of a series without a habit it is those that came", share, "0 120; 1 90; 2 120",
            "0 pending warning; 1 cancelled none; 2 pending warning"),
        Course("of one with two gaps it is its habit", share, "0 120; 1 120; 2 90; 3 120", "0 pending warning"),
    ]

    @Test("a share is one of the readings that usually come", arguments: shares)
    func share(course: Course) throws { try course.check() }

    static let habits: [Course] = [
        Course(
            "is waited for during three of its intervals, and no longer",
            #"severity: "warning", above: 110, for: "40m", staleAfter: "10m", lateness: "5s""#,
            "0 100; 1800 100; 3600 120; 9000; 9001", "3600 pending warning; 9001 cancelled none @9000.000001"),
        Course(
            "is waited for also where something else makes it looked at",
            #"severity: "warning", above: 110, for: "40m", staleAfter: "10m", lateness: "5s""#,
            "0 100; 1800 100; 3600 120; 9000 set 111; 9001",
            "3600 pending warning; 9000 threshold-changed warning; 9001 cancelled none @9000.000001"),
    ]

    @Test("a series that comes seldom", arguments: habits)
    func habit(course: Course) throws { try course.check() }

    private static func both(_ more: String = "") -> String {
        let one = #"{metric: "x-one", above: 1}"#
        return
            "{rules: [{id: \"a\", severity: \"warning\", staleAfter: \"1m\", \(more) all: [\(one), \(one.replacing("one", with: "two"))]}]}"
    }

    static let mixed: [Course] = [
        Course("measured just as long before counts, whenever it came", both(), "10 x-one 2 -10; 60 x-two 2", "60 raised warning"),
        Course("measured longer before does not, though it came later", both(), "10 x-one 2 -10; 61 x-two 2", ""),
    ]

    @Test("of two metrics the one", arguments: mixed)
    func ofTwo(course: Course) throws { try course.check() }

    private static let cuff = """
        {rules: [{id: "crisis", severity: "critical", staleAfter: "12h", MORE
          any: [{metric: "systolic-pressure", above: 180}, {metric: "diastolic-pressure", above: 120}]}]}
        """
    private static func paired(_ condition: String) -> String { "{rules: [{id: \"a\", paired: \"1m\", staleAfter: \"1h\", \(condition)}]}" }

    static let pairs: [Course] = [
        Course(
            "are one reading where they are a minute apart, which ends what neither says any more", cuff.replacing("MORE", with: ""),
            "0 systolic-pressure 190; 60 diastolic-pressure 90; 120 systolic-pressure 150", "0 raised critical; 120 cleared critical"),
        Course(
            "are two where they are further apart, of which half ends nothing", cuff.replacing("MORE", with: ""),
            "0 systolic-pressure 190; 60 diastolic-pressure 90; 121 systolic-pressure 150; 122 diastolic-pressure 90",
            "0 raised critical; 122 cleared critical"),
        Course(
            "count once within a minute", cuff.replacing("MORE", with: #"repeat: {count: 2, within: "30m"},"#),
            "0 systolic-pressure 190; 60 diastolic-pressure 130; 300 systolic-pressure 190", "300 raised critical"),
        Course(
            "count twice beyond", cuff.replacing("MORE", with: #"repeat: {count: 2, within: "30m"},"#),
            "0 systolic-pressure 190; 61 diastolic-pressure 130", "61 raised critical"),
        Course(
            "are one reading also where the older of them comes later", cuff.replacing("MORE", with: ""),
            "60 diastolic-pressure 90; 61 systolic-pressure 190 -61", "61 raised critical @0"),
        Course(
            "are of a former reading where they lie further back", cuff.replacing("MORE", with: ""),
            "60 diastolic-pressure 90; 62 systolic-pressure 190 -63", ""),
        Course(
            "hold together where a third is not there yet",
            paired(
                #"severity: "warning", any: [{all: [{metric: "x-one", above: 1}, {metric: "x-two", above: 1}]}, {metric: "x-three", above: 1}]"#
            ),
            "0 x-one 2; 60 x-two 2", "60 raised warning"),
        Course(
            "hold together no longer than that",
            paired(
                #"severity: "warning", any: [{all: [{metric: "x-one", above: 1}, {metric: "x-two", above: 1}]}, {metric: "x-three", above: 1}]"#
            ),
            "0 x-one 2; 61 x-two 2", ""),
        Course(
            "go on as levels of their own",
            paired(
                #"levels: [{severity: "notice", metric: "x-one", above: 1, for: "1m"}, {severity: "warning", metric: "x-two", above: 1}, "#
                    + #"{severity: "critical", metric: "x-three", above: 1}]"#),
            "0 x-one 2; 60 x-two 0", "0 pending notice; 60 raised notice since 0"),
    ]

    @Test("numbers that are one reading", arguments: pairs)
    func pair(course: Course) throws { try course.check() }

    private static let plain = #"severity: "warning", above: 110"#

    static let readings: [Course] = [
        Course("of one time counts as the later", plain, "0 90; 0 120; 1 120; 1 90", "0 raised warning; 1 cleared warning"),
        Course(
            "within less than one of the limit is in a narrow dead band",
            #"{rules: [{id: "a", metric: "body-temperature", severity: "warning", above: 38, hysteresis: 0.5}]}"#,
            "0 body-temperature 38.1; 1 body-temperature 37.6; 2 body-temperature 37.5", "0 raised warning; 2 cleared warning"),
        Course(
            "that comes late and is just not above the limit interrupts a delay", plain + #", for: "20s""#,
            "0 120; 10 120; 11 109.5 -6; 24 120; 25 120", "0 pending warning; 25 raised warning since 5"),
        Course(
            "as old as the rule allows keeps the pulse from standing in", plain + #", maximumAge: "10m""#,
            "700 90 -600; 701 pulse-rate 120",
            ""),
        Course(
            "that is older does not", plain + #", maximumAge: "10m""#, "700 90 -601; 701 pulse-rate 120", "701 raised warning"),
    ]

    @Test("a reading", arguments: readings)
    func reading(course: Course) throws { try course.check() }

    private static let stand = """
        {rules: [{id: "stand", metric: "systolic-pressure", severity: "warning", take: "fall", staleAfter: "1h",
          after: {metric: "x-posture", equals: "standing"}, within: "3m", atLeast: LEAST}]}
        """

    static let events: [Course] = [
        Course(
            "begins with the later of two readings of one time", stand.replacing("LEAST", with: "20"),
            "0 systolic-pressure 130; 0 systolic-pressure 120; 10 x-posture standing; 20 systolic-pressure 105; 30 systolic-pressure 100",
            "30 raised warning"),
        Course(
            "counts from its own moment on", stand.replacing("LEAST", with: "20"),
            "0 systolic-pressure 130; 10 x-posture standing; 10 systolic-pressure 110", "10 raised warning"),
        Course(
            "that was not yet, or is over, has changed nothing", stand.replacing("LEAST", with: "1"),
            "0 systolic-pressure 130; 10 x-posture standing; 20 systolic-pressure 129; 30 x-posture lying; 40 systolic-pressure 100",
            "20 raised warning; 40 cleared warning"),
    ]

    @Test("an event", arguments: events)
    func event(course: Course) throws { try course.check() }

    static let timers: [Course] = [
        Course(
            "that ends a silence is no reading", #"severity: "warning", above: 110, repeat: {count: 3, within: "1m"}"#,
            "0 120; 1 silence 30; 31 120; 32 120", "1 silenced none +quiet; 30 silence-ended none; 32 raised warning"),
        Course(
            "follows at once where a silence is taken back after an escalation was due",
            #"staleAfter: "2h", escalate: [{after: "1m", to: "nurse"}], severity: "warning", above: 110"#,
            "0 120; 10 silence 300; 100 unsilence; 101",
            "0 raised warning; 10 silenced warning +quiet; 100 unsilenced warning; 101 escalated warning @100.000001 to nurse"),
    ]

    @Test("a timer", arguments: timers)
    func timer(course: Course) throws { try course.check() }
}
