import Testing

@testable import AlertRules

@Suite("Commands to alerts, over time")
struct CommandCourseTests {
    private static let two = #"staleAfter: "1h", levels: [{severity: "warning", above: 110}, {severity: "critical", above: 130}]"#
    private static let steps = #"staleAfter: "2h", escalate: [{after: "1m", to: "nurse"}, {after: "3m", to: "doctor"}], "#
    private static let escalating =
        steps + #"levels: [{severity: "warning", above: 110}, {severity: "critical", above: 130}]"#

    static let silences: [Course] = [
        Course(
            "for what there is, not for what is worse", two, "0 120; 0 silence 60; 30 140; 70",
            "0 raised warning; 0 silenced warning +quiet; 30 severity-raised critical; 60 silence-ended critical"),
        Course(
            "up to a severity", two, "0 120; 0 silence 60 critical; 30 140; 70",
            "0 raised warning; 0 silenced warning +quiet; 30 severity-raised critical +quiet; 60 silence-ended critical"),
        Course(
            "of less than there is hides nothing", two, "0 140; 0 silence 60 warning; 20 120; 70",
            "0 raised critical; 0 silenced critical; 20 severity-lowered warning +quiet; 60 silence-ended warning"),
        Course(
            "before anything alarms hides the mildest level", two, "0 silence 60; 10 120; 20 140; 60",
            "0 silenced none +quiet; 10 raised warning +quiet; 20 severity-raised critical; 60 silence-ended critical"),
        Course(
            "again changes nothing, with another end or severity it does", two,
            "0 120; 1 silence 60; 2 silence 60; 3 silence 50; 4 silence 50 critical; 70",
            "0 raised warning; 1 silenced warning +quiet; 3 silenced warning +quiet; 4 silenced warning +quiet; 50 silence-ended warning"),
        Course(
            "taken back is over, and nothing more is told of it", two, "0 120; 1 silence 60; 2 unsilence; 3 unsilence; 70",
            "0 raised warning; 1 silenced warning +quiet; 2 unsilenced warning"),
        Course(
            "outlives the alert", two, "0 120; 1 silence 60; 2 100; 3 120; 70",
            "0 raised warning; 1 silenced warning +quiet; 2 cleared warning +quiet; 3 raised warning +quiet; 60 silence-ended warning"),
    ]

    @Test("a silence holds", arguments: silences)
    func silence(course: Course) throws { try course.check() }

    static let clearances: [Course] = [
        Course(
            "until it is worse by its dead band", #"staleAfter: "1h", severity: "warning", above: 110, clear: 105"#,
            "0 120; 1 clear 100; 2 124.9; 3 125; 4 126",
            "0 raised warning; 1 cleared warning; 3 clear-ended none; 3 raised warning since 0"),
        Course(
            "until it is worse by a twentieth of its limit, where the dead band is wider",
            #"staleAfter: "1h", severity: "warning", above: 110, hysteresis: 20"#, "0 120; 1 clear 100; 2 125.4; 3 125.5",
            "0 raised warning; 1 cleared warning; 3 clear-ended none; 3 raised warning since 0"),
        Course(
            "until it is worse by a twentieth of its limit, where there is no dead band",
            #"staleAfter: "1h", severity: "warning", above: 110"#,
            "0 120; 1 clear 100; 2 125.4; 3 125.5",
            "0 raised warning; 1 cleared warning; 3 clear-ended none; 3 raised warning since 0"),
        Course(
            "downwards where lower is worse", #"staleAfter: "1h", severity: "warning", below: 40"#, "0 38; 1 clear 100; 2 36.1; 3 36",
            "0 raised warning; 1 cleared warning; 3 clear-ended none; 3 raised warning since 0"),
        Course(
            "on either side, each by its own limit", #"staleAfter: "1h", severity: "warning", outside: [50, 110]"#,
            "0 40; 1 clear 100; 2 37.6; 3 120; 4 37.5",
            "0 raised warning; 1 cleared warning; 4 clear-ended none; 4 raised warning since 0"),
        Course(
            "until its time is over", #"staleAfter: "1h", severity: "warning", above: 110"#, "0 120; 1 clear 100; 50 120; 101",
            "0 raised warning; 1 cleared warning; 100 clear-ended none; 100 raised warning since 0"),
        Course(
            "until its condition has ended once", #"staleAfter: "1h", severity: "warning", above: 110"#,
            "0 120; 1 clear 100; 2 110; 3 120; 101",
            "0 raised warning; 1 cleared warning; 2 clear-ended none; 3 raised warning"),
        Course(
            "until another level, which is worse, begins", two, "0 120; 1 clear 100; 2 131; 101",
            "0 raised warning; 1 cleared warning; 2 clear-ended none; 2 raised critical since 0"),
        Course(
            "until another level begins, also where its value is hardly worse", two,
            "0 128; 1 clear 100; 2 131; 3 120; 101",
            """
            0 raised warning; 1 cleared warning; 2 clear-ended none; 2 raised critical since 0; 3 severity-lowered warning
            """),
        Course(
            "and not where a milder one remains", two, "0 140; 1 clear 100; 2 120; 3 140; 101",
            "0 raised critical; 1 cleared critical; 100 clear-ended none; 100 raised critical since 0"),
        Course(
            "nothing where the condition was over", #"latch: true, staleAfter: "1h", severity: "warning", above: 110"#,
            "0 120; 1 100; 2 clear 100; 3 120",
            "0 raised warning; 1 recovered warning +over; 2 cleared warning; 3 raised warning"),
        Course(
            "where only its dead band holds it, however much higher it is there",
            #"staleAfter: "1h", severity: "warning", above: 110, hysteresis: 20"#, "0 120; 1 95; 2 clear 100; 3 101; 4 110.5",
            "0 raised warning; 2 cleared warning; 4 clear-ended none; 4 raised warning since 0"),
        Course(
            "until its value has changed, where its limit is nothing",
            #"{rules: [{id: "a", metric: "x-one", severity: "warning", above: 0}]}"#, "0 x-one 1; 1 clear 100; 2 x-one 1; 3 x-one 1.1",
            "0 raised warning; 1 cleared warning; 3 clear-ended none; 3 raised warning since 0"),
        Course(
            "where no value is worse than another", #"staleAfter: "1h", severity: "warning", inside: [50, 110]"#, "0 60; 1 clear 100; 2 90",
            "0 raised warning; 1 cleared warning"),
        Course(
            "where it has no value", #"{rules: [{id: "a", metric: "x-posture", severity: "warning", equals: "lying"}]}"#,
            "0 x-posture lying; 1 clear 100; 2 x-posture lying; 3 x-posture up",
            "0 raised warning; 1 cleared warning; 3 clear-ended none"),
        Course(
            "until its value is worse, whatever level is waited for",
            #"staleAfter: "1h", levels: [{severity: "warning", above: 110}, {severity: "critical", above: 130, for: "1m"}]"#,
            "0 120; 1 clear 100; 10 130.5; 69 130.5; 70 130.5",
            "0 raised warning; 1 cleared warning; 10 clear-ended none; 10 raised warning since 0; 70 severity-raised critical"),
    ]

    @Test("an alert that was ended by hand stays quiet", arguments: clearances)
    func clear(course: Course) throws { try course.check() }

    static let escalations: [Course] = [
        Course(
            "steps at their times after the first moment", escalating, "0 120; 400",
            "0 raised warning; 60 escalated warning to nurse; 180 escalated warning to doctor"),
        Course(
            "by the clock, of the event time that it is then", escalating, "5 120 -5; 100",
            "5 raised warning @0; 65 escalated warning @60 to nurse"),
        Course(
            "once a silence is over, if it was due", escalating, "0 120; 10 silence 100; 181",
            "0 raised warning; 10 silenced warning +quiet; 100 silence-ended warning; 100 escalated warning to nurse; 180 escalated warning to doctor"
        ),
        Course(
            "no more once somebody acknowledged", escalating, "0 120; 59 ack; 400",
            "0 raised warning; 59 acknowledged warning +acknowledged"),
        Course(
            "anew where it becomes worse than what was acknowledged", escalating, "0 120; 70 ack; 100 140; 281",
            """
            0 raised warning; 60 escalated warning to nurse; 70 acknowledged warning +acknowledged; 100 severity-raised critical; \
            160 escalated critical to nurse; 280 escalated critical to doctor
            """),
        Course(
            "on where it becomes worse and nobody had acknowledged", escalating, "0 120; 30 140; 181",
            "0 raised warning; 30 severity-raised critical; 60 escalated critical to nurse; 180 escalated critical to doctor"),
        Course(
            "on in the same episode, without the pause", escalating, "0 120; 30 100; 100 120; 251",
            "0 raised warning; 30 cleared warning; 100 raised warning; 130 escalated warning to nurse; 250 escalated warning to doctor"),
        Course(
            "with its next step where the first was taken before the pause", escalating, "0 120; 70 100; 100 120; 211",
            "0 raised warning; 60 escalated warning to nurse; 70 cleared warning; 100 raised warning; 210 escalated warning to doctor"),
        Course(
            "in the same episode up to a quarter of an hour later", escalating, "0 120; 30 100; 930 120; 960",
            "0 raised warning; 30 cleared warning; 930 raised warning; 960 escalated warning to nurse"),
        Course(
            "anew after more than a quarter of an hour", escalating, "0 120; 30 100; 931 120; 991",
            "0 raised warning; 30 cleared warning; 931 raised warning; 991 escalated warning to nurse"),
        Course(
            "anew where the one before was acknowledged", escalating, "0 120; 10 ack; 30 100; 100 120; 160",
            "0 raised warning; 10 acknowledged warning +acknowledged; 30 cleared warning; 100 raised warning; 160 escalated warning to nurse"
        ),
        Course(
            "anew where somebody ended the one before", escalating, "0 120; 70 clear 300; 80 100; 100 120; 160",
            """
            0 raised warning; 60 escalated warning to nurse; 70 cleared warning; 80 clear-ended none; 100 raised warning; \
            160 escalated warning to nurse
            """),
        Course(
            "over a restart", escalating, "0 120; 59 restart; 61 restart; 70 100; 75 restart; 100 120; 211",
            "0 raised warning; 60 escalated warning to nurse; 70 cleared warning; 100 raised warning; 210 escalated warning to doctor"),
    ]

    @Test("an alert that nobody acknowledges escalates", arguments: escalations)
    func escalation(course: Course) throws { try course.check() }

    @Test("what was acknowledged as worse needs no other acknowledgement when it is so bad again")
    func acknowledgedAsWorse() throws {
        try Course(
            "as worse", Self.escalating, "0 140; 1 ack; 2 120; 3 140; 400",
            """
            0 raised critical; 1 acknowledged critical +acknowledged; 2 severity-lowered warning +acknowledged; \
            3 severity-raised critical +acknowledged
            """
        ).check()
    }

    @Test("a latched alert that was acknowledged ends with its condition, and its delay is shown from then on")
    func latched() throws {
        try Course(
            "latched", #"latch: true, staleAfter: "1h", severity: "warning", above: 110, for: "10s""#,
            "0 120; 10 120; 11 ack; 12 100; 20 120; 30 120; 31 100; 32 120; 33 ack; 42 120",
            """
            0 pending warning; 10 raised warning since 0; 11 acknowledged warning +acknowledged; 12 cleared warning; \
            20 pending warning; 30 raised warning since 20; 31 recovered warning +over; 33 acknowledged warning +acknowledged +over; \
            33 cleared warning; 33 pending warning since 32; 42 raised warning since 32
            """
        ).check()
    }
}
