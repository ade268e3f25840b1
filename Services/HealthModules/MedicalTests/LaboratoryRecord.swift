import VigilSchema

/// The laboratory results of one person that can be judged, by test.
struct LaboratoryRecord {
    /// A result with its range.
    struct Judged {
        let test: LaboratoryTest
        /// Unix seconds.
        let time: Double
        let value: Double
        let range: (low: Double?, high: Double?, source: LaboratoryTest.Source)?
        /// A Boolean value that indicates whether the limits of what is critical hold for the person: they are for adults.
        let isAdult: Bool

        var flag: String? {
            if let low = range?.low, value < low { return "low" }
            if let high = range?.high, value > high { return "high" }
            // Beyond what is critical also where no range is known.
            return isCritical ? (test.critical.low.map { value <= $0 } ?? false ? "low" : "high") : nil
        }

        var isCritical: Bool {
            isAdult && (test.critical.low.map { value <= $0 } ?? false || test.critical.high.map { value >= $0 } ?? false)
        }
    }

    /// The results of a test, earliest first, never empty.
    struct Series {
        let test: LaboratoryTest
        let last: Judged
        /// From the one before, in percent.
        let change: Double?

        init?(_ results: [Judged]) {
            guard let last = results.last else { return nil }
            (test, self.last) = (last.test, last)
            change = results.dropLast().last.map { 100 * (last.value - $0.value) / max($0.value, 1e-9) }
        }

        /// The change, where it is more than chance explains.
        var notableChange: Double? {
            let limits = test.referenceChange
            return change.flatMap { $0 > limits.rise || $0 < limits.fall ? $0 : nil }
        }

        /// The test with the side on which it lies, for a message.
        var name: LocalizedText {
            let title = test.title
            switch last.flag {
            case "low": return LocalizedText("\(title.en) low", de: "\(title.de) niedrig", ru: "\(title.ru) низко")
            case "high": return LocalizedText("\(title.en) high", de: "\(title.de) hoch", ru: "\(title.ru) высоко")
            default: return title
            }
        }
    }

    /// In the order of the tests' names.
    let series: [Series]
    /// Results of known tests that could not be judged.
    let leftOut: Int

    init(_ context: ModuleContext) throws {
        var (judged, leftOut): ([String: [Judged]], Int) = ([:], 0)
        for entry in try context.record.entries(of: .result) where entry.time.seconds <= context.now && entry.value?.isFinite == true {
            guard let (test, isByCode) = LaboratoryTest.of(entry) else { continue }
            if let found = Self.judge(entry, test, isByCode: isByCode, context) {
                judged[test.id, default: []].append(found)
            } else {
                leftOut += 1
            }
        }
        for test in LaboratoryTest.all {
            judged[test.id, default: []] += try context.readings(test.id).map {
                Self.judged(test, $0.value, at: $0.time, own: nil, context)
            }
        }
        series = judged.sorted { $0.key < $1.key }.compactMap { Series($0.value.sorted { $0.time < $1.time }) }
        self.leftOut = leftOut
    }

    /// Nil for a unit that the test does not have. Without any, only a code says which it is: LOINC has one code for grams and another for moles.
    private static func judge(_ entry: TimelineEntry, _ test: LaboratoryTest, isByCode: Bool, _ context: ModuleContext) -> Judged? {
        guard let value = entry.value else { return nil }
        let given = entry.unit.flatMap { $0.isEmpty ? nil : $0 }
        guard let unit = given ?? (isByCode && hasOwnCode(entry, test) ? test.unit : nil),
            let converted = test.converted(value, from: unit),
            let definition = test.definition
        else { return nil }
        let conversion = UnitConversion.from(unit, to: definition)
        // A laboratory's own range is in the unit in which it wrote.
        let own = entry.detail.flatMap(LaboratoryTest.writtenRange).map { range in
            (low: range.low.flatMap { conversion?($0) }, high: range.high.flatMap { conversion?($0) })
        }
        return judged(test, converted, at: entry.time.seconds, own: own, context)
    }

    private static func hasOwnCode(_ entry: TimelineEntry, _ test: LaboratoryTest) -> Bool {
        guard let code = test.definition?.code?.code else { return false }
        return (entry.codes ?? [:]).values.contains { $0.contains(code) }
    }

    private static func judged(
        _ test: LaboratoryTest, _ value: Double, at time: Double, own: (low: Double?, high: Double?)?, _ context: ModuleContext
    ) -> Judged {
        let age = context.age(at: time)
        let usual = test.range(sex: context.profile.sex, age: age, isPregnant: context.profile.isPregnant == true)
        return Judged(
            test: test, time: time, value: value, range: own.map { ($0.low, $0.high, .laboratory) } ?? usual, isAdult: age ?? 18 >= 16)
    }
}
