import Testing
import VigilSchema

@Suite("Names of metrics")
struct MetricNameTests {
    @Test(
        "take the names that devices use",
        arguments: [
            ("heart-rate", "heart-rate"), ("Heart Rate", "heart-rate"), ("heart_rate", "heart-rate"), ("bpm", "heart-rate"),
            ("HR", "heart-rate"),
            ("spo2", "oxygen-saturation"), ("SpO2", "oxygen-saturation"), ("weight", "body-weight"), ("body_temp", "body-temperature"),
            ("bloodGlucose", "blood-glucose"), ("stepCount", "steps"), ("systolic", "systolic-pressure"),
        ])
    func aliases(name: String, metric: String) {
        #expect(MetricCatalogue.standard.definition(for: name)?.name == metric)
    }

    @Test("leave alone what could mean something else", arguments: ["temperature", "temp", "rr", "humidity", "value", "", "x", "battery"])
    func unknown(name: String) {
        #expect(MetricCatalogue.standard.definition(for: name) == nil)
    }

    @Test(
        "suggest what was probably meant",
        arguments: [("hart-rate", "heart-rate"), ("body-wieght", "body-weight"), ("oxigen-saturation", "oxygen-saturation")])
    func suggestions(name: String, metric: String) {
        #expect(MetricCatalogue.standard.suggestion(for: name) == metric)
        #expect(MetricCatalogue.standard.suggestion(for: "zzzzzzzz") == nil)
    }

    @Test("are each one metric's alone")
    func unambiguous() {
        for metric in MetricCatalogue.standard.definitions {
            for alias in MetricCatalogue.standard.aliases(of: metric) {
                #expect(MetricCatalogue.standard.definition(for: alias)?.name == metric.name, "\(alias)")
            }
        }
    }

    @Test("native readings take aliases, ISO times with their zone, and no time at all")
    func native() throws {
        let now = Timestamp(seconds: 1_700_000_000)
        let text = #"[{"metric":"spo2","time":"2026-01-31T12:00:00+01:00","value":97},{"metric":"bpm","value":61}]"#
        let decoded = try ReadingDecoder().decode(Array(text.utf8).span, received: now)
        let readings = try decoded.readings.map { try Normaliser(futureTolerance: 1e9).normalise($0, now: now) }
        #expect(readings.map(\.metric) == ["oxygen-saturation", "heart-rate"])
        #expect(readings[0].time == Timestamp(seconds: 1_769_857_200) && readings[0].zone == 60)
        #expect(readings[1].time == now && decoded.isStamped)
        let refused = try ReadingDecoder().decode(Array(#"{"metric":"bpm","time":"yesterday","value":61}"#.utf8).span, received: now)
        #expect(refused.refusals.map(\.path) == ["$.time"])
        #expect(try ReadingDecoder().decode(Array(#"{"metric":"bpm","value":61}"#.utf8).span).refusals.count == 1)
    }
}
