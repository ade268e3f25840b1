import Testing
import VigilSchema

@testable import CSVImport

@Suite("headers in every script and language")
struct HeaderWordTests {
    @Test(
        "make a metric's name of all their letters",
        arguments: [
            ("längd", "langd"), ("tętno", "tetno"), ("pulsação", "pulsacao"), ("Aktivität", "aktivitat"),
            ("Größe am Morgen", "grosse-am-morgen"),
            ("heart rate", "heart-rate"), ("Резерв", "rezerv"), ("★", nil),
        ] as [(String, String?)])
    func names(header: String, name: String?) { #expect(HeaderName.metricName(header) == name) }

    @Test("two columns of another script are two metrics")
    func distinct() throws {
        let decoded = try Decoded("测量时间,某甲(kg),某乙(kg)\n2026-03-05 07:00:00,1,2\n", options: .ofParticipant())
        #expect(Set(decoded.rows.map(\.metric)).count == 2 && decoded.rows.map(\.value) == [1, 2])
    }

    @Test("accents and case are no matter, and unrelated letters are")
    func folding() {
        #expect(HeaderName("Presión Sistólica") == HeaderName("presion sistolica") && HeaderName("Größe") == HeaderName("GROSSE"))
        #expect(HeaderName("心率") != HeaderName("血压") && HeaderName("प्र") != HeaderName("प") && HeaderName("が") != HeaderName("か"))
    }

    @Test("a word stands for one metric only, whatever the language")
    func unambiguous() {
        var metrics: [HeaderName: Set<String>] = [:]
        for rule in Vocabulary.columns { for word in rule.headers { metrics[HeaderName(word), default: []].insert(rule.metric ?? "") } }
        #expect(metrics.filter { $0.value.count > 1 }.isEmpty)
        #expect(metrics.keys.allSatisfy { !$0.isEmpty })
        // What is a metric's own name in the catalogue is no word for another.
        for rule in Vocabulary.columns {
            let names = rule.headers.compactMap(HeaderName.metricName).filter { MetricCatalogue.standard.definition(named: $0) != nil }
            #expect(names.allSatisfy { $0 == rule.metric }, "\(names)")
        }
    }

    @Test("no word for a metric is one for a time")
    func times() {
        let times = Set((Vocabulary.moments + Vocabulary.clocks + Vocabulary.starts + Vocabulary.ends).map(HeaderName.init))
        #expect(Vocabulary.columns.flatMap(\.headers).filter { times.contains(HeaderName($0)) } == [])
    }

    @Test("a mass is the catalogue's with its unit, its share is another metric with its own")
    func units() throws {
        let decoded = try Decoded(
            "Time of Measurement,Muscle Mass (kg),Bone Mass (lb),Body water (kg)\n2026-03-05 07:00:00,31.2,6,40\n",
            options: .ofParticipant())
        #expect(decoded.values("muscle-mass") == [31.2] && decoded.values("bone-mass") == [6 * 0.45359237])
        #expect(decoded.rows.contains { $0.metric == "body-water-kg" && $0.unit == "kg" && $0.value == 40 })
    }
}

@Suite("times by what stands in their columns")
struct TimeColumnTests {
    @Test("a date beside a time of day under an unknown word is joined, and says so")
    func joined() throws {
        let decoded = try Decoded("Datum,Qwertz,Puls\n2026-03-05,07:12,61\n2026-03-06,21:40,62\n", options: .ofParticipant())
        #expect(decoded.rows.map(\.time) == [1_772_694_720, 1_772_833_200] && decoded.rows.allSatisfy { $0.text == nil })
        #expect(decoded.survey.warnings.contains { $0.contains("\"Qwertz\"") })
    }

    @Test("two times of day beside a date are asked about")
    func asked() {
        let error = #expect(throws: ImportError.self) {
            try Decoded("Datum,Abc,Def,Puls\n2026-03-05,07:12,08:00,61\n2026-03-06,21:40,22:00,62\n", options: .ofParticipant())
        }
        #expect(error?.code == .ambiguous)
    }

    @Test("a duration is no time of day")
    func duration() throws {
        let decoded = try Decoded("Date,Sleep duration,Steps\n2026-03-05,07:12,8000\n", options: .ofParticipant())
        #expect(decoded.values("steps") == [8000] && decoded.rows.allSatisfy { $0.time == 1_772_668_800 })
    }

    @Test("when a row was sent is no measurement")
    func further() throws {
        let decoded = try Decoded("Time,Pulse,Uploaded\n2026-03-05 07:12,61,2026-03-06 00:01\n", options: .ofParticipant())
        #expect(decoded.rows.map(\.metric) == ["heart-rate"] && decoded.account.ignored == 1)
    }

    @Test("a point between thousands of steps, and a point that may be either")
    func points() throws {
        let steps = try Decoded("Datum;Schritte\n05.03.2026;10.213\n06.03.2026;856\n", options: .ofParticipant())
        #expect(steps.values("steps") == [10_213, 856])
        let error = #expect(throws: ImportError.self) {
            try Decoded("Datum;Kalorien (kcal)\n05.03.2026;2.412\n16.03.2026;2.104\n", options: .ofParticipant())
        }
        #expect(error?.code == .ambiguous)
        let distance = try Decoded("Datum;Distanz (km)\n05.03.2026;5.213\n16.03.2026;4.104\n", options: .ofParticipant())
        #expect(distance.values("distance") == [5213, 4104])
    }

    @Test("a cell that names its unit is a number in it")
    func cells() throws {
        let decoded = try Decoded("\"Datum - Zeit\";SYS;Gewicht\n\"05.03.2026 - 07:12\";120 mmHg;154.3 lb\n", options: .ofParticipant())
        #expect(decoded.values("systolic-pressure") == [120] && decoded.values("body-weight") == [154.3 * 0.45359237])
    }
}
