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
            ("ecg", .samples([0, 11], period: 0.01), "mV", .implausible), ("airflow", .value(1.1e140), "1", .implausible),
            ("airflow", .samples([0, -1.1e140], period: 0.01), "1", .implausible),
            ("airflow", .samples([.nan], period: 1), "1", .notFinite),
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

    @Test("refuses samples that go on for years, and takes a day's that begin when they came or were measured long ago")
    func future() throws {
        for (count, period) in [(3, 86_400.0), (20_000, 86_399), (1, 1e9), (2, 86_400.5), (172_801, 1)] {
            let samples = Observation.Content.samples(Array(repeating: 1, count: count), period: period)
            let error = #expect(throws: PayloadError.self) { try normalise("ecg", samples, "mV") }
            #expect(error?.code == .implausibleTime && error?.path == "$.period")
        }
        let day = Observation.Content.samples([1, 2], period: 43_200), year = Observation.Content.samples([1, 2], period: 15_000_000)
        let days = Observation.Content.samples([1, 2], period: 86_400)
        #expect(try normalise("ecg", day, "mV").content == day && normalise("ecg", days, "mV").content == days)
        #expect(try normalise("ecg", year, "mV", time: 1_600_000_000).content == year)
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

    @Test(
        "takes times from 1900 to a day ahead, to the microsecond",
        arguments: [
            (1_700_086_400_000_000, true), (1_700_086_400_000_001, false), (-2_208_988_800_000_000, true), (-2_208_988_800_000_001, false),
        ] as [(Int64, Bool)])
    func times(microseconds: Int64, isTaken: Bool) {
        let observation = Observation(metric: "heart-rate", time: Timestamp(microseconds: microseconds), content: .value(70), unit: "")
        let located = ParsedObservation(observation, offsets: .init(element: 0), index: 4)
        do {
            _ = try Normaliser().normalise(located, now: now)
            #expect(isTaken)
        } catch { #expect(!isTaken && error.path == "$[4].time" && error.code == .implausibleTime) }
    }

    @Test(
        "takes values on the bounds of what is plausible, and none beyond, in the canonical unit",
        arguments: [
            ("heart-rate", 20.0, "/min", true), ("heart-rate", 19.9, "/min", false), ("heart-rate", 300, "/min", true),
            ("heart-rate", 300.1, "/min", false), ("heart-rate", 5, "Hz", true), ("heart-rate", 5.1, "Hz", false),
            ("oxygen-saturation", 1, "1", true), ("oxygen-saturation", 1.01, "1", false), ("body-fat", 75.5, "%", false),
        ] as [(String, Double, String, Bool)])
    func plausible(metric: String, value: Double, unit: String, isTaken: Bool) {
        do {
            _ = try normalise(metric, .value(value), unit)
            #expect(isTaken)
        } catch { #expect(!isTaken && error.code == .implausible && error.path == "$.value") }
    }

    @Test("names the bounds, the sample, the vocabulary and what the metric takes")
    func words() throws {
        func reason(_ metric: String, _ content: Observation.Content, _ unit: String = "") -> PayloadError? {
            do throws(PayloadError) {
                _ = try normalise(metric, content, unit)
                return nil
            } catch { return error }
        }
        #expect(reason("heart-rate", .value(5))?.reason == "heart-rate lies outside 20…300 /min")
        #expect(reason("bone-mass", .value(50))?.reason == "bone-mass lies outside 0.1…20 kg")
        #expect(reason("ecg", .samples([0, 1, 11, 12], period: 0.01), "mV")?.path == "$.samples[2]")
        #expect(reason("ecg", .samples([0, 11_000, 2], period: 0.01), "uV")?.path == "$.samples[1]")
        #expect(reason("consciousness", .samples([1], period: 1))?.reason == "consciousness takes a text")
        #expect(reason("consciousness", .value(1))?.reason == "consciousness takes a text")
        #expect(reason("heart-rate", .text("a"))?.reason == "heart-rate takes a number or samples")
        let glucose = "blood-glucose takes a number or samples; for LO or HI, the first whole number beyond the sensor's range"
        #expect(reason("blood-glucose", .text("LO"))?.reason == glucose)
        #expect(reason("consciousness", .text("no"))?.reason == "consciousness is none of alert, confusion, voice, pain, unresponsive")
        #expect(reason("heart-rate", .value(1), "kg")?.path == "$.unit" && reason("heart-rate", .value(.infinity))?.code == .notFinite)
        let samples = try normalise("ecg", .samples([500, -1000], period: 0.01), "uV")
        #expect(samples.content == .samples([0.5, -1], period: 0.01) && samples.unit == "mV")
    }

    @Test("takes no number of an unknown metric that no quantity has, and every other", arguments: [1.1e140, -1.7e308, .infinity, .nan])
    func unknownNumbers(number: Double) throws {
        var normaliser = Normaliser()
        normaliser.acceptsUnknownMetrics = true
        for content in [Observation.Content.value(number), .samples([1, number], period: 1)] {
            let observation = Observation(metric: "odd", time: now, content: content, unit: "1")
            let located = ParsedObservation(observation, offsets: .init(element: 7), index: nil)
            let error = #expect(throws: PayloadError.self) { try normaliser.normalise(located, now: now) }
            #expect(error?.code == (number.isFinite ? .implausible : .notFinite))
        }
        let greatest = Observation(metric: "odd", time: now, content: .value(1e140), unit: "1")
        _ = try normaliser.normalise(ParsedObservation(greatest, offsets: .init(element: 7), index: nil), now: now)
    }

    @Test("takes texts of 4,096 bytes, and unknown metrics only where it is told to")
    func unknown() throws {
        func normalise(_ metric: String, _ content: Observation.Content, _ unit: String, accepts: Bool) throws(PayloadError) -> Observation
        {
            let observation = Observation(metric: metric, time: now, content: content, unit: unit)
            let normaliser = Normaliser(acceptsUnknownMetrics: accepts, futureTolerance: 0)
            return try normaliser.normalise(ParsedObservation(observation, offsets: .init(element: 0), index: nil), now: now)
        }
        #expect(try normalise("my.metric", .value(1), "", accepts: true).unit == "1")
        #expect(try normalise("my.metric", .value(1e9), "kg", accepts: true).unit == "kg")
        #expect(try normalise("my.metric", .text(String(repeating: "x", count: 4096)), "", accepts: true).metric == "my.metric")
        let long = #expect(throws: PayloadError.self) {
            try normalise("my.metric", .text(String(repeating: "x", count: 4097)), "", accepts: true)
        }
        #expect(long?.code == .tooLarge && long?.path == "$.text")
        let invalid = #expect(throws: PayloadError.self) { try normalise("my metric", .value(1), "", accepts: true) }
        #expect(invalid?.code == .unknownMetric && invalid?.path == "$.metric")
        let refused = #expect(throws: PayloadError.self) { try normalise("hart-rate", .value(70), "", accepts: false) }
        #expect(refused?.reason == "the metric is not in the catalogue; did you mean heart-rate?")
        let strange = #expect(throws: PayloadError.self) { try normalise("zzzzzzzz", .value(1), "", accepts: false) }
        #expect(strange?.reason.hasSuffix("vigil metrics lists it, and the operator can allow unknown metrics") == true)
        #expect(!Normaliser().acceptsUnknownMetrics && Normaliser().futureTolerance == 86_400)
    }

    @Test("of two definitions with one name the first counts; a module's stand-in is a name")
    func catalogueOrder() {
        let metrics = MetricCatalogue.standard.definitions
        let twice = MetricCatalogue([metrics[0], metrics[1], metrics[0]] + metrics)
        #expect(twice.definition(named: metrics[1].name) == metrics[1] && twice.definition(named: "none") == nil)
        let long = TechnicalMetric.participant(service: "vigil-ingest", instance: String(repeating: "x", count: 80))
        #expect(long.utf8.count == 64 && TechnicalMetric.participant(service: "a", instance: "b") == "_module.a.b")
    }
}
