import Testing
import VigilSchema

@Suite("Canonical batch")
struct BatchCodingTests {
    private func random(_ generator: inout some RandomNumberGenerator) -> Observation {
        let content: Observation.Content =
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: .value(Double(bitPattern: UInt64.random(in: 0..<0x7FF0_0000_0000_0000, using: &generator)))
            case 1: .value(Double(Int.random(in: -100_000...100_000, using: &generator)) / 100)
            case 2: .samples((0..<20).map { _ in Double.random(in: -10...10, using: &generator) }, period: 1 / 360)
            default: .text("tab\t \"quoted\" \\ ünï 😀 \u{1}")
            }
        return Observation(
            metric: ["ecg", "an.unknown-metric"].randomElement(using: &generator)!,
            time: Timestamp(microseconds: Int64.random(in: -2_000_000_000_000_000...2_000_000_000_000_000, using: &generator)),
            sequence: Int32.random(in: -3...3, using: &generator),
            interval: isBlock(content) ? 0 : [0, 1, 86_400].randomElement(using: &generator)!,
            content: content, unit: "mV",
            zone: Bool.random(using: &generator) ? nil : 330)
    }

    private func isBlock(_ content: Observation.Content) -> Bool {
        if case .samples = content { true } else { false }
    }

    @Test("reads the period of a number as its interval, in whole seconds, and refuses one beyond ten years")
    func interval() throws {
        func decoded(_ period: String) throws -> DecodedReadings {
            try ReadingDecoder().decode(Array(#"{"metric":"steps","time":1,"value":2,"period":\#(period)}"#.utf8).span)
        }
        #expect(try decoded("86400").readings.map(\.observation.interval) == [86_400])
        #expect(try decoded("0.004").readings.map(\.observation.interval) == [0])
        #expect(try decoded("-1").refusals.map(\.code) == [.implausible])
        #expect(try decoded("4e8").refusals.map(\.code) == [.implausible])
    }

    @Test("comes back exactly as it was encoded")
    func roundTrip() throws {
        var generator = SystemRandomNumberGenerator()
        for origin in [nil, "01JD"] {
            let groups = (0..<20).map { number in
                ObservationGroup(
                    participant: "p\(number)", source: "dév/\(number)", session: number % 2 == 0 ? nil : "05",
                    received: Timestamp(microseconds: 1_484_840_182_410_000), observations: (0..<50).map { _ in random(&generator) })
            }
            let batch = ObservationBatch(id: ULID.make(at: Timestamp(seconds: 1)), origin: origin, groups: groups)
            let bytes = BatchEncoder.encode(batch)
            #expect(try BatchDecoder().decode(bytes.span) == batch)
        }
    }

    @Test("reads the schema versions that it is told of, as two that run side by side during an upgrade, and no other")
    func schemas() throws {
        let text = #"""
            {"schema":"vigil/2","batch":"b","groups":[{"participant":"a","source":"s","received":1,"observations":[
            {"metric":"heart-rate","time":1,"value":61}]}]}
            """#
        let newer = Array(text.utf8), older = Array(text.replacing("vigil/2", with: "vigil/1").utf8)
        let both = BatchDecoder(schemas: ["vigil/1", "vigil/2"])
        #expect(try both.decode(newer.span) == both.decode(older.span))
        #expect(try BatchDecoder().decode(older.span).groups[0].observations[0].unit == "1")
        let error = #expect(throws: PayloadError.self) { try BatchDecoder().decode(newer.span) }
        #expect(error?.code == .unsupported && error?.reason.contains("vigil/1") == true)
    }

    @Test("names the path of what is wrong")
    func path() {
        let text = #"""
            {"schema":"vigil/1","batch":"b","groups":[{"participant":"a","source":"s","received":1,"observations":[
            {"metric":"ecg","time":1,"value":1,"unit":"mV"},{"metric":"ecg","time":"x","value":1}]}]}
            """#
        let bytes = Array(text.utf8)
        let error = #expect(throws: PayloadError.self) { try BatchDecoder().decode(bytes.span) }
        #expect(error?.path == "$.groups[0].observations[1].time")
        #expect(error?.offset.map { bytes[$0] } == UInt8(ascii: "\""))
    }
}
