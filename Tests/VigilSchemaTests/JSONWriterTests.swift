import Testing

@testable import VigilSchema

@Suite("Written JSON")
struct JSONWriterTests {
    private func written(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(
        "has numbers in the shortest form that reads back as the same",
        arguments: [
            (0, "0"), (-0.0, "-0.0"), (1, "1"), (-1, "-1"), (9, "9"), (10, "10"), (100, "100"), (-1200, "-1200"), (0.1, "0.1"),
            (36.6, "36.6"), (9_007_199_254_740_991, "9007199254740991"), (9_007_199_254_740_992, "9007199254740992.0"),
            (-9_007_199_254_740_991, "-9007199254740991"), (-9_007_199_254_740_992, "-9007199254740992.0"), (1e300, "1e+300"),
            (.leastNonzeroMagnitude, "5e-324"),
        ] as [(Double, String)])
    func numbers(value: Double, text: String) { #expect(written { $0.number(value) } == text) }

    @Test(
        "has whole numbers of all lengths",
        arguments: [0, 1, 9, 10, 11, 99, 100, 12345, -1, -10, -12345, Int64.max, Int64.min])
    func integers(value: Int64) { #expect(written { $0.integer(value) } == String(value)) }

    @Test(
        "has times in seconds, with as many of six decimals as they need",
        arguments: [
            (0, "0"), (1, "0.000001"), (10, "0.00001"), (100_000, "0.1"), (123_456, "0.123456"), (999_999, "0.999999"), (1_000_000, "1"),
            (1_000_001, "1.000001"), (1_500_000, "1.5"), (-1, "-0.000001"), (-1_500_000, "-1.5"),
            (1_484_840_182_410_001, "1484840182.410001"),
            (1_484_840_182_010_100, "1484840182.0101"), (-253_402_300_800_000_000, "-253402300800"),
        ] as [(Int64, String)])
    func times(microseconds: Int64, text: String) { #expect(written { $0.time(Timestamp(microseconds: microseconds)) } == text) }

    @Test(
        "has strings with what must be escaped, and nothing else",
        arguments: [
            ("", #""""#), ("abc", #""abc""#), ("\"\\/", #""\"\\/""#), ("\n\t\u{1F}\u{0}", #""\u000a\u0009\u001f\u0000""#), (" ~", #"" ~""#),
            ("ä😀\u{7F}", "\"ä😀\u{7F}\""), ("a\"b\\c", #""a\"b\\c""#), ("\u{10}", #""\u0010""#),
        ])
    func strings(text: String, json: String) { #expect(written { $0.string(text) } == json) }

    @Test("has members with a comma between them, and arrays")
    func members() {
        let text = written {
            $0.raw("{")
            $0.member("a", "x")
            $0.member("b", 1.5)
            $0.member("c", Timestamp(microseconds: 2_500_000))
            $0.member("d")
            $0.numbers([1, 0.5, -2])
            $0.member("e")
            $0.integers([])
            $0.member("f")
            $0.integers([7])
            $0.member("g")
            $0.times([Timestamp(seconds: 1), Timestamp(seconds: 2.5)])
            $0.raw("}")
        }
        #expect(text == #"{"a":"x","b":1.5,"c":2.5,"d":[1,0.5,-2],"e":[],"f":[7],"g":[1,2.5]}"#)
    }

    private let pulse = Observation(metric: "heart-rate", time: Timestamp(seconds: 1.5), content: .value(61), unit: "/min")
    private let steps = Observation(
        metric: "steps", time: Timestamp(seconds: 2), sequence: -3, interval: 1, content: .value(8000), unit: "{steps}", zone: -60)
    private let ecg = Observation(
        metric: "ecg", time: Timestamp(seconds: 3), sequence: 1, interval: 60, content: .samples([0.5, -1, 2], period: 0.004), unit: "mV",
        zone: 0)
    private let state = Observation(metric: "consciousness", time: Timestamp(seconds: 4), content: .text("alert"), unit: "")

    private let texts = [
        #"{"metric":"heart-rate","time":1.5,"value":61,"unit":"/min"}"#,
        #"{"metric":"steps","time":2,"seq":-3,"period":1,"value":8000,"unit":"{steps}","zone":-60}"#,
        #"{"metric":"ecg","time":3,"seq":1,"period":0.004,"samples":[0.5,-1,2],"unit":"mV","zone":0}"#,
        #"{"metric":"consciousness","time":4,"text":"alert"}"#,
    ]

    @Test("of an observation leaves out what it does not have")
    func observations() {
        for (observation, text) in zip([pulse, steps, ecg, state], texts) {
            #expect(String(decoding: BatchEncoder.encode(observation), as: UTF8.self) == text)
        }
        let all = String(decoding: BatchEncoder.encode([pulse, steps, ecg, state]), as: UTF8.self)
        #expect(all == "[" + texts.joined(separator: ",") + "]")
        #expect(String(decoding: BatchEncoder.encode([]), as: UTF8.self) == "[]")
    }

    @Test("of a batch has its groups one after the other")
    func batches() throws {
        let one = ObservationGroup(participant: "a", source: "s/1", received: Timestamp(seconds: 9), observations: [pulse])
        let two = ObservationGroup(
            participant: "b", source: "s", session: "05", received: Timestamp(seconds: 9.5), observations: [steps, ecg])
        let groups = [
            #"{"participant":"a","source":"s/1","received":9,"observations":["# + texts[0] + "]}",
            #"{"participant":"b","source":"s","session":"05","received":9.5,"observations":["# + texts[1] + "," + texts[2] + "]}",
        ]
        #expect(String(decoding: BatchEncoder.encode(two), as: UTF8.self) == groups[1])
        let plain = ObservationBatch(id: "01", groups: [one])
        #expect(
            String(decoding: BatchEncoder.encode(plain), as: UTF8.self) == #"{"schema":"vigil/1","batch":"01","groups":["# + groups[0]
                + "]}")
        let batch = ObservationBatch(id: "01", origin: "i", confirmations: "t", responseTopic: "r", groups: [one, two])
        let bytes = BatchEncoder.encode(batch)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"schema":"vigil/1","batch":"01","origin":"i","confirm":"t","responseTopic":"r","groups":["#
                + groups.joined(separator: ",") + "]}")
        var read = batch
        read.groups[1].observations[1].interval = 0
        #expect(try BatchDecoder().decode(bytes.span) == read && batch.count == 3)
    }
}
