import Testing

@testable import VigilSchema

@Suite("Fields of a reading")
struct ReadingFieldTests {
    private func decode(_ text: String, received: Timestamp? = nil) throws(PayloadError) -> DecodedReadings {
        let bytes = MarkedText(text).bytes
        return try ReadingDecoder().decode(bytes.span, received: received)
    }

    @Test("stand where they are said to stand, whatever white space is between them")
    func places() throws {
        let text = #" [ {} , ^{ "metric" : ^"steps" , "time" : ^12 , "value" : ^7 , "unit" : ^"1" , "seq" : 2 } ] "#
        let marks = MarkedText(text).places.map(Int32.init)
        let reading = try #require(try decode(text).readings.first)
        let offsets = reading.offsets
        #expect([offsets.element, offsets.metric, offsets.time, offsets.content, offsets.unit] == marks)
        #expect(reading.observation.time == Timestamp(seconds: 12) && reading.observation.content == .value(7))
        #expect(reading.observation.sequence == 2 && reading.observation.unit == "1" && reading.index == 1)
        for content in [#""text":^"alert""#, #""period":2,"samples":^[1]"#] {
            let text = #"{"metric":"m","time":1,"# + content + "}"
            #expect(try decode(text).readings.first?.offsets.content == MarkedText(text).places.first.map(Int32.init))
        }
        let bare = try #require(try decode(#"  {"time":1,"value":1,"metric":"m"}"#).readings.first)
        #expect(bare.offsets.element == 2 && bare.offsets.unit == 2 && bare.index == nil)
    }

    @Test(
        "are taken up to their bounds",
        arguments: [
            (#""seq":1000000000"#, 1_000_000_000, 0, nil), (#""seq":-1000000000"#, -1_000_000_000, 0, nil), (#""seq":3.0"#, 3, 0, nil),
            (#""zone":1080"#, 0, 0, 1080), (#""zone":-1080"#, 0, 0, -1080), (#""zone":0"#, 0, 0, 0), (#""period":0"#, 0, 0, nil),
            (#""period":0.49"#, 0, 0, nil), (#""period":0.5"#, 0, 1, nil), (#""period":1.49"#, 0, 1, nil),
            (#""period":315576000"#, 0, 315_576_000, nil),
        ] as [(String, Int32, Int32, Int16?)])
    func bounds(field: String, sequence: Int32, interval: Int32, zone: Int16?) throws {
        let observation = try #require(try decode(#"{"metric":"m","time":1,"value":1,"# + field + "}").readings.first?.observation)
        #expect(observation.sequence == sequence && observation.interval == interval && observation.zone == zone)
    }

    @Test(
        "are refused beyond them, with what is wrong and where",
        arguments: [
            (#"{"metric":"m","time":1,"value":1,"seq":^1000000001}"#, PayloadError.Code.wrongType, "$.seq"),
            (#"{"metric":"m","time":1,"value":1,"seq":^-1000000001}"#, .wrongType, "$.seq"),
            (#"{"metric":"m","time":1,"value":1,"seq": ^0.5}"#, .wrongType, "$.seq"),
            (#"{"metric":"m","time":1,"value":1,"zone":^1081}"#, .wrongType, "$.zone"),
            (#"{"metric":"m","time":1,"value":1,"zone":^-1081}"#, .wrongType, "$.zone"),
            (#"{"metric":"m","time":1,"value":1,"zone":^"UTC"}"#, .wrongType, "$.zone"),
            (#" ^{"metric":"m","time":1,"value":1,"period":315576001}"#, .implausible, "$"),
            (#" ^{"metric":"m","time":1,"value":1,"period":-0.1}"#, .implausible, "$"),
            (#"{"metric":"m","time":1,"value":1,"unit":^5}"#, .wrongType, "$.unit"),
            (#"{"metric":"m","time":^"2026-01-31T12:00:00+18:30","value":1}"#, .wrongType, "$.time"),
            (#"{"metric":"m","time":1,"text": ^""}"#, .missing, "$"),
            (#"{"metric":"m","time":1,"text":^"a\u0000"}"#, .malformed, "$"),
            (#"{"metric":"m","time":1,"samples":^[],"period":1}"#, .missing, "$"),
            (#"^{"metric":"m","time":1,"samples":[1],"period":0.0000009}"#, .missing, "$"),
            (#"^{"metric":"m","time":1,"samples":[1],"period":86401}"#, .missing, "$"),
            (#"^{"metric":"m","time":1,"samples":[1],"period":0}"#, .missing, "$"),
            (#"^{"metric":"m","time":1,"samples":[1]}"#, .missing, "$"),
            (#"{"metric":"m","time":1,"samples":^7,"period":1}"#, .wrongType, "$.samples"),
            (#"{"metric":"m","time":1,"samples":[1,^"x"],"period":1}"#, .wrongType, "$.samples"),
            (#"{"metric":"m","time":1,"samples":[1, ^1e999 ],"period":1}"#, .notFinite, "$.samples"),
            (#"^{"metric":"m","time":1,"value":1,"samples":[1],"period":1}"#, .conflicting, "$"),
            (#"^{"metric":"m","time":1,"text":"a","samples":[1],"period":1}"#, .conflicting, "$"),
            (#"^{"metric":"m","time":1,"text":"a","value":1,"samples":[1],"period":1}"#, .conflicting, "$"),
            (#"^{"metric":"m","time":1}"#, .missing, "$"), (#"^{}"#, .missing, "$"),
            (#"{"metric":^7,"time":"x","value":1}"#, .wrongType, "$.metric"),
            (#"{"metric":"m","time":1,"value":1,"zone":0,"zone" : ^[1,{"a":2}]}"#, .conflicting, "$.zone"),
        ] as [(String, PayloadError.Code, String)])
    func refused(text: String, code: PayloadError.Code, path: String) throws {
        let readings = try decode(text)
        try #require(readings.refusals.count == 1 && readings.readings.isEmpty)
        let refusal = readings.refusals[0]
        #expect(refusal.code == code && refusal.path == path && refusal.offset == MarkedText(text).places[0], "\(refusal)")
    }

    @Test("with samples take periods from a microsecond to a day")
    func periods() throws {
        for period in ["0.000001", "86400"] {
            let text = #"{"metric":"m","time":1,"period":\#(period),"samples":[ 1 , -2.5 ,3 ]}"#
            #expect(try decode(text).readings.first?.observation.content == .samples([1, -2.5, 3], period: Double(period)!))
            #expect(try decode(text).readings.first?.observation.interval == 0)
        }
    }

    @Test("of a written time bring the zone, unless one is given by itself, before or after")
    func zones() throws {
        for (fields, zone) in [
            (#""time":"1970-01-01T00:00:00+01:00""#, 60), (#""time":"1970-01-01T00:00:00+01:00","zone":-30"#, -30),
            (#""zone":-30,"time":"1970-01-01T00:00:00+01:00""#, -30), (#""time":"1970-01-01T00:00:00Z""#, nil),
        ] as [(String, Int16?)] {
            let observation = try #require(try decode(#"{"metric":"m","value":1,"# + fields + "}").readings.first?.observation)
            #expect(observation.zone == zone && observation.time.microseconds == (fields.contains("Z\"") ? 0 : -3_600_000_000))
        }
    }

    @Test("that are not known are passed over, and the first is remarked on; beside one no time is made up")
    func unknown() throws {
        let text = #"[{"metric":"m","time":1,"value":1, ^"ünbekannt" : "x","other":[1,{}]},{"metric":"m","time":2,"value":2,"more":1}]"#
        let bytes = MarkedText(text).bytes
        let readings = try decode(text, received: Timestamp(seconds: 9))
        let place = MarkedText(text).places[0]
        #expect(readings.readings.count == 2 && readings.unknownKey == place && !readings.isStamped)
        #expect(readings.remark(on: bytes.span) == "the key \"ünbekannt\" is not known and passed over (byte \(place))")
        #expect(try decode(#"{"metric":"m","time":1,"value":1}"#).remark(on: bytes.span) == nil)
        #expect(try decode(#"{"metric":"m","value":1,"ts":5}"#, received: Timestamp(seconds: 9)).refusals.map(\.code) == [.missing])
        let stamped = try decode(#"{"metric":"m","value":1}"#, received: Timestamp(seconds: 9))
        #expect(stamped.isStamped && stamped.readings.first?.observation.time == Timestamp(seconds: 9))
        #expect(try !decode(#"{"metric":"m","value":1,"time":3}"#, received: Timestamp(seconds: 9)).isStamped)
    }

    /// Only who sends knows the sensor's range, and a word would alarm nobody.
    @Test("with the word of a glucose sensor at the end of its range are refused, saying what is to be sent")
    func glucoseWords() throws {
        func reason(_ metric: String, _ value: String) throws -> String? {
            let error = try #require(try decode(#"[{"value":\#(value),"metric":"\#(metric)","time":1}]"#).refusals.first)
            #expect(error.code == .wrongType && error.path == "$[0].value" && error.offset == 10)
            return error.reason
        }
        for word in [#""LO""#, #""<40""#, #""High""#] {
            for metric in ["blood-glucose", "blood-glucose-minimum"] {
                #expect(
                    try reason(metric, word)?.hasSuffix("send the first whole number beyond its range: 39 below 40 mg/dL, 401 above 400")
                        == true)
            }
            #expect(try reason("heart-rate", word) == "a number is expected")
            #expect(try reason("unknown", word) == "a number is expected")
        }
        #expect(try reason("blood-glucose", "true") == "a number is expected")
    }

    @Test("may be escaped, and names and units are told apart by all of their letters")
    func names() throws {
        func read(_ metric: String, _ unit: String) throws -> (String?, String?) {
            let reading = try decode(#"{"metric":"\#(metric)","time":1,"value":1,"unit":"\#(unit)"}"#).readings.first?.observation
            return (reading?.metric, reading?.unit)
        }
        #expect(try read(#"heart-r\u0061te"#, "/min") == ("heart-rate", "/min") && read("heart-rate", #"\/min"#) == ("heart-rate", "/min"))
        for definition in MetricCatalogue.standard.definitions {
            #expect(try read(definition.name, definition.unit) == (definition.name, definition.unit))
        }
        for other in ["heart-raty", "Heart-rate", "heart-rate-", "heart-rat", "heart-rate-vaXXability-sdnn", "x"] {
            #expect(try read(other, "/mi") == (other, "/mi"))
        }
    }

    @Test("are found in the catalogue by their bytes, wherever they stand")
    func catalogue() {
        let catalogue = MetricCatalogue.standard
        for (place, definition) in catalogue.definitions.enumerated() {
            for (before, after) in [("", ""), ("xyz", "0123456789")] {
                let name = Array((before + definition.name + after).utf8), unit = Array((before + definition.unit + after).utf8)
                let start = before.utf8.count
                let found = catalogue.index(of: name.span, start..<(start + definition.name.utf8.count))
                let isUnit = catalogue.hasUnit(place, unit.span, start..<(start + definition.unit.utf8.count))
                #expect(found == place && isUnit, "\(definition.name)")
            }
        }
    }

    @Test("make at most so many samples as are allowed")
    func samples() throws {
        for (count, isTaken) in [(3, true), (4, false)] {
            let list = Array(repeating: "1", count: count).joined(separator: ",")
            let bytes = Array(#"{"metric":"m","time":1,"period":1,"samples":[\#(list)]}"#.utf8)
            var parser = ObservationParser(catalogue: .standard, cursor: JSONCursor(offset: 0), maximumSamples: 3)
            var readings: [ParsedObservation] = []
            let refused = try parser.parse(bytes.span, index: nil, into: &readings)
            #expect((refused == nil) == isTaken && readings.count == (isTaken ? 1 : 0))
            if !isTaken { #expect(refused?.error.code == .tooLarge && refused?.field == .samples) }
        }
        for (count, isTaken) in [(1_000_000, true), (1_000_001, false)] {
            let list = String(repeating: "1,", count: count - 1) + "1"
            let bytes = Array((#"{"metric":"m","time":1,"period":1,"samples":["# + list + "]}").utf8)
            #expect(try ReadingDecoder().decode(bytes.span).readings.isEmpty != isTaken)
        }
    }

    @Test("that are not known are passed over where they nest 31 levels, and no message is read where one nests deeper")
    func nested() throws {
        for (levels, isRead) in [(31, true), (32, false)] {
            let value = String(repeating: "[", count: levels) + "1" + String(repeating: "]", count: levels)
            for text in [#"{"metric":"m","time":1,"value":1,"x":\#(value)}"#, #"{"x":\#(value),"metric":"m","time":1,"value":1}"#] {
                #expect(((try? decode(text))?.readings.count ?? 0) == (isRead ? 1 : 0))
            }
        }
    }
}
