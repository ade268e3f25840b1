import Foundation
import Testing

@testable import AlertRules

/// Every member of a rule file, where it is left out and where it is there.
@Suite("Members of rule files")
struct RuleMembersTests {
    private static let second: Int64 = 1_000_000

    private static func set(_ rules: String, _ more: String = "") throws -> RuleSet {
        try RuleSetReader.read([RuleFile(name: "r.json5", text: "{\(more) rules: [\(rules)]}")])
    }

    @Test("a rule that says nothing more has the defaults that are documented")
    func defaults() throws {
        let set = try Self.set(#"{id: "a", metric: "heart-rate", severity: "warning", above: 110}"#)
        let rule = set.rules[0]
        #expect(rule.id == "a" && rule.kind == .medical && rule.title.byLanguage == ["en": "a"] && rule.group == "default")
        #expect(!rule.isLatching && rule.schedule == nil && rule.lateness == 10 * Self.second && rule.maximumAge == 4200 * Self.second)
        #expect(rule.ages.isEmpty && rule.participants.isEmpty && rule.profiles == ProfileFilter())
        #expect(rule.clearFor == 4 * 3600 * Self.second && rule.pairing == nil && !rule.isMixed)
        #expect(rule.escalations.isEmpty && rule.inhibitors.isEmpty && rule.message == nil && rule.advice == nil && rule.source == nil)
        #expect(rule.levelRange == 0..<1 && rule.leafRange == 0..<1 && rule.levels == [set.levels[0]])
        #expect(
            set.levels[0]
                == RuleLevel(
                    severity: .warning, priority: .medium, condition: .leaf(0), delay: 0, share: 1, keepFiring: 0, repetition: nil))
        let leaf = set.leaves[0]
        #expect(leaf.comparison == .above(Threshold(slot: 0, standard: 110), orEqual: false))
        #expect(leaf.quantity == .value && leaf.slack == 0 && leaf.staleAfter == 300 * Self.second && leaf.quality == nil)
        #expect(leaf.memory == nil && set.metrics[leaf.metric] == "heart-rate")
    }

    private static let full = """
        {id: "a", kind: "technical", title: {en: "A", de: "Ä"}, group: "g", metric: "heart-rate", for: "1m", share: 0.8, keepFiringFor: "2m",
          staleAfter: "3m", quality: {metric: "ecg-quality", atLeast: 0.25}, latch: true, schedule: {zone: "UTC", from: "08:00", to: "09:30"},
          lateness: "4s", maximumAge: "5m", ages: ["child", "older"], participants: ["1", "2"], profile: {saturationScale: 2, pregnant: false},
          clearFor: "6h", paired: "7s", escalate: [{after: "1m", to: "n"}, {after: "2m", to: "d"}], message: {en: "m"}, advice: "ad", source: "s",
          levels: [{severity: "notice", above: 100, priority: "high"},
            {severity: "warning", above: 110, for: "30s", share: 0.9, keepFiringFor: "40s", staleAfter: "50s", hysteresis: 5,
              repeat: {count: 2, of: 3, within: "1h", apart: "10s"}},
            {severity: "critical", above: 130, clear: 121, repeat: {count: 2, within: "1h"}}]}
        """

    @Test("a rule's members are what the file says")
    func members() throws {
        let set = try Self.set(Self.full)
        let rule = set.rules[0]
        #expect(rule.kind == .technical && rule.title.byLanguage == ["en": "A", "de": "Ä"] && rule.group == "g" && rule.isLatching)
        let schedule = try #require(rule.schedule)
        #expect(schedule.from == 480 && schedule.to == 570 && schedule.days == Set(1...7) && schedule.zone.secondsFromGMT() == 0)
        #expect(rule.lateness == 4 * Self.second && rule.maximumAge == 300 * Self.second && rule.clearFor == 6 * 3600 * Self.second)
        #expect(rule.ages == [.child, .older] && rule.participants == ["1", "2"] && rule.pairing == 7 * Self.second)
        #expect(rule.profiles == ProfileFilter(usesScale2: true, isPregnant: false))
        #expect(rule.escalations == [.init(after: 60 * Self.second, to: "n"), .init(after: 120 * Self.second, to: "d")])
        #expect(rule.message?.byLanguage == ["en": "m"] && rule.advice?.byLanguage == ["en": "ad"] && rule.source == "s")
        #expect(
            set.mentions.map { "\($0.kind) \($0.name) \($0.file)" } == ["group g r.json5", "escalation n r.json5", "escalation d r.json5"])
    }

    @Test("a level's members are its own or else its rule's")
    func levels() throws {
        let set = try Self.set(Self.full)
        let apart = RuleLevel.Repetition(count: 2, of: 3, apart: 10 * Self.second, within: 3600 * Self.second, ring: 0, intervals: 3)
        let plain = RuleLevel.Repetition(count: 2, of: nil, apart: 0, within: 3600 * Self.second, ring: 3, intervals: 2)
        let minute = 60 * Self.second
        #expect(
            Array(set.levels[..<3]) == [
                RuleLevel(
                    severity: .notice, priority: .high, condition: .leaf(0), delay: minute, share: 0.8,
                    isShareGiven: true, keepFiring: 2 * minute,
                    repetition: nil),
                RuleLevel(
                    severity: .warning, priority: .medium, condition: .leaf(1), delay: 30 * Self.second, share: 0.9,
                    isShareGiven: true, keepFiring: 40 * Self.second, repetition: apart),
                RuleLevel(
                    severity: .critical, priority: .high, condition: .leaf(2), delay: minute, share: 0.8,
                    isShareGiven: true, keepFiring: 2 * minute,
                    repetition: plain),
            ])
        #expect(set.ringCount == 5 && apart.size == 3 && plain.size == 2)
        #expect(set.leaves.prefix(3).map(\.slack) == [0, 5, 9])
        #expect(set.leaves.prefix(3).map(\.staleAfter) == [180 * Self.second, 50 * Self.second, 180 * Self.second])
        #expect(set.leaves.prefix(3).allSatisfy { $0.quality == Leaf.Quality(index: 0, minimum: 0.25) })
        #expect(set.qualities.map { set.metrics[$0] } == ["ecg-quality"])
    }

    @Test("a threshold's members are what the file says, in the metric's unit")
    func threshold() throws {
        let set = try Self.set(
            """
            {id: "a", metric: "body-temperature", severity: "warning", unit: "[degF]", hysteresis: 0.9, atMost: {default: 95, child: 96.8,
              saturationScale2: 93.2, underAge: [{years: 0.25, limit: 98.6}, {years: 1, limit: 97.7}],
              percentile: 5, halfLife: "2d", minimumReadings: 20, atLeast: 93.2, atMost: 96.8}}
            """)
        guard case .below(let threshold, true) = set.leaves[0].comparison else {
            Issue.record("no lower limit")
            return
        }
        #expect(abs(threshold.standard - 35) < 1e-9 && abs((threshold.byAge[.child] ?? 0) - 36) < 1e-9 && threshold.byAge.count == 1)
        #expect(abs((threshold.scale2 ?? 0) - 34) < 1e-9)
        #expect(threshold.underAge.map(\.years) == [0.25, 1])
        for (limit, wanted) in zip(threshold.underAge.map(\.limit), [37, 36.5]) { #expect(abs(limit - wanted) < 1e-9) }
        #expect(abs(set.leaves[0].slack - 0.5) < 1e-9)
        let percentile = try #require(threshold.percentile)
        #expect(percentile.rank == 5 && percentile.halfLife == 2 * 86_400 * Self.second && percentile.minimumReadings == 20)
        #expect(abs(percentile.bounds.lowerBound - 34) < 1e-9 && abs(percentile.bounds.upperBound - 36) < 1e-9 && percentile.history == 0)
        #expect(set.histories == [HistoryPlan(metric: set.leaves[0].metric, range: 25...45, halfLife: 2 * 86_400 * Self.second)])
        #expect(set.historiesByMetric[set.leaves[0].metric] == [0])
    }

    @Test("a percentile is of a thousand readings and a week where nothing else is said, and levels share a history")
    func percentileDefaults() throws {
        let set = try Self.set(
            """
            {id: "a", metric: "heart-rate", levels: [{severity: "notice", above: {default: 110, percentile: 90}},
              {severity: "warning", above: {default: 120, percentile: 95}}]},
              {id: "b", metric: "heart-rate", severity: "notice", below: {default: 40, percentile: 5, halfLife: "1d"}}
            """)
        let percentiles = set.thresholds.compactMap(\.percentile)
        #expect(percentiles.map(\.minimumReadings) == [1000, 1000, 1000] && percentiles.map(\.history) == [0, 0, 1])
        #expect(percentiles.map(\.halfLife) == [7 * 86_400 * Self.second, 7 * 86_400 * Self.second, 86_400 * Self.second])
        #expect(percentiles[0].bounds == -.greatestFiniteMagnitude ... .greatestFiniteMagnitude)
    }

    @Test(
        "limits in millimoles of glucose are those of the clinical tables, differences eighteen times",
        arguments: [
            ("above: 10", 180, 0), ("above: 13.9", 250, 0), ("below: 3.9, clear: 4.4", 70, 9), ("above: 10, hysteresis: 1", 180, 18),
        ]
            as [(String, Double, Double)])
    func glucose(members: String, limit: Double, slack: Double) throws {
        let set = try Self.set("{id: \"a\", metric: \"blood-glucose\", severity: \"warning\", unit: \"mmol/L\", \(members)}")
        #expect(set.thresholds[0].standard == limit && set.leaves[0].slack == slack)
        let rise = try Self.set(
            #"{id: "a", metric: "blood-glucose", severity: "warning", unit: "mmol/L", take: "rise", over: "5m", above: 2.25}"#)
        #expect(rise.thresholds[0].standard == 40.5)
    }

    @Test("two numbers of a blood pressure are one reading of a minute, and no others are")
    func pairing() throws {
        func pairing(_ other: String) throws -> Int64? {
            try Self.set(
                #"{id: "a", severity: "warning", any: [{metric: "systolic-pressure", above: 180}, {metric: "\#(other)", above: 120}]}"#
            ).rules[0].pairing
        }
        #expect(try pairing("diastolic-pressure") == 60 * Self.second)
        #expect(try pairing("heart-rate") == nil && (try pairing("systolic-pressure")) == nil)
    }

    @Test("quantities are what the file says")
    func quantities() throws {
        let set = try Self.set(
            """
            {id: "a", metric: "heart-rate", severity: "warning", any: [
              {take: "slope", over: "2m", above: 5}, {predict: {in: "20m", above: 130, staleAfter: "20m"}},
              {predict: {in: "4m", over: "5m", above: 130}}, {take: "mean", days: 7, above: 100},
              {take: "deviation", days: 20, minimumDays: 5, utcOffset: -3, above: 2}, {take: "deviation", days: 14, above: 2},
              {take: "fall", after: {metric: "x-posture", equals: "standing"}, within: "3m", atLeast: 20},
              {expression: "2 * heart-rate / systolic-pressure", as: "index", within: "30s", above: 1},
              {expression: "heart-rate + pulse-rate", above: 1}]}
            """)
        let minute = 60 * Self.second
        #expect(
            set.leaves.prefix(10).map(\.quantity) == [
                .window(.slope, over: 2 * minute), .predicted(ahead: 20 * minute, over: 20 * minute),
                .predicted(ahead: 4 * minute, over: 5 * minute), .days(.mean, DayPlan(days: 7, minimum: 1, offset: 0)),
                .deviation(DayPlan(days: 20, minimum: 5, offset: -10_800)), .deviation(DayPlan(days: 14, minimum: 7, offset: 0)), .value,
                .anchored(.fall, leaf: 6, within: 3 * minute), .computed(0), .computed(1),
            ])
        #expect(set.windows == [2 * minute, 20 * minute, 5 * minute] && set.days.map(\.days) == [7, 20, 14] && set.anchorCount == 1)
        #expect(set.leaves.prefix(10).map(\.memory) == [0, 1, 2, 0, 1, 2, nil, 0, 0, 2])
        #expect(set.expressions.map(\.first) == [0, 2] && set.inputCount == 4)
        #expect(set.expressions.map(\.within) == [30 * Self.second, 300 * Self.second])
        #expect(set.leaves[8...9].map { set.metrics[$0.metric] } == ["index", "computed"])
        #expect(
            set.expressions.map { $0.metrics.map { set.metrics[$0] } } == [
                ["heart-rate", "systolic-pressure"], ["heart-rate", "pulse-rate"],
            ])
        #expect(set.anchoredAt == [-1, -1, -1, -1, -1, -1, 7, -1, -1, -1, -1])
    }

    @Test("a prediction looks back a quarter of an hour where it looks less far ahead")
    func prediction() throws {
        let set = try Self.set(
            #"{id: "a", metric: "heart-rate", severity: "warning", staleAfter: "15m", predict: {in: "4m", above: 130, staleAfter: "15m"}}"#)
        #expect(set.leaves[0].quantity == .predicted(ahead: 240 * Self.second, over: 900 * Self.second))
    }

    @Test("days that must have readings are one, or three and half of them for a deviation", arguments: [(3, 3), (5, 3), (8, 4), (60, 30)])
    func days(days: Int, minimum: Int) throws {
        let set = try Self.set(#"{id: "a", metric: "body-weight", severity: "warning", take: "deviation", days: \#(days), above: 2}"#)
        #expect(set.days == [DayPlan(days: days, minimum: minimum, offset: 0)])
    }

    @Test("scores are on where a file says so")
    func scores() throws {
        var wanted = ScoreSettings()
        #expect(try Self.set("").scores == wanted && !wanted.isAnyOn && wanted.staleAfter == 12 * 3600 * Self.second)
        wanted.isNEWS2On = true
        #expect(try Self.set("", "scores: {news2: {}},").scores == wanted && wanted.isAnyOn)
        wanted.staleAfter = 3600 * Self.second
        #expect(try Self.set("", "scores: {news2: {staleAfter: \"1h\"}},").scores == wanted)
        let single: [(String, WritableKeyPath<ScoreSettings, Bool>)] = [
            ("bloodPressure: {}", \.isBloodPressureOn), ("glucose: true", \.isGlucoseOn), ("bodyMassIndex: true", \.isBodyMassIndexOn),
            ("temperature: true", \.isTemperatureOn),
        ]
        for (members, path) in single {
            var wanted = ScoreSettings()
            wanted[keyPath: path] = true
            #expect(try Self.set("", "scores: {\(members)},").scores == wanted && wanted.isAnyOn)
            #expect(try Self.set("", "scores: {\(members.replacing("true", with: "false"))},").scores.isAnyOn == members.hasSuffix("{}"))
        }
        var european = ScoreSettings()
        (european.isBloodPressureOn, european.pressureGuideline) = (true, .esc2024)
        #expect(try Self.set("", "scores: {bloodPressure: {guideline: \"esc-2024\"}},").scores == european)
    }
}
