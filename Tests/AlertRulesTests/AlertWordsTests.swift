import Testing
import VigilSchema

@testable import AlertRules

@Suite("An alert's words by language")
struct AlertWordsTests {
    private static func message(
        _ rule: String, metric: String, value: Double? = 1, threshold: Double? = 2, seconds: Int64 = 30, isDataLost: Bool = false
    ) throws -> [String: String] {
        let set = try RuleSetReader.read([RuleFile(name: "r", text: "{rules: [{id: \"a\", severity: \"warning\", \(rule)}]}")])
        let snapshot = AlertSnapshot(
            phase: .active, severity: .warning, priority: .medium, isAcknowledged: false, isRecovered: false, isInhibited: false,
            isDataLost: isDataLost, isSilenced: false, since: 1_000_000, metric: 0, value: value, threshold: threshold)
        return AlertTexts.messages(snapshot, at: 1_000_000 + seconds * 1_000_000, set.rules[0], participant: "12", metric: metric)
    }

    private static let titles = #"title: {en: "T", de: "T", ru: "T"}, "#

    @Test(
        "name units as people say them",
        arguments: [
            ("heart-rate", "1 per minute", "1 pro Minute", "1 в минуту"), ("body-temperature", "1 °C", "1 °C", "1 °C"),
            ("systolic-pressure", "1 mmHg", "1 mmHg", "1 мм рт. ст."), ("stress-level", "1", "1", "1"),
            ("body-weight", "1 kg", "1 kg", "1 кг"),
            ("skin-conductance", "1 µS", "1 µS", "1 мкСм"), ("body-mass-index", "1 kg/m²", "1 kg/m²", "1 кг/м²"),
            ("blood-glucose", "1 mg/dL", "1 mg/dL", "1 мг/дл"), ("x-own", "1", "1", "1"), ("oxygen-saturation", "1 %", "1 %", "1 %"),
        ])
    func units(metric: String, english: String, german: String, russian: String) throws {
        let texts = try Self.message(Self.titles + #"metric: "heart-rate", above: 110, message: {en: "{value} {unit}"}"#, metric: metric)
        #expect(texts == ["en": english + ".", "de": german + ".", "ru": russian.hasSuffix(".") ? russian : russian + "."])
    }

    @Test("tell a glucose in both units, and nothing else of glucose")
    func glucose() throws {
        let rule = Self.titles + #"metric: "blood-glucose", below: 54"#
        #expect(
            try Self.message(rule, metric: "blood-glucose", value: 50, threshold: 54) == [
                "en": "T: 50 mg/dL (2.8 mmol/L) (limit 54).", "de": "T: 50 mg/dL (2,8 mmol/L) (Grenze 54).",
                "ru": "T: 50 мг/дл (2,8 ммоль/л) (предел 54).",
            ])
        #expect(try Self.message(rule, metric: "blood-glucose", value: -2, threshold: nil)["en"] == "T: -2 mg/dL (limit –).")
    }

    @Test("compare with the limit, or give the title alone where there is no value")
    func plain() throws {
        let rule = Self.titles + #"metric: "body-temperature", above: 38"#
        #expect(
            try Self.message(rule, metric: "body-temperature", value: 38.456, threshold: 38) == [
                "en": "T: 38.46 °C (limit 38).", "de": "T: 38,46 °C (Grenze 38).", "ru": "T: 38,46 °C (предел 38).",
            ])
        #expect(try Self.message(rule, metric: "body-temperature", value: nil, threshold: nil) == ["en": "T.", "de": "T.", "ru": "T."])
        #expect(
            try Self.message(rule, metric: "body-temperature", threshold: nil, isDataLost: true)["de"]
                == "T: 1 °C (Grenze –). Keine Daten mehr; dies war der letzte Wert.")
        #expect(try Self.message(rule, metric: "body-temperature", value: nil, isDataLost: true)["en"] == "T.")
    }

    @Test("fill in every name, end with a full stop once, and add the advice")
    func names() throws {
        let rule = """
            metric: "x-own", above: 1, title: {en: "Why?"}, advice: "Look. Now!",
              message: {en: "{participant} {metric} {value} {unit} ({threshold} {unit}) {unit}, {duration}"}
            """
        #expect(try Self.message(rule, metric: "x-own", seconds: 90) == ["en": "12 x-own 1 (2), 1 min 30 s. Look. Now!"])
        let title = #"metric: "x-own", above: 1, title: {en: "Why?"}, advice: "Look", message: {en: "{title}"}"#
        #expect(try Self.message(title, metric: "x-own") == ["en": "Why? Look."])
    }

    @Test(
        "say for how long it lasts from the first second on",
        arguments: [(0, "Tonic: 1 per minute (limit 2)."), (1, "for 1 s."), (3599, "for 59 min 59 s.")] as [(Int64, String)])
    func duration(seconds: Int64, text: String) throws {
        let rule = #"metric: "heart-rate", above: 110, title: {en: "Tonic"}, message: {en: "for {duration}"}"#
        #expect(try Self.message(rule, metric: "heart-rate", seconds: seconds) == ["en": text])
    }

    @Test(
        "write durations in their language",
        arguments: [("en", "1 h 1 min"), ("de", "1 Std. 1 min"), ("ru", "1 ч 1 мин"), ("fr", "1 h 1 min")])
    func words(language: String, words: String) {
        #expect(AlertTexts.words(3_661_000_000, language) == words)
        #expect(AlertTexts.words(0, "ru") == "0 с")
    }

    @Test(
        "write numbers with two decimals at most, and none that are zero",
        arguments: [
            (1, "1"), (1.5, "1.5"), (1.25, "1.25"), (1.256, "1.26"), (1.004, "1"), (-2.5, "-2.5"), (0.001, "0"), (100, "100"),
            (1e16, "1e+16"),
            (999_999_999_999_999, "999999999999999"),
        ] as [(Double, String)])
    func numbers(value: Double, text: String) {
        #expect(AlertTexts.number(value) == text)
        #expect(AlertTexts.number(value, "de") == text.replacing(".", with: ","))
    }

    @Test("tell a silence where nothing alarms")
    func silence() throws {
        var harness = try EngineHarness(
            "{rules: [{id: \"a\", metric: \"heart-rate\", severity: \"warning\", above: 110, title: {en: \"T\", de: \"T\"}}]}")
        try harness.play("10 silence 100")
        let message = AlertMessage(try #require(harness.events.last), harness.engine.rules, participant: "12", decided: 0)
        #expect(message.message == ["en": "T: silenced for 1 min 30 s.", "de": "T: stumm für 1 min 30 s."])
        try harness.play("20 120; 30 silence 60")
        let active = AlertMessage(try #require(harness.events.last), harness.engine.rules, participant: "12", decided: 0)
        #expect(active.message["en"] == "T: 120 per minute (limit 110).")
    }

    @Test("carry every fact of the alert over")
    func facts() throws {
        let rules = """
            {rules: [{id: "a", metric: "heart-rate", severity: "critical", above: 110, latch: true, group: "g", source: "s", staleAfter: "1m",
              escalate: [{after: "1m", to: "nurse"}]}]}
            """
        var harness = try EngineHarness(rules)
        try harness.play("0 120; 10 silence 90; 62; 91; 100 120; 110 100; 120 ack")
        let messages = harness.events.map { AlertMessage($0, harness.engine.rules, participant: "12", decided: 5_500_000) }
        let facts = messages.map { message in
            [
                message.transition, message.cause, message.state, message.severity, message.acknowledged ? "a" : "",
                message.recovered ? "r" : "",
                message.dataLost ? "l" : "", message.silenced ? "s" : "",
            ].joined(separator: " ")
        }
        #expect(
            facts == [
                "raised reading active critical    ", "silenced command active critical    s", "data-lost timer active critical   l s",
                "silence-ended timer active critical   l ", "escalated timer active critical   l ", "data-back reading active critical    ",
                "recovered reading active critical  r  ", "acknowledged command active critical a r  ", "cleared command none critical    ",
            ])
        #expect(
            messages.allSatisfy { $0.kind == "medical" && $0.group == "g" && $0.source == "s" && $0.priority == "high" && $0.rule == "a" })
        #expect(messages.map(\.sequence) == Array(1...9) && messages.allSatisfy { $0.participant == "12" && $0.decided == 5.5 })
        #expect(messages[1].actor == "nurse" && messages[1].reason == "r" && messages[4].escalatedTo == "nurse" && messages[0].actor == nil)
        #expect(messages[0].value == 120 && messages[0].threshold == 110 && messages[0].metric == "heart-rate" && messages[6].value == 100)
    }

    @Test("of an alert that goes on carry its newest value")
    func updated() throws {
        var harness = try EngineHarness(
            "{rules: [{id: \"a\", metric: \"heart-rate\", severity: \"warning\", above: 110, title: {en: \"T\"}}]}")
        try harness.play("0 120; 10 130")
        let raised = AlertMessage(try #require(harness.events.first), harness.engine.rules, participant: "12", decided: 0)
        let (alert, time) = harness.engine.snapshot(participant: harness.participant, rule: 0)
        let updated = raised.updated(to: alert, harness.engine.rules.rules[0], harness.engine.rules, at: time)
        #expect(updated.value == 130 && updated.threshold == 110 && updated.metric == "heart-rate" && updated.sequence == 1)
        #expect(updated.updated == Double(EngineHarness.start + 10) && updated.message["en"] == "T: 130 per minute (limit 110).")
    }
}
