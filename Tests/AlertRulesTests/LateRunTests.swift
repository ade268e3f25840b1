import Testing

@testable import AlertRules

@Suite("A clock that is set back")
struct LateRunTests {
    private static let pressure =
        #"{rules: [{id: "r", metric: "systolic-pressure", severity: "warning", below: 90, clear: 95, staleAfter: "12h"}]}"#

    @Test(
        "is noticed by its second reading, measured as long after the first as it came: a cuff in the night when the clocks go back",
        arguments: [true, false])
    func cuff(restarts: Bool) throws {
        var harness = try EngineHarness(Self.pressure)
        try harness.read("systolic-pressure", 120, at: 7200, from: "cuff")
        for minute in [10, 40, 59] as [Int64] {
            let received = 7200 + minute * 60
            try harness.read("systolic-pressure", 70, at: received - 3605, received: received, from: "cuff")
            if restarts { try harness.restart() }
            #expect(harness.happened() == (minute == 40 ? ["raised warning"] : []), "\(minute)")
        }
    }

    @Test(
        "is not what a device sends of the past in one go, or evenly but faster or slower than it measured",
        arguments: [0, 0.5, 2, 10] as [Double])
    func backfill(pace: Double) throws {
        var harness = try EngineHarness(Self.pressure)
        try harness.read("systolic-pressure", 120, at: 36_000)
        for step in 0..<20 as Range<Int64> {
            let received = 36_001 + Int64(Double(step * 300) * pace)
            try harness.read("systolic-pressure", 70, at: 3600 + step * 300, received: received)
        }
        #expect(harness.happened() == [])
    }

    @Test("nor what comes late between readings that are not, nor of another source, nor within a minute")
    func between() throws {
        var harness = try EngineHarness(Self.pressure)
        try harness.read("systolic-pressure", 120, at: 7200, from: "cuff")
        for minute in 1..<30 as Range<Int64> {
            let received = 7200 + minute * 60
            try harness.read("systolic-pressure", 70, at: received - 3600, received: received, from: "cuff")
            try harness.read("systolic-pressure", 120, at: received + 1, from: "cuff")
            try harness.read("systolic-pressure", 70, at: received - 3600, received: received + 2, from: "other")
        }
        for second in stride(from: 9000 as Int64, to: 9059, by: 10) {
            try harness.read("systolic-pressure", 70, at: second - 3600, received: second, from: "cuff")
        }
        #expect(harness.happened() == [])
        try harness.read("systolic-pressure", 70, at: 9060 - 3600, received: 9060, from: "cuff")
        #expect(harness.happened() == ["raised warning"])
    }

    @Test("is the present of a score as well, beside vital signs of a clock that is right")
    func score() throws {
        var harness = try EngineHarness(
            """
            {scores: {news2: {}}, rules: [{id: "r", metric: "news2-highest-parameter", severity: "warning", atLeast: 3, maximumAge: "4h"},
              {id: "low", metric: "systolic-pressure", severity: "warning", below: 50}]}
            """)
        try harness.read("systolic-pressure", 120, at: 7200)
        for minute in [10, 40] as [Int64] {
            try harness.read("heart-rate", 70, at: 7200 + minute * 60)
            try harness.read("systolic-pressure", 70, at: 7200 + minute * 60 - 3600, received: 7200 + minute * 60)
            #expect(harness.happened() == (minute == 40 ? ["raised warning"] : []), "\(minute)")
        }
    }
}
