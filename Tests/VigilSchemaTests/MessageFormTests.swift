import Testing

@testable import VigilSchema

@Suite("Forms of a message")
struct MessageFormTests {
    private func decode(_ text: String) throws(PayloadError) -> DecodedReadings {
        let bytes = MarkedText(text).bytes
        return try ReadingDecoder().decode(bytes.span)
    }

    @Test(
        "has an envelope wherever `observations` stands in it",
        arguments: [
            #"{"observations":[A],"session":"05","receipt":"r","responseTopic":"t"}"#,
            #"{"session":"05","receipt":"r","responseTopic":"t","observations":[A]}"#,
            #" { "other" : { "observations" : 1 } , "session" : "05" , "observations" : [ A ] , "responseTopic":"t","receipt":"r"} "#,
        ])
    func envelope(text: String) throws {
        let readings = try decode(text.replacing("A", with: #"{"metric":"m","time":1,"value":2}"#))
        #expect(readings.session == "05" && readings.receipt == ReceiptWish(id: "r", responseTopic: "t"))
        #expect(readings.readings.map(\.observation.content) == [.value(2)] && readings.refusals.isEmpty)
        #expect(readings.readings[0].path("time") == "$[0].time")
    }

    @Test("wants no receipt where none is asked for, and one for each part of a wish")
    func wishes() throws {
        #expect(try decode(#"{"observations":[]}"#).receipt == nil)
        #expect(try decode(#"{"observations":[],"receipt":"a"}"#).receipt == ReceiptWish(id: "a"))
        #expect(try decode(#"{"observations":[],"responseTopic":"a"}"#).receipt == ReceiptWish(responseTopic: "a"))
        #expect(try decode(#"{"observations":[]}"#).readings.isEmpty && decode("[]").readings.isEmpty)
        #expect(!DecodedReadings().isStamped && DecodedReadings().readings.isEmpty)
    }

    @Test("is a reading where its first key is a reading's, or nothing in it is `observations`")
    func single() throws {
        #expect(try decode(#"{"metric":"m","time":1,"value":1,"observations":[]}"#).readings.count == 1)
        #expect(try decode(#"{"x":1,"metric":"m","y":[2],"time":1,"value":1}"#).readings.count == 1)
        #expect(try decode("{}").refusals.map(\.path) == ["$"])
        let refused = try decode(#"{"x":"y","observations":[{"metric":"m","time":1,"value":1},{"metric":"m","time":[],"value":1},3]}"#)
        #expect(refused.refusals.map(\.path) == ["$.observations[1].time", "$.observations[2]"] && refused.readings.count == 1)
    }

    @Test(
        "is refused as a whole where it is broken",
        arguments: [
            #"^7"#, #" ^"x""#, #"{"observations":^{}}"#, #"{"x":1,"observations":[{"metric":"m"}^"#, #"{"x":1,"observations":[]}^x"#,
            #"[] ^]"#, #"{^5:1}"#, #"{"session":"a","observations":[]^"session":"b"}"#, #"{"metric":"m","time":1,"value":1}^{"#,
            #"[{"metric":"m","time":1,"value":1}^{"metric":"m"}]"#, #"{"metric":^}"#, #"{"time":^}"#, #"{"metric":"m",^}"#,
        ])
    func broken(text: String) {
        let error = #expect(throws: PayloadError.self) { try decode(text) }
        #expect(error?.offset == MarkedText(text).places[0] && error?.path == "$", "\(String(describing: error))")
    }

    @Test("takes 100,000 readings at most")
    func many() {
        let bytes = Array(("[" + String(repeating: "1,", count: 100_001) + "1]").utf8)
        let error = #expect(throws: PayloadError.self) { try ReadingDecoder().decode(bytes.span) }
        #expect(error?.code == .tooLarge && error?.offset == 200_001)
    }

    // MARK: Canonical batches

    private static let good = #"{"metric":"ecg","time":1,"value":1,"unit":"mV"}"#

    @Test(
        "of a batch says which part of it is wrong",
        arguments: [
            ("^7", PayloadError.Code.malformed, "$"), ("^{\"batch\":\"b\",\"groups\":[G]}", .unsupported, "$"),
            ("^{\"schema\":\"vigil/0\",\"batch\":\"b\",\"groups\":[G]}", .unsupported, "$"),
            ("^{\"schema\":\"vigil/1\",\"groups\":[G]}", .missing, "$"),
            ("^{\"schema\":\"vigil/1\",\"batch\":\"\",\"groups\":[G]}", .missing, "$"),
            ("^{\"schema\":\"vigil/1\",\"batch\":\"b\"}", .missing, "$"),
            ("^{\"schema\":\"vigil/1\",\"batch\":\"b\",\"groups\":[]}", .missing, "$"),
            ("{\"schema\":\"vigil/1\",\"batch\":\"b\",\"groups\":^{}}", .malformed, "$"),
            ("{\"schema\":\"vigil/1\",\"batch\":\"b\",\"groups\":[G, ^7]}", .malformed, "$.groups[1]"),
            ("{\"schema\":\"vigil/1\",\"batch\":\"b\",\"groups\":[G^", .malformed, "$.groups[0]"),
            ("{\"schema\":\"vigil/1\",\"batch\":\"b\",\"groups\":[G]^", .malformed, "$"),
            ("{\"schema\":\"vigil/1\",\"batch\":\"b\",\"groups\":[G],\"origin\":^5}", .wrongType, "$"),
            ("{\"schema\":\"vigil/1\",\"batch\":\"b\",\"groups\":[G]} ^x", .malformed, "$"),
            ("B[ ^{\"source\":\"s\",\"received\":1,\"observations\":[O]}]}", .missing, "$.groups[0]"),
            ("B[^{\"participant\":\"a b\",\"source\":\"s\",\"received\":1,\"observations\":[O]}]}", .missing, "$.groups[0]"),
            ("B[G,^{\"participant\":\"a\",\"received\":1,\"observations\":[O]}]}", .missing, "$.groups[1]"),
            ("B[^{\"participant\":\"a\",\"source\":\"s\",\"observations\":[O]}]}", .missing, "$.groups[0]"),
            ("B[{\"participant\":\"a\",\"source\":\"s\",\"received\": ^\"x\"}]}", .wrongType, "$.groups[0]"),
            ("B[{\"participant\":\"a\",\"source\":\"s\",\"received\":1,\"observations\":^7}]}", .malformed, "$.groups[0]"),
            ("B[{\"observations\":[O,O],\"participant\":^7}]}", .wrongType, "$.groups[0]"),
            (
                "B[G,{\"observations\":[O,{\"metric\":\"ecg\",\"time\":^true,\"value\":1}]}]}", .wrongType,
                "$.groups[1].observations[1].time"
            ),
            ("B[G,{\"observations\":[O, ^{\"metric\":\"ecg\",\"time\":1}]}]}", .missing, "$.groups[1].observations[1]"),
            ("B[G,{\"observations\":[O, ^7]}]}", .wrongType, "$.groups[1].observations[1]"),
            ("B[G,{\"observations\":[O^", .malformed, "$.groups[1].observations[0]"),
        ] as [(String, PayloadError.Code, String)])
    func batch(text: String, code: PayloadError.Code, path: String) {
        let text =
            text.replacing("B[", with: "{\"schema\":\"vigil/1\",\"batch\":\"b\",\"groups\":[")
            .replacing("G", with: "{\"participant\":\"a\",\"source\":\"s\",\"received\":1,\"observations\":[O]}").replacing(
                "O", with: Self.good)
        let bytes = MarkedText(text).bytes
        let error = #expect(throws: PayloadError.self) { try BatchDecoder().decode(bytes.span) }
        #expect(error?.code == code && error?.path == path && error?.offset == MarkedText(text).places[0], "\(String(describing: error))")
    }

    @Test("of a batch takes members in any order, passes over those of a later version, and sources of 200 bytes")
    func tolerant() throws {
        func batch(_ source: String) -> [UInt8] {
            Array(
                """
                {"new":[1],"groups":[{"observations":[],"received": 1.5 ,"source":"\(source)","participant":"a","later":{}}],
                "confirm":"c","responseTopic":"r","batch":"b","origin":"o","schema":"vigil/1"}
                """.utf8)
        }
        let long = String(repeating: "s", count: 200)
        let group = ObservationGroup(participant: "a", source: long, received: Timestamp(seconds: 1.5), observations: [])
        #expect(
            try BatchDecoder().decode(batch(long).span)
                == ObservationBatch(id: "b", origin: "o", confirmations: "c", responseTopic: "r", groups: [group]))
        #expect((#expect(throws: PayloadError.self) { try BatchDecoder().decode(batch(long + "s").span) })?.code == .missing)
    }

    @Test("names a place in the notation of the message's format")
    func notation() {
        let observation = Observation(metric: "m", time: Timestamp(seconds: 1), content: .value(1), unit: "")
        func path(_ index: Int?, _ notation: ParsedObservation.Notation, _ field: String) -> String {
            ParsedObservation(observation, offsets: .init(element: 0), index: index, notation: notation).path(field)
        }
        #expect(path(nil, .native, "value") == "$.value" && path(3, .native, "value") == "$[3].value" && path(3, .native, "") == "$[3]")
        #expect(path(nil, .native, "") == "$" && path(1, .senml(value: "vs"), "metric") == "$[1].n")
        #expect(path(1, .senml(value: "vs"), "text") == "$[1].vs" && path(1, .senml(value: "v"), "") == "$[1]")
        #expect(path(1, .place("$.body.x"), "time") == "$.body.x" && path(1, .place("$.body.x"), "") == "$.body.x")
    }
}
