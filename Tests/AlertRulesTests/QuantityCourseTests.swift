import Testing

@testable import AlertRules

@Suite("Quantities over time")
struct QuantityCourseTests {
    private static let stand = """
        {rules: [{id: "stand", metric: "systolic-pressure", severity: "warning", take: "fall", staleAfter: "1h",
          after: {metric: "x-posture", equals: "standing"}, within: "3m", atLeast: 20}]}
        """

    static let anchored: [Course] = [
        Course(
            "counts from the value before it", stand,
            "0 systolic-pressure 130; 10 x-posture standing; 20 systolic-pressure 111; 30 systolic-pressure 110; 40 systolic-pressure 115",
            "30 raised warning; 40 cleared warning"),
        Course(
            "is of now for as long as the rule says", stand,
            "0 systolic-pressure 130; 10 x-posture standing; 190 systolic-pressure 110; 191 systolic-pressure 100",
            "190 raised warning; 191 cleared warning"),
        Course(
            "is nothing without a value before it", stand,
            "10 x-posture standing; 20 systolic-pressure 130; 30 systolic-pressure 100", ""),
        Course(
            "begins anew only once it was over", stand,
            """
            0 systolic-pressure 130; 10 x-posture standing; 20 systolic-pressure 120; 30 x-posture standing; 40 systolic-pressure 105;
            50 x-posture lying; 60 systolic-pressure 100; 70 x-posture standing; 80 systolic-pressure 81; 90 systolic-pressure 80
            """,
            "40 raised warning; 60 cleared warning; 90 raised warning"),
        Course(
            "counts upwards where a rise is taken", stand.replacing("fall", with: "rise"),
            "0 systolic-pressure 110; 10 x-posture standing; 20 systolic-pressure 129; 30 systolic-pressure 130", "30 raised warning"),
        Course(
            "counts upwards where a change is taken", stand.replacing("fall", with: "change"),
            "0 systolic-pressure 110; 10 x-posture standing; 20 systolic-pressure 90; 30 systolic-pressure 130", "30 raised warning"),
    ]

    @Test("a change since an event", arguments: anchored)
    func anchor(course: Course) throws { try course.check() }

    private static let shock = """
        {rules: [{id: "shock", severity: "warning", expression: "heart-rate / systolic-pressure", within: "1m", atLeast: 1, staleAfter: "1h"}]}
        """

    static let computed: [Course] = [
        Course(
            "takes the newest of each", shock, "0 systolic-pressure 100; 10 heart-rate 99; 20 heart-rate 100; 30 systolic-pressure 101",
            "20 raised warning; 30 cleared warning"),
        Course(
            "takes only what was measured within its time of each other", shock,
            "0 systolic-pressure 100; 61 heart-rate 120; 62 systolic-pressure 100", "62 raised warning"),
        Course(
            "takes what was measured just within it", shock, "0 systolic-pressure 100; 60 heart-rate 120", "60 raised warning"),
        Course(
            "does not take back a newer value for an older one", shock,
            "0 systolic-pressure 120; 10 heart-rate 110; 12 systolic-pressure 100 -13", ""),
        Course(
            "is of the time of its newest input, where another one comes late", shock,
            "0 heart-rate 90; 10 heart-rate 100; 12 systolic-pressure 100 -7; 20 heart-rate 90; 25 systolic-pressure 90 -10",
            "12 raised warning @10; 20 cleared warning; 25 raised warning @20"),
        Course(
            "counts its delay from its newest input, where another one comes late",
            shock.replacing("atLeast: 1,", with: #"atLeast: 1, for: "10s", lateness: "0s","#),
            "10 heart-rate 100; 12 systolic-pressure 100 -7; 19 heart-rate 100; 20 heart-rate 100",
            "12 pending warning @10; 20 raised warning since 10"),
        Course(
            "is no number where it is divided by nothing", shock.replacing("systolic-pressure", with: "x-one"),
            "0 heart-rate 100; 1 x-one 0; 2 x-one 100", "2 raised warning"),
    ]

    @Test("an expression", arguments: computed)
    func compute(course: Course) throws { try course.check() }

    static let windows: [Course] = [
        Course(
            "takes nothing back that lies before it", #"severity: "warning", take: "rise", over: "1m", atLeast: 20"#,
            "0 70; 30 89; 31 90; 60 90; 61 90", "31 raised warning; 61 cleared warning"),
        Course(
            "takes what comes late in its place", #"severity: "warning", take: "fall", over: "1m", atLeast: 20"#,
            "0 90; 20 71; 21 91 -6", "21 raised warning @20"),
        Course(
            "counts its delay from its newest reading, where another one comes late",
            #"severity: "warning", take: "fall", over: "1m", atLeast: 20, for: "10s""#,
            "0 90; 20 71; 21 91 -6; 29 71; 30 71", "21 pending warning @20; 30 raised warning since 20"),
        Course(
            "does not take what comes later than the lateness", #"severity: "warning", take: "fall", over: "1m", atLeast: 20"#,
            "0 90; 20 71; 21 91 -12", ""),
        Course(
            "of several readings, ahead of them",
            "severity: \"warning\", predict: {metric: \"heart-rate\", in: \"2m\", over: \"4m\", atLeast: 109}",
            "0 70; 60 80; 120 90", "120 raised warning"),
        Course(
            "of several readings that rise less, ahead of them",
            "severity: \"warning\", predict: {metric: \"heart-rate\", in: \"2m\", over: \"4m\", atLeast: 109}", "0 70; 60 80; 120 88", ""),
    ]

    @Test("a window", arguments: windows)
    func window(course: Course) throws { try course.check() }

    private static let qualified =
        #"severity: "warning", above: 110, staleAfter: "1m", quality: {metric: "ecg-quality", atLeast: 0.5}"#

    static let qualities: [Course] = [
        Course("that is just good enough counts", qualified, "0 ecg-quality 0.5; 1 120", "1 raised warning"),
        Course("that is not does not", qualified, "0 ecg-quality 0.49; 1 120; 2 ecg-quality 0.5; 3 120", "3 raised warning"),
        Course("of too long ago says nothing", qualified, "0 ecg-quality 0.1; 60 120; 61 120", "61 raised warning"),
        Course("that was never told says nothing", qualified, "0 120", "0 raised warning"),
        Course(
            "of the heart rate does not concern the pulse that stands in for it", qualified, "0 ecg-quality 0.1; 1 pulse-rate 120",
            "1 raised warning"),
    ]

    @Test("a reading's quality", arguments: qualities)
    func quality(course: Course) throws { try course.check() }

    static let pulses: [Course] = [
        Course("where no heart rate ever came", #"severity: "warning", above: 110"#, "0 pulse-rate 120", "0 raised warning"),
        Course(
            "two minutes after the last heart rate", #"severity: "warning", above: 110"#, "0 90; 120 pulse-rate 120; 121 pulse-rate 120",
            "121 raised warning"),
        Course(
            "and is not overruled by it", #"severity: "warning", above: 110"#, "0 pulse-rate 120; 1 90; 2 pulse-rate 120",
            "0 raised warning; 1 cleared warning"),
    ]

    @Test("a pulse rate stands in", arguments: pulses)
    func pulse(course: Course) throws { try course.check() }

    private static let pair = """
        {rules: [
          {id: "first", metric: "x-one", levels: [{severity: "notice", above: 1}, {severity: "warning", above: 5}]},
          {id: "second", severity: "warning", all: [{alert: "first", minimum: "warning"}, {metric: "x-two", above: 1}]}]}
        """

    static let references: [Course] = [
        Course(
            "holds while it is active and bad enough", pair, "0 x-two 2; 1 x-one 2; 2 x-one 6; 3 x-one 2",
            """
            1 first raised notice; 2 first severity-raised warning; 2 second raised warning; 3 first severity-lowered notice; \
            3 second cleared warning
            """),
        Course(
            "holds not once it is only latched", pair.replacing("{id: \"first\",", with: "{id: \"first\", latch: true,"),
            "0 x-two 2; 1 x-one 6; 2 x-one 0",
            "1 first raised warning; 1 second raised warning; 2 first recovered warning +over; 2 second cleared warning"),
    ]

    @Test("a condition on another alert", arguments: references)
    func reference(course: Course) throws { try course.check() }

    private static func inhibiting(_ more: String = "") -> String {
        """
        {rules: [
          {id: "one", metric: "x-one", \(more) levels: [{severity: "notice", above: 1}, {severity: "critical", above: 5}]},
          {id: "two", metric: "x-two", severity: "notice", above: 1, inhibitedBy: ["one"], escalate: [{after: "1m", to: "nurse"}]}]}
        """
    }

    static let inhibitions: [Course] = [
        Course(
            "is told, also to what is active already", inhibiting(), "0 x-two 2; 10 x-one 2; 20 x-one 0; 100",
            """
            0 two raised notice; 10 one raised notice; 10 two inhibited notice +inhibited; 20 one cleared notice; 20 two uninhibited notice; \
            60 two escalated notice to nurse
            """),
        Course(
            "lets nothing escalate, and what was due does so once it is over", inhibiting(), "0 x-two 2; 10 x-one 2; 100 x-one 0; 102",
            """
            0 two raised notice; 10 one raised notice; 10 two inhibited notice +inhibited; 100 one cleared notice; 100 two uninhibited notice; \
            101 two escalated notice @100.000001 to nurse
            """),
        Course(
            "does not concern one that is worse, also where that begins later",
            inhibiting().replacing(#"severity: "notice", above: 1, inh"#, with: #"severity: "critical", above: 1, inh"#),
            "0 x-one 2; 1 x-two 2; 2 x-one 6; 3 x-one 2",
            """
            0 one raised notice; 1 two raised critical; 2 one severity-raised critical; 2 two inhibited critical +inhibited; \
            3 one severity-lowered notice; 3 two uninhibited critical
            """),
        Course(
            "is over where the other is only latched", inhibiting("latch: true,"), "0 x-one 2; 1 x-two 2; 2 x-one 0",
            "0 one raised notice; 1 two raised notice +inhibited; 2 one recovered notice +over; 2 two uninhibited notice"),
    ]

    private static let both = """
        {rules: [{id: "both", severity: "warning", staleAfter: "1m", all: [{metric: "x-one", above: 1}, {metric: "x-two", above: 1}]}]}
        """

    static let mixed: [Course] = [
        Course("of what is just not too old", both, "0 x-one 2; 60 x-two 2", "60 raised warning"),
        Course("of what is too old is not known", both, "0 x-one 2; 61 x-two 2", ""),
        Course(
            "of which one ends it", both, "0 x-one 2; 1 x-two 2; 2 x-one 1", "1 raised warning; 2 cleared warning"),
        Course(
            "that was ended by hand stays quiet until the worst is worse by a margin",
            #"{rules: [{id: "any", severity: "warning", any: [{metric: "x-one", above: 100}, {metric: "x-two", above: 200}]}]}"#,
            // 2 ÷ 5 margins beyond its limit; 13 ÷ 10 and 14 ÷ 10 then.
            "0 x-one 102; 1 clear 100; 2 x-two 213; 3 x-two 214",
            "0 raised warning; 1 cleared warning; 3 clear-ended none; 3 raised warning since 0"),
    ]

    private static let limits = #"{rules: [{id: "any", severity: "warning", any: [FIRST, {metric: "x-two", above: 200}]}]}"#

    static let cleared: [Course] = [
        Course(
            "in the dead band of what held it", limits.replacing("FIRST", with: #"{metric: "x-one", above: 100, hysteresis: 10}"#),
            "0 x-one 102; 1 clear 100; 2 x-one 95; 3 x-one 104; 4 x-one 107",
            "0 raised warning; 1 cleared warning; 4 clear-ended none; 4 raised warning since 0"),
        Course(
            "by whole units where a limit is nothing", limits.replacing("FIRST", with: #"{metric: "x-one", above: 0}"#),
            "0 x-one 0.5; 1 clear 100; 2 x-one 1.4; 3 x-one 1.5",
            "0 raised warning; 1 cleared warning; 3 clear-ended none; 3 raised warning since 0"),
    ]

    @Test("an alert on several metrics that was ended by hand stays quiet", arguments: cleared)
    func clearedByHand(course: Course) throws { try course.check() }

    private static func several(_ condition: String, _ members: String) -> String {
        """
        {rules: [{id: "several", severity: "warning", staleAfter: "1m", \(members), \(condition)}]}
        """
    }
    private static let (one, two, three) =
        (#"{metric: "x-one", above: 1}"#, #"{metric: "x-two", above: 1}"#, #"{metric: "x-three", above: 1}"#)

    static let late: [Course] = [
        Course(
            "begins all of it with the last that holds", several("all: [\(one), \(two)]", #"for: "20s", lateness: "0s""#),
            "9 x-one 1; 10 x-one 2; 12 x-two 2 -7; 29 x-one 2; 30 x-one 2", "12 pending warning @10; 30 raised warning since 10"),
        Course(
            "is told of the last that holds", several("all: [\(one), \(two)]", #"lateness: "0s""#), "10 x-one 2; 12 x-two 2 -7",
            "12 raised warning @10"),
        Course(
            "begins any of it with the first that holds", several("any: [\(one), \(two)]", #"for: "20s", lateness: "0s""#),
            "10 x-one 1; 12 x-two 2 -7; 24 x-one 1; 25 x-one 1", "12 pending warning @5; 25 raised warning since 5"),
        Course(
            "ends any of it with the last that held", several("any: [\(one), \(two)]", #"keepFiringFor: "20s", lateness: "0s""#),
            "0 x-one 2; 1 x-two 2; 10 x-one 1; 12 x-two 1 -7; 29 x-one 1; 30 x-one 1", "0 raised warning; 30 cleared warning"),
        Course(
            "begins within the schedule of the last that holds",
            several("all: [\(one), \(two)]", #"lateness: "0s", schedule: {zone: "UTC", from: "22:14", to: "23:00"}"#),
            "41 x-one 2; 42 x-two 2 -7", "42 raised warning @41"),
        Course(
            "interrupts the delay of all of it", several("all: [\(one), \(two)]", #"for: "20s""#),
            "0 x-one 2; 0 x-two 2; 10 x-one 2; 12 x-one 1 -7; 24 x-one 2; 25 x-one 2", "0 pending warning; 25 raised warning since 5"),
        Course(
            "interrupts the delay of what must not be", several("all: [{not: \(one)}, \(two)]", #"for: "20s""#),
            "0 x-one 1; 0 x-two 2; 10 x-one 1; 12 x-one 2 -7; 24 x-one 1; 25 x-one 1", "0 pending warning; 25 raised warning since 5"),
        Course(
            "interrupts no delay of any of it", several("any: [\(one), \(two)]", #"for: "20s""#),
            "0 x-one 2; 0 x-two 2; 10 x-one 2; 12 x-one 1 -7; 20 x-one 2", "0 pending warning; 20 raised warning since 0"),
        Course(
            "interrupts no delay of so many of it as can hold without",
            several("atLeast: 2, of: [\(one), \(two), \(three)]", #"for: "20s""#),
            "0 x-one 2; 0 x-two 2; 10 x-one 2; 12 x-one 1 -7; 20 x-one 2", "0 pending warning; 20 raised warning since 0"),
    ]

    @Test("what comes late of a condition on several metrics", arguments: late)
    func lateOfSeveral(course: Course) throws { try course.check() }

    @Test("a condition on several metrics", arguments: mixed)
    func several(course: Course) throws { try course.check() }

    @Test("keeping another alert quiet", arguments: inhibitions)
    func inhibition(course: Course) throws { try course.check() }
}
