import Testing
import VigilSchema

@Suite("Normaliser")
struct NormaliserTests {
    private let now = Timestamp(seconds: 1_700_000_000)

    private func normalise(
        _ metric: String, _ content: Observation.Content, _ unit: String, time: Double = 1_700_000_000
    ) throws(PayloadError) -> Observation {
        let observation = Observation(metric: metric, time: Timestamp(seconds: time), content: content, unit: unit)
        return try Normaliser().normalise(ParsedObservation(observation, offsets: .init(element: 7), index: nil), now: now)
    }

    @Test(
        "converts into the canonical unit",
        arguments: [
            ("heart-rate", 1.0, "Hz", 60.0, "/min"), ("body-temperature", 98.6, "[degF]", 37.0, "Cel"),
            ("blood-glucose", 5.5, "mmol/L", 99.088, "mg/dL"), ("body-weight", 154.0, "lb", 69.85322498, "kg"),
            ("rr-interval", 0.8, "s", 800.0, "ms"), ("oxygen-saturation", 0.97, "1", 97.0, "%"),
            ("heart-rate", 61.0, "", 61.0, "/min"), ("heart-rate", 61.0, "bpm", 61.0, "/min"), ("body-height", 1.8, "m", 180.0, "cm"),
        ])
    func conversion(metric: String, value: Double, unit: String, expected: Double, canonical: String) throws {
        let observation = try normalise(metric, .value(value), unit)
        guard case .value(let result) = observation.content else { Issue.record("not a value"); return }
        #expect(abs(result - expected) < 1e-9 * expected)
        #expect(observation.unit == canonical)
    }

    @Test(
        "refuses what cannot be believed",
        arguments: [
            ("skin-temperature", Observation.Content.value(382.18), "Cel", PayloadError.Code.implausible),
            ("heart-rate", .value(.nan), "/min", .notFinite), ("heart-rate", .value(70), "kg", .unknownUnit),
            ("heart-rat", .value(70), "/min", .unknownMetric), ("heart-rate", .text("fast"), "", .wrongType),
            ("consciousness", .value(1), "", .wrongType), ("consciousness", .text("sleepy"), "", .implausible),
            ("ecg", .samples([0, 11], period: 0.01), "mV", .implausible),
        ])
    func refusal(metric: String, content: Observation.Content, unit: String, code: PayloadError.Code) {
        let error = #expect(throws: PayloadError.self) { try normalise(metric, content, unit) }
        #expect(error?.code == code)
        #expect(error?.offset == 7)
    }

    @Test("refuses a time more than a day ahead, and one before 1900", arguments: [1_700_086_401.0, -2_300_000_000.0])
    func time(seconds: Double) {
        let error = #expect(throws: PayloadError.self) { try normalise("heart-rate", .value(70), "", time: seconds) }
        #expect(error?.code == .implausibleTime)
    }

    @Test("every metric's unit converts to itself, and every name is a topic level")
    func catalogue() {
        for definition in MetricCatalogue.standard.definitions {
            #expect(UnitConversion.from(definition.unit, to: definition) == .from("", to: definition) || definition.unit != "1")
            #expect(UnitConversion.from(definition.unit, to: definition)?(5) == 5)
            #expect(Name.isValid(definition.name))
        }
        let names = MetricCatalogue.standard.definitions.map(\.name)
        #expect(Set(names).count == names.count)
    }
}
