import AlertRules
import Testing

@Suite("Silence of one of two sources")
struct SourceSilenceTests {
    @Test("is told where each source is listened for, ends with its return, and is hidden where not", arguments: [true, false])
    func second(isBySource: Bool) throws {
        var engine = try EngineHarness(
            """
            {rules: [{id: "silent", kind: "technical", metric: "oxygen-saturation", severity: "warning", noData: "5m", bySource: \(isBySource)}]}
            """)
        for second in stride(from: Int64(0), through: 2000, by: 10) {
            try engine.read("oxygen-saturation", 97, at: second, from: "watch")
            if !(500..<1500).contains(second) { try engine.read("oxygen-saturation", 96, at: second, from: "clip") }
        }
        let start = EngineHarness.start
        #expect(engine.log == (isBySource ? ["raised \(start + 790)", "cleared \(start + 1500)"] : []))
    }

    private static let rule = """
        {rules: [{id: "silent", kind: "technical", metric: "heart-rate", severity: "notice", noData: "5m", afterContinuous: "30m",
            bySource: true}]}
        """

    @Test(
        "is told of a source that ran for long enough, also after a restart, and not of a cuff that measured twice",
        arguments: [true, false])
    func run(isPatch: Bool) throws {
        var engine = try EngineHarness(Self.rule)
        for second in stride(from: Int64(0), through: 4000, by: 10) {
            try engine.read("heart-rate", 70, at: second, from: "watch")
            let isHeard = isPatch ? (100..<2000).contains(second) : [100, 160].contains(second)
            if isHeard { try engine.read("heart-rate", 71, at: second, from: "other") }
            if second == 2100 { try engine.restart() }
        }
        #expect(engine.log == (isPatch ? ["raised \(EngineHarness.start + 2290)"] : []))
    }

    @Test("a gap of more than five minutes begins a new run")
    func gap() throws {
        var engine = try EngineHarness(Self.rule)
        for second in stride(from: Int64(0), through: 4000, by: 10) {
            try engine.read("heart-rate", 70, at: second, from: "watch")
            if (100..<1500).contains(second) || (1810..<2600).contains(second) {
                try engine.read("heart-rate", 71, at: second, from: "patch")
            }
        }
        #expect(engine.log.isEmpty)
    }
}
