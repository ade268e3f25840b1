import Testing
import VigilSchema

@Suite("Native format")
struct ReadingDecoderTests {
    private func decode(_ text: String) throws(PayloadError) -> DecodedReadings {
        let bytes = Array(text.utf8)
        return try ReadingDecoder().decode(bytes.span)
    }

    @Test("takes a single reading, its time exact to the microsecond")
    func single() throws {
        let readings = try decode(#"{"metric":"heart-rate","time":1484840182.410001,"value":49.5,"unit":"/min","seq":3,"zone":-60}"#)
        #expect(readings.refusals.isEmpty)
        #expect(
            readings.readings.map(\.observation) == [
                Observation(
                    metric: "heart-rate", time: Timestamp(microseconds: 1_484_840_182_410_001), sequence: 3, content: .value(49.5),
                    unit: "/min", zone: -60)
            ])
    }

    @Test("takes arrays of numbers, samples and texts, in order, passing over unknown fields")
    func array() throws {
        let readings = try decode(
            #"""
            [ {"metric":"ecg","time":1.5,"period":0.004,"samples":[0.11, -0.13e1, 5],"unit":"mV","extra":{"a":[1,null,true]}} ,
              {"metric":"consciousness","time":2,"text":"al\u0065rt \ud83d\ude00"} ]
            """#)
        #expect(
            readings.readings.map(\.observation.content) == [
                .samples([0.11, -1.3, 5], period: 0.004), .text("alert 😀"),
            ])
        #expect(readings.readings.map(\.index) == [0, 1])
    }

    @Test("takes an envelope with a session")
    func envelope() throws {
        let readings = try decode(#"{"session":"05","observations":[{"metric":"ecg","time":0,"value":1}]}"#)
        #expect(readings.session == "05")
        #expect(readings.readings.count == 1)
    }

    @Test(
        "refuses broken JSON as a whole, with the byte",
        arguments: [
            ("", 0), ("nonsense", 0), ("[", 1), (#"{"metric":"ecg""#, 15), (#"{"metric":"ecg","time":1,"value":NaN}"#, 33),
            (#"{"metric":"ecg","time":1,"value":1.}"#, 35), (#"{"metric":"ecg","time":01,"value":1}"#, 23),
            (#"{"metric":"ecg","time":1,"value":1} x"#, 36), ("{\"metric\":\"e\ncg\"}", 12), (#"{"metric":"\x"}"#, 11),
            (#"{"metric":"ecg","time":1,"text":"\ud800"}"#, 33), (#"[{"metric":"ecg","time":1,"value":1},]"#, 37),
        ])
    func broken(text: String, offset: Int) {
        let error = #expect(throws: PayloadError.self) { try decode(text) }
        #expect(error?.offset == offset, "\(String(describing: error))")
    }

    @Test("refuses bytes that are not UTF-8, and deep nesting, without a crash")
    func hostile() {
        let invalid: [UInt8] = Array(#"{"metric":"e"#.utf8) + [0xFF, 0x22, 0x7D]
        let error = #expect(throws: PayloadError.self) { try ReadingDecoder().decode(invalid.span) }
        #expect(error?.offset == 12)
        let deep = #"{"x":"# + String(repeating: "[", count: 100_000)
        #expect(throws: PayloadError.self) { try decode(deep) }
    }

    @Test(
        "refuses just the reading that is wrong, with its path and byte",
        arguments: [
            (#"{"metric":"ecg","time":1}"#, PayloadError.Code.missing, "$[1]", 4),
            (#"{"metric":"ecg","value":1}"#, .missing, "$[1]", 4),
            (#"{"time":1,"value":1}"#, .missing, "$[1]", 4),
            (#"{"metric":7,"time":1,"value":1}"#, .wrongType, "$[1].metric", 14),
            (#"{"metric":"ecg","time":"1","value":1}"#, .wrongType, "$[1].time", 27),
            (#"{"metric":"ecg","time":1,"value":null}"#, .wrongType, "$[1].value", 37),
            (#"{"metric":"ecg","time":1,"value":1e999}"#, .notFinite, "$[1].value", 37),
            (#"{"metric":"ecg","time":1e30,"value":1}"#, .implausibleTime, "$[1].time", 27),
            (#"{"metric":"ecg","time":1,"value":1,"value":2}"#, .conflicting, "$[1].value", 47),
            (#"{"metric":"ecg","time":1,"value":1,"text":"a"}"#, .conflicting, "$[1]", 4),
            (#"{"metric":"ecg","time":1,"samples":[1]}"#, .missing, "$[1]", 4),
            (#"{"metric":"ecg","time":1,"period":1,"samples":[]}"#, .missing, "$[1]", 39),
            (#"{"metric":"ecg","time":1,"value":1,"seq":1.5}"#, .wrongType, "$[1].seq", 45),
            (#""text""#, .wrongType, "$[1]", 4),
        ])
    func refusal(text: String, code: PayloadError.Code, path: String, offset: Int) throws {
        let good = #"{"metric":"ecg","time":9,"value":1}"#
        let readings = try decode("[{}," + text + "," + good + "]")
        try #require(readings.refusals.count == 2)
        #expect(readings.refusals[1].code == code)
        #expect(readings.refusals[1].path == path)
        #expect(readings.readings.count == 1)
        // The offset of a missing part is its reading's; "text" in samples' case stands at the samples.
        if path.contains(".") || code != .missing { #expect(readings.refusals[1].offset == offset) }
    }

    @Test(
        "reads numbers exactly",
        arguments: [
            "0", "-0.0", "1", "0.1", "36.6", "1e22", "1e23", "1.7976931348623157e308", "5e-324", "2.2250738585072011e-308",
            "36.599999999999998", "9007199254740993", "123456789012345678901234567890", "0.000000000000000000000000000001",
            "1.00000000000000011102230246251565", "179769313486231570000e288",
        ])
    func exact(text: String) throws {
        let readings = try decode(#"{"metric":"m","time":1,"value":\#(text)}"#)
        #expect(readings.readings.first?.observation.content == .value(Double(text)!))
    }
}
