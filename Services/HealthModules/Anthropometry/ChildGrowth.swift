import ServiceKit
import VigilSchema

/// The growth of one child or adolescent, to nineteen years: weight, height and body-mass index for age and sex.
///
/// A single measurement says where a child is, not how it grows: what lies far out is said as something to be measured again and to be shown, never as a
/// finding. Not for children who were born before 37 weeks, whose age would have to be corrected, nor for illnesses with growth charts of their own.
struct ChildGrowth {
    static let names = ["bmi-z", "bmi-percentile", "weight-z", "weight-percentile", "height-z", "height-percentile"]
    static let notForAge = LocalizedText("it is for children to 19 years", de: "gilt für Kinder bis 19 Jahre", ru: "для детей до 19 лет")

    private let context: ModuleContext
    private var sex: ParticipantProfile.Sex? { context.profile.sex.flatMap { $0 == .female || $0 == .male ? $0 : nil } }

    /// Nil for whom it does not concern: adults, and people without a birth date.
    init?(_ context: ModuleContext) {
        guard let age = context.age(at: context.now), age < 19 else { return nil }
        self.context = context
    }

    private func days(at time: Double) -> Double? { context.age(at: time).map { ($0 * 365.25).rounded() } }

    /// The time for which a height holds: children grow a centimetre in a fortnight at first, and six in a year later.
    private static func validity(days: Double) -> Double {
        switch days {
        case ..<730: 31
        case ..<GrowthReference.fiveYears: 92
        default: 366
        }
    }

    /// Says everything that follows from the last weight and the last height that were measured. The profile's height has no date, so that for a child
    /// it says nothing.
    func add(weight: NumberReading?, height: NumberReading?, to result: inout ModuleResult) {
        let weightScore = score(.weight, weight, AnthropometryModule.noWeight, &result)
        let heightScore = score(.height, height, Self.noMeasuredHeight, &result)
        let kind = index(weight, height, &result)
        if let weightScore { row(Self.weightForAge, weightScore, &result) }
        if let heightScore { row(Self.heightForAge, heightScore, &result) }
        guard let weight, let lowest = [weightScore, heightScore].compactMap({ $0 }).min(), let age = days(at: context.now) else { return }
        // What was measured long ago does not speak for today.
        let end = weight.time + Self.validity(days: age) * 86_400
        guard end > context.now else { return }
        result.review = end
        result.message = message(lowest: lowest, kind)
    }

    private func score(
        _ measure: GrowthReference.Measure, _ reading: NumberReading?, _ missing: LocalizedText, _ result: inout ModuleResult
    ) -> Double? {
        score(measure, reading.map { ($0.value, $0.time) }, missing, &result)
    }

    private func score(
        _ measure: GrowthReference.Measure, _ value: (value: Double, time: Double)?, _ missing: LocalizedText, _ result: inout ModuleResult
    ) -> Double? {
        let name = measure == .bodyMassIndex ? "bmi" : measure.rawValue
        let keys = ["\(name)-z", "\(name)-percentile"]
        guard let sex else {
            result.unknown(keys, AnthropometryModule.noSex)
            return nil
        }
        guard let value, let days = days(at: value.time) else {
            result.unknown(keys, missing)
            return nil
        }
        guard let z = GrowthReference.z(value.value, measure, days: days, isFemale: sex == .female) else {
            result.unknown(keys, Self.noTable)
            return nil
        }
        guard GrowthReference.plausible(measure).contains(z) else {
            result.unknown(keys, Self.implausible)
            return nil
        }
        result.findings[keys[0]] = .number(z)
        result.findings[keys[1]] = .number(Statistics.normalPercentile(z), 1)
        return z
    }

    /// The body-mass index and its class.
    private func index(
        _ weight: NumberReading?, _ height: NumberReading?, _ result: inout ModuleResult
    ) -> (code: String, text: LocalizedText)? {
        let all = ["bmi", "bmi-class", "bmi-z", "bmi-percentile", "surface", "surface-mosteller"]
        guard let weight, let days = days(at: weight.time) else {
            result.unknown(all, AnthropometryModule.noWeight)
            return nil
        }
        guard let height, (30...260).contains(height.value) else {
            result.unknown(all, Self.noMeasuredHeight)
            return nil
        }
        guard abs(weight.time - height.time) < Self.validity(days: days) * 86_400 else {
            result.unknown(all, Self.staleHeight)
            return nil
        }
        let index = BodyFormulas.bodyMassIndex(weight: weight.value, height: height.value)
        result.setBody(index, weight: weight, height: height.value)
        let z = score(.bodyMassIndex, (index, weight.time), AnthropometryModule.noWeight, &result)
        let kind =
            context.profile.isPregnant == true ? nil : z.map { BodyFormulas.childClass($0, isUnderFive: days < GrowthReference.fiveYears) }
        result.row(
            LocalizedText("Body-mass index", de: "Body-Mass-Index", ru: "Индекс массы тела"), index, 1, unit: .unit("kg/m²"),
            note: kind?.text)
        guard let kind else {
            result.unknown(["bmi-class"], z == nil ? Self.noTable : Self.pregnant)
            return nil
        }
        result.findings["bmi-class"] = .text(kind.code)
        result.observations.append(DerivedObservation("body-mass-index-category", at: weight.time, text: kind.code))
        return kind
    }

    private func row(_ label: LocalizedText, _ z: Double, _ result: inout ModuleResult) {
        let (percent, score) = (Self.percentile(z), z.written(1))
        result.rows.append(
            PageRow(
                label,
                LocalizedText("percentile \(percent)", de: "Perzentile \(percent)", ru: "\(percent)-й процентиль"),
                note: LocalizedText("z-score \(score)", de: "z-Wert \(score.comma)", ru: "z-оценка \(score.comma)")))
    }

    /// The percentile in whole numbers, as charts name it.
    private static func percentile(_ z: Double) -> String {
        let percent = Statistics.normalPercentile(z)
        return percent < 1 ? "<1" : percent > 99 ? ">99" : percent.written().point
    }

    /// Below −2 of any measure: what the WHO asks to have looked at. Else where the child is.
    private func message(lowest: Double, _ kind: (code: String, text: LocalizedText)?) -> ModuleMessage {
        if lowest < -2 || kind?.code.hasSuffix("thinness") == true {
            return ModuleMessage(
                .info, "growth-low",
                LocalizedText(
                    "A measure lies below the usual range for the age. Measure again; if it stays, show it to the child's doctor.",
                    de:
                        "Ein Maß liegt unter dem üblichen Bereich für das Alter. Noch einmal messen; bleibt es dabei, kinderärztlich zeigen.",
                    ru: "Один из показателей ниже обычного для возраста. Измерьте ещё раз; если повторится, покажите врачу ребёнка."))
        }
        guard let kind else {
            let percent = Self.percentile(lowest)
            return ModuleMessage(
                .info, "growth",
                LocalizedText(
                    "At percentile \(percent) for age and sex.", de: "Auf Perzentile \(percent) für Alter und Geschlecht.",
                    ru: "На \(percent)-м процентиле для возраста и пола."))
        }
        return ModuleMessage(
            .info, "bmi-\(kind.code)",
            LocalizedText(
                "BMI for age: \(kind.text.en).", de: "BMI für das Alter: \(kind.text.de).", ru: "ИМТ к возрасту: \(kind.text.ru)."))
    }

    private static let weightForAge = LocalizedText("Weight for age", de: "Gewicht für das Alter", ru: "Вес к возрасту")
    private static let heightForAge = LocalizedText("Height for age", de: "Größe für das Alter", ru: "Рост к возрасту")
    private static let noMeasuredHeight = LocalizedText(
        "no height was measured; the profile's has no date", de: "keine Größe gemessen; die des Profils hat kein Datum",
        ru: "рост не измерен; у роста в профиле нет даты")
    private static let staleHeight = LocalizedText(
        "the height was not measured at the time of the weight", de: "die Größe wurde nicht zur Zeit des Gewichts gemessen",
        ru: "рост измерен не тогда, когда вес")
    private static let noTable = LocalizedText(
        "there is no table for this measure at this age", de: "für dieses Maß gibt es in diesem Alter keine Tabelle",
        ru: "для этого возраста таблицы нет")
    private static let implausible = LocalizedText(
        "it is further out than bodies are: check the measurement, its unit and the birth date",
        de: "so weit außerhalb liegt kein Körper: Messung, Einheit und Geburtsdatum prüfen",
        ru: "такого не бывает: проверьте измерение, единицу и дату рождения")
    private static let pregnant = LocalizedText(
        "it does not apply in pregnancy", de: "gilt nicht in der Schwangerschaft", ru: "не применяется при беременности")
}
