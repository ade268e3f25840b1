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
}
