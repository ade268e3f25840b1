import AlertRules
import SignalSynthesis
import Testing
import VigilSchema

@testable import VigilCLI

@Suite("The drill of alarm rules")
struct AlertDrillTests {
    private func rules(_ text: String) throws -> RuleSet { try RuleSetReader.read([RuleFile(name: "r.json5", text: text)]) }

    private var fast: String {
        #"{rules: [{id: "fast", metric: "heart-rate", severity: "critical", above: 150, clear: 140, staleAfter: "1m"}]}"#
    }

    private func course(_ name: String) throws -> PlantedCourse {
        try #require((PlantedCourse.adults + PlantedCourse.childrenAndPregnancy).first { $0.course.name == name })
    }

    @Test("tells how long after the onset the first alarm came")
    func delay() throws {
        let outcome = try DrillOutcome(try course("SVT 190"), rules: try rules(fast), seeds: [1, 2, 3])
        #expect(outcome.missed == 0)
        #expect(outcome.latest <= 15)
        #expect(outcome.isGoalMet)
        #expect(outcome.rules == ["fast": 3])
    }

    @Test("a deterioration that no rule sees is missed, and its goal with it")
    func missed() throws {
        let outcome = try DrillOutcome(try course("hypoxia 83"), rules: try rules(fast), seeds: [1, 2])
        #expect(outcome.missed == 2)
        #expect(outcome.median == .infinity)
        #expect(!outcome.isGoalMet)
    }

    @Test("counts the audible medical alarms of a day, and not the technical ones")
    func burden() throws {
        let text = """
            {rules: [
                {id: "always", metric: "heart-rate", severity: "warning", above: 21, staleAfter: "1h"},
                {id: "gone", kind: "technical", metric: "blood-glucose", severity: "warning", noData: "5m"},
                {id: "quiet", metric: "heart-rate", severity: "notice", above: 21, staleAfter: "1h"},
            ]}
            """
        let set = try rules(text)
        var burden = DrillBurden(name: "well", goal: 0.5)
        for day in UInt64(1)...2 {
            var course = PersonDays.well(day)
            course.length = 7200
            try burden.add(course, rules: set, seed: day)
        }
        #expect(burden.mean == 1)
        #expect(!burden.isGoalMet)
    }

    @Test("a seed gives the same values again, another seed others, all of them in the catalogue's range")
    func reproducible() throws {
        for planted in PlantedCourse.adults + PlantedCourse.childrenAndPregnancy {
            let first = planted.course.samples(seed: 7)
            let values = first.map(\.value)
            #expect(values == planted.course.samples(seed: 7).map(\.value))
            #expect(values != planted.course.samples(seed: 8).map(\.value))
            let times = first.map(\.time)
            #expect(times == times.sorted())
            for sample in first where sample.text == nil {
                guard let range = MetricCatalogue.standard.definition(for: sample.metric)?.plausible else { continue }
                #expect(range.contains(sample.value), "\(planted.course.name) \(sample.metric)")
            }
        }
    }

    @Test("a sensor that falls silent reports nothing afterwards, the other one goes on")
    func silence() throws {
        let samples = try course("ECG silent beside a watch").course.samples(seed: 1).filter { $0.time >= CoursePlayer.quiet }
        let sources = Set(samples.filter { $0.metric == "heart-rate" }.map(\.source))
        #expect(sources == ["watch"])
    }
}
