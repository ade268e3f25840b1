import Testing
import VigilSchema

@testable import SensorIngest

@Suite("What looks like a vital sign and is not taken")
struct NearNameTests {
    private static let shipped = Result { try MappingFile.load([MappingTests.shipped]) }

    @Test(
        "is named, whatever else of the record is taken",
        arguments: [
            (#""glu":101"#, "glu", "blood-glucose"), (#""hrate":72"#, "hrate", "heart-rate"), (#""FC":72"#, "FC", "heart-rate"),
            (#""lowerBloodPressure":80"#, "lowerBloodPressure", "pressure"), (#""breath":{"value":18}"#, "breath", "respiration-rate"),
            (#""blood_pressure_systole":120"#, "blood_pressure_systole", "pressure"), (#""BT":36.6"#, "BT", "body-temperature"),
            (#""frecuencia_cardiaca":72"#, "frecuencia_cardiaca", "heart-rate"), (#""心率":72"#, "心率", "heart-rate"),
            (#""averageHeartRateToday":72"#, "averageHeartRateToday", "heart-rate"), (#""血糖":5.6"#, "血糖", "blood-glucose"),
            (#""Пульс":72"#, "Пульс", "heart-rate"), (#""glucose_reading_mgdl_now":101"#, "glucose_reading_mgdl_now", "blood-glucose"),
        ])
    func named(member: String, key: String, metric: String) throws {
        for body in ["knownNames: true, ignore: [\"*\"]", #"readings: [{metric: "skin-temperature", value: "skinTemp"}], ignore: ["*"]"#] {
            let lines = try MappingSample.lines(body, #"{"skinTemp":33,\#(member)}"#)
            #expect(lines.count == 2 && lines[0].contains("skin-temperature 33.0"), "\(lines)")
            #expect(lines.last.map { $0.hasPrefix("no ") && $0.contains("\"\(key)\"") } == true, "\(lines)")
            if body.hasPrefix("known") { #expect(lines.last?.contains(metric) == true, "\(lines)") }
        }
        let nested = #"readings: [{metric: "skin-temperature", value: "skinTemp"}], ignore: ["*"]"#
        #expect(try MappingSample.lines(nested, #"{"skinTemp":33,"vitals":{\#(member)}}"#).count == 2)
    }

    @Test(
        "is no goal, time, count or code, and no number that it cannot be",
        arguments: [
            #""heartRateGoal":120"#, #""heartRateZoneMinutes":30"#, #""glucoseTimestamp":17"#, #""spo2Confidence":80"#, #""bt":1"#,
            #""heart":1"#, #""fc":0"#, #""distance":1.2"#, #""heartRateSampleCount":60"#, #""bloodPressureId":120"#, #""o2":0"#,
            #""goal":{"systolicTop":120}"#, #""heart":"ok""#, #""glu":null"#, #""steps":0"#,
        ])
    func others(member: String) throws {
        let body = #"readings: [{metric: "skin-temperature", value: "skinTemp"}], ignore: ["*"]"#
        #expect(try MappingSample.lines(body, #"{"skinTemp":33,\#(member)}"#) == ["a b skin-temperature 33.0 Cel on arrival"])
    }

    @Test("is named once a message, and not where the metric is taken from another key")
    func once() throws {
        let body = #"each: "l", readings: [{metric: "heart-rate", value: "hr"}], ignore: ["*"]"#
        let lines = try MappingSample.lines(body, #"{"l":[{"hr":61,"avgHeartRateToday":60,"glu":101},{"hr":62,"glu":102}]}"#)
        #expect(lines.count == 3 && lines.last?.contains("\"glu\"") == true && lines.last?.contains("avg") == false, "\(lines)")
    }

    @Test("is taken where only the unit stands behind its name")
    func units() throws {
        let lines = try MappingSample.lines(
            "knownNames: true",
            #"{"weightInGrams":75000,"bodyFatInPercent":18.5,"restingHeartRateInBeatsPerMinute":54,"distanceInMeters":6010}"#)
        let start = MappingSample.midnight()
        #expect(
            lines == [
                "a b body-weight 75.0 kg on arrival", "a b body-fat 18.5 % on arrival", "a b resting-heart-rate 54.0 /min on arrival",
                "a b distance 6010.0 m \(start) for 86400 s",
            ], "\(lines)")
    }

    @Test("names no unit where another value is in pounds, inches or miles: it is refused")
    func mixedUnits() throws {
        let lines = try MappingSample.lines(
            "knownNames: true", #"{"weight_lbs":180,"height":70,"hr":61}"#, topics: #"["vitals"]"#, topic: "vitals")
        #expect(lines.count == 3 && lines.contains { $0.hasPrefix("no ") && $0.contains("body-height names no unit") }, "\(lines)")
        let metric = try MappingSample.lines(
            "knownNames: true", #"{"weight_lb":158.7,"weight_kg":72,"height":170}"#, topics: #"["vitals"]"#, topic: "vitals")
        #expect(metric.contains { $0.contains("body-height 170.0 cm") }, "\(metric)")
    }

    @Test("true and false are no number of a quantity", arguments: ["insulin", "carbs", "hr", "weight", "spo2"])
    func booleans(key: String) throws {
        for body in ["knownNames: true", #"readings: [{metric: "\#(key == "carbs" ? "carbohydrates" : key)", value: "\#(key)"}]"#] {
            let lines = try MappingSample.lines(body, #"{"\#(key)":true}"#)
            #expect(lines.allSatisfy { $0.hasPrefix("no ") } && !lines.isEmpty, "\(lines)")
        }
    }

    @Test("words of a metric of words are taken, and any other named; samples without a rate are named")
    func words() throws {
        let body = "knownNames: true, ignore: [\"*\"]"
        #expect(try MappingSample.lines(body, #"{"hr":61,"consciousness":"Alert"}"#).contains { $0.contains("consciousness alert") })
        #expect(try MappingSample.lines(body, #"{"hr":61,"consciousness":"A"}"#).contains { $0.hasPrefix("no consciousness is one of") })
        #expect(try MappingSample.lines(body, #"{"hr":61,"ecg":[1,2,3]}"#).contains { $0.hasPrefix("no samples of ecg") })
    }

    @Test("a food or a setting is no treatment", arguments: [#"{"type":"food","carbs":15}"#, #"{"insulin":5,"sensitivity":2,"aps":"x"}"#])
    func foods(payload: String) throws {
        let message = MappedMessage(Array(payload.utf8), topic: "nightscout/anna/treatments", by: try Self.shipped.get())
        #expect(message.accepted.isEmpty && !message.refused.isEmpty, "\(message.accepted)")
    }
}
