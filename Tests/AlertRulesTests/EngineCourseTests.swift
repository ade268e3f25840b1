import Testing

@testable import AlertRules

@Suite("Conditions over time")
struct EngineCourseTests {
    private static let plain = #"severity: "warning", above: 110, staleAfter: "1m""#

    static let edges: [Course] = [
        Course("above", #"severity: "warning", above: 110"#, "0 110; 1 110.1; 2 110", "1 raised warning; 2 cleared warning"),
        Course("at least", #"severity: "warning", atLeast: 110"#, "0 109.9; 1 110; 2 109.9", "1 raised warning; 2 cleared warning"),
        Course("below", #"severity: "warning", below: 50"#, "0 50; 1 49.9; 2 50", "1 raised warning; 2 cleared warning"),
        Course("at most", #"severity: "warning", atMost: 50"#, "0 50.1; 1 50; 2 50.1", "1 raised warning; 2 cleared warning"),
        Course(
            "outside", #"severity: "warning", outside: [50, 110]"#, "0 50; 1 49.9; 2 50; 3 110; 4 110.1; 5 110",
            "1 raised warning; 2 cleared warning; 4 raised warning; 5 cleared warning"),
        Course(
            "inside", #"severity: "warning", inside: [50, 110]"#, "0 49.9; 1 50; 2 110; 3 110.1",
            "1 raised warning; 3 cleared warning"),
        Course(
            "above with a dead band", #"severity: "warning", above: 110, hysteresis: 5"#, "0 111; 1 105.1; 2 105; 3 110; 4 111",
            "0 raised warning; 2 cleared warning; 4 raised warning"),
        Course(
            "at least with a dead band", #"severity: "warning", atLeast: 110, hysteresis: 5"#, "0 110; 1 105; 2 104.9; 3 109",
            "0 raised warning; 2 cleared warning"),
        Course(
            "below with a dead band", #"severity: "warning", below: 50, clear: 55"#, "0 49; 1 54.9; 2 55; 3 50",
            "0 raised warning; 2 cleared warning"),
        Course(
            "at most with a dead band", #"severity: "warning", atMost: 50, hysteresis: 5"#, "0 50; 1 55; 2 55.1; 3 51",
            "0 raised warning; 2 cleared warning"),
        Course(
            "outside with a dead band", #"severity: "warning", outside: [50, 110], hysteresis: 5"#,
            "0 49; 1 54.9; 2 55; 3 111; 4 105.1; 5 105",
            "0 raised warning; 2 cleared warning; 3 raised warning; 5 cleared warning"),
        Course(
            "inside with a dead band", #"severity: "warning", inside: [50, 110], hysteresis: 5"#,
            "0 50; 1 45; 2 44.9; 3 110; 4 115; 5 115.1",
            "0 raised warning; 2 cleared warning; 3 raised warning; 5 cleared warning"),
        Course(
            "a value of the dead band does not begin", #"severity: "warning", above: 110, hysteresis: 5"#, "0 108; 1 109", ""),
    ]

    @Test("a comparison holds from its limit on, and ends where it came back far enough", arguments: edges)
    func edge(course: Course) throws { try course.check() }

    static let unknowns: [Course] = [
        Course(
            "data is lost after its time, and back with the next reading", plain, "0 120; 60; 61; 70 120; 71 100",
            "0 raised warning; 61 data-lost warning @60.000001 +lost; 70 data-back warning; 71 cleared warning"),
        Course(
            "a late reading keeps it no longer known", plain, "0 120; 50 120 -5; 120",
            "0 raised warning; 111 data-lost warning @105.000001 +lost"),
        Course(
            "a delay is not over while nothing is known", #"severity: "warning", above: 110, for: "2m", staleAfter: "1m", lateness: "5s""#,
            "0 120; 61; 70 120; 100 120; 160 120; 189 120; 190 120",
            "0 pending warning; 61 cancelled none @60.000001; 70 pending warning; 190 raised warning since 70"),
        Course(
            "a delay counts from its first reading", #"severity: "warning", above: 110, for: "2m", staleAfter: "1h""#,
            "0 120; 119 120; 120 120", "0 pending warning; 120 raised warning since 0"),
        Course(
            "a gap in what a sensor measured begins a delay anew, though it came at once",
            #"severity: "warning", above: 110, for: "2m", staleAfter: "1m""#,
            "100 120 -100; 101 120; 130 120; 160 120; 190 120; 220 120; 221 120",
            "100 pending warning @0; 221 raised warning since 101"),
        Course(
            "a gap as long as a value is known begins no delay anew", #"severity: "warning", above: 110, for: "2m", staleAfter: "1m""#,
            "0 120; 60 120; 120 120", "0 pending warning; 120 raised warning since 0"),
        Course(
            "the delay is over with the clock where readings lag", #"severity: "warning", above: 110, for: "20s", lateness: "5s""#,
            "3 120 -3; 27; 28", "3 pending warning @0; 28 raised warning @25 since 0"),
        Course(
            "what is still kept ends with the clock", #"severity: "warning", above: 110, keepFiringFor: "20s", lateness: "5s""#,
            "0 120; 10 100; 34; 35", "0 raised warning; 35 cleared warning"),
        Course(
            "a series that comes every half hour by habit keeps its delay waiting",
            #"severity: "warning", above: 110, for: "40m", staleAfter: "10m", lateness: "5s""#,
            "0 100; 1800 100; 3600 120; 5400 120; 7200 120",
            "3600 pending warning; 7200 raised warning since 3600"),
    ]

    @Test("what is unknown begins and ends nothing", arguments: unknowns)
    func unknown(course: Course) throws { try course.check() }

    static let repetitions: [Course] = [
        Course(
            "as many as are asked for within the time", #"severity: "warning", above: 110, repeat: {count: 2, within: "60s"}"#,
            "0 120; 61 120; 121 120", "121 raised warning"),
        Course(
            "also where others lie between", #"severity: "warning", above: 110, repeat: {count: 3, within: "60s"}"#,
            "0 120; 1 90; 30 120; 31 90; 60 120", "60 raised warning"),
        Course(
            "so many of the newest", #"severity: "warning", above: 110, repeat: {count: 2, of: 3, within: "60s"}"#,
            "0 120; 1 90; 2 90; 3 120; 4 90; 5 120", "5 raised warning"),
        Course(
            "so many of the newest, of which the others are forgotten",
            #"severity: "warning", above: 110, repeat: {count: 3, of: 4, within: "60s"}"#,
            "0 120; 1 120; 2 90; 3 90; 4 120; 5 120; 6 120", "6 raised warning"),
        Course(
            "of which those that follow too soon count as one",
            #"severity: "warning", above: 110, repeat: {count: 2, apart: "10s", within: "60s"}"#,
            "0 120; 9 120; 10 120", "10 raised warning"),
        Course(
            "of which one that holds stands for those too soon before it",
            #"severity: "warning", above: 110, repeat: {count: 2, of: 2, apart: "10s", within: "60s"}"#, "0 90; 5 120; 15 120",
            "15 raised warning"),
        Course(
            "of which one that does not hold leaves the one before as it was",
            #"severity: "warning", above: 110, repeat: {count: 2, of: 2, apart: "10s", within: "60s"}"#, "0 120; 5 90; 15 120",
            "15 raised warning"),
        Course(
            "of which none in the dead band counts", #"severity: "warning", above: 110, hysteresis: 5, repeat: {count: 2, within: "2s"}"#,
            "0 120; 1 120; 2 107; 3 100; 4 120", "1 raised warning; 3 cleared warning"),
        Course(
            "none by a timer, as no reading counts twice",
            #"severity: "warning", above: 110, repeat: {count: 2, within: "60s"}, schedule: {zone: "UTC", from: "22:14", to: "23:00"}"#,
            "0 120; 1 120; 45; 50 120", "50 raised warning"),
    ]

    @Test("a repetition asks for readings", arguments: repetitions)
    func repetition(course: Course) throws { try course.check() }

    static let lates: [Course] = [
        Course(
            "interrupts a delay, which begins after it", #"severity: "warning", above: 110, for: "20s""#,
            "0 120; 10 120; 11 90 -6; 24 120; 25 120", "0 pending warning; 25 raised warning since 5"),
        Course(
            "is told where it would have been at once, and over", #"severity: "warning", above: 110"#, "0 90; 10 90; 11 120 -6",
            "11 raised warning @5; 11 cleared warning @10"),
        Course(
            "counts up to the lateness", #"severity: "warning", above: 110"#, "0 90; 20 90; 20 120 -10",
            "20 raised warning @10; 20 cleared warning"),
        Course("counts no more beyond the lateness", #"severity: "warning", above: 110"#, "0 90; 20 90; 20 120 -11", ""),
        Course(
            "ends nothing", #"severity: "warning", above: 110"#, "0 120; 10 120; 11 90 -5; 12 120", "0 raised warning"),
        Course(
            "is no further one where readings are counted",
            #"severity: "warning", above: 110, repeat: {count: 2, within: "60s"}"#, "20 120; 21 120 -6; 22 120 -13", ""),
        Course(
            "of a clock that was set back begins windows anew",
            #"severity: "warning", take: "rise", over: "30s", atLeast: 20, staleAfter: "30s""#, "0 70; 31 60 -131; 32 85 -131",
            "32 raised warning @-99"),
        Course(
            "of a clock that was set back begins delays anew",
            #"severity: "warning", above: 110, for: "2m", staleAfter: "30s""#,
            """
            0 100; 20 100; 40 120; 80 120 -100; 100 120 -100; 120 120 -100; 140 120 -100; 160 120 -100; 180 120 -100; 199; 200 120 -100
            """, "40 pending warning; 200 raised warning @100 since -20"),
        Course(
            "of a clock that was set back ends nothing", #"severity: "warning", above: 110, for: "10s", staleAfter: "30s""#,
            "0 120; 10 120; 41; 50 120 -65",
            "0 pending warning; 10 raised warning since 0; 41 data-lost warning @40.000001 +lost; 50 data-back warning @-15"),
        Course(
            "counts as new where the newest is too old", #"severity: "warning", above: 110, staleAfter: "30s""#,
            "0 90; 30 120 -45; 31 120 -46", "31 raised warning @-15"),
        Course(
            "is not judged where it is older than the rule allows", #"severity: "warning", above: 110, maximumAge: "10m""#,
            "700 120 -601; 701 120 -600", "701 raised warning @101"),
        Course(
            "of a series that is silent tells nothing", #"kind: "technical", severity: "notice", noData: "1m""#,
            "0 70; 10 70; 11 70 -5; 70", "70 raised notice"),
    ]

    @Test("a reading that comes late", arguments: lates)
    func late(course: Course) throws { try course.check() }

    static let silences: [Course] = [
        Course(
            "raises at its time and ends with a reading", #"kind: "technical", severity: "notice", noData: "1m""#,
            "0 70; 59; 60; 90 70", "60 raised notice; 90 cleared notice"),
        Course(
            "waits for three of the series' usual intervals", #"kind: "technical", severity: "notice", noData: "1m""#,
            "0 70; 40 70; 80 70; 199; 200", "200 raised notice"),
        Course(
            "is missed only where the series ran long enough",
            #"kind: "technical", severity: "notice", noData: "2m", afterContinuous: "2m""#,
            "0 70; 30 70; 60 70; 90 70; 119 70; 300; 301 70; 330 70; 360 70; 390 70; 421 70; 540; 541; 542",
            "541 raised notice"),
        Course(
            "as long as it may be does not interrupt a series",
            #"kind: "technical", severity: "notice", noData: "1m", afterContinuous: "2m""#, "0 70; 60 70; 120 70; 299; 300",
            "300 raised notice"),
        Course(
            "is missed from the beginning where the sensor is expected",
            #"kind: "technical", severity: "notice", noData: "1m", expected: true"#,
            "59; 60; 70 70; 129; 130", "60 raised notice; 70 cleared notice; 130 raised notice"),
        Course(
            "has levels of their own",
            #"kind: "technical", levels: [{severity: "notice", noData: "1m"}, {severity: "warning", noData: "3m"}]"#,
            "0 70; 180; 181 70", "60 raised notice; 180 severity-raised warning; 181 cleared warning"),
    ]

    @Test("a sensor that says nothing", arguments: silences)
    func silence(course: Course) throws { try course.check() }
}
