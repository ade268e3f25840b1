import ServiceKit
import VigilSchema

/// Body measures: body-mass index with its class, for children with its percentile, waist ratios, body surface, and the ideal weights of the books.
package struct AnthropometryModule: HealthModule {
    package init() {}

    package let identity = ModuleIdentity(
        id: "anthropometry", name: LocalizedText("Body measures", de: "Körpermaße", ru: "Антропометрия"),
        description: LocalizedText(
            "Body-mass index, percentiles of children, waist ratios, body surface, and ideal weights.",
            de: "Body-Mass-Index, Perzentilen für Kinder, Taillenverhältnisse, Körperoberfläche und Idealgewichte.",
            ru: "Индекс массы тела, процентили детей, соотношения обхватов, площадь тела и идеальный вес."),
        drawing: #"<circle cx="60" cy="26" r="12"/><path d="M60 38v36M60 74l-14 32M60 74l14 32M36 54h48"/>"#)
    package let inputs: [ModuleInput] = [
        .spot("body-weight"), .spot("body-height"), .spot("waist-circumference"), .spot("hip-circumference"),
    ]
    package let outputs = ["body-mass-index", "body-mass-index-category"]
    package let parameters: [ModuleParameter] = [
        .value("height", unit: "cm", LocalizedText("Height.", de: "Größe.", ru: "Рост.")),
        .value("bmi", unit: "kg/m2", LocalizedText("Body-mass index.", de: "Body-Mass-Index.", ru: "Индекс массы тела.")),
        .value(
            "bmi-class", .text, LocalizedText("Class of the body-mass index (WHO).", de: "Klasse des BMI (WHO).", ru: "Класс ИМТ (ВОЗ).")),
        .value(
            "bmi-z", unit: "1",
            LocalizedText(
                "BMI for age, z-score, to 19 years (WHO 2006 and 2007).",
                de: "BMI für das Alter, z-Wert, bis 19 Jahre (WHO 2006 und 2007).",
                ru: "ИМТ к возрасту, z-оценка, до 19 лет (ВОЗ 2006 и 2007).")),
        .value(
            "bmi-percentile", unit: "%",
            LocalizedText("BMI for age, percentile.", de: "BMI für das Alter, Perzentile.", ru: "ИМТ к возрасту, процентиль.")),
        .value(
            "weight-z", unit: "1",
            LocalizedText(
                "Weight for age, z-score, to 10 years (WHO).", de: "Gewicht für das Alter, z-Wert, bis 10 Jahre (WHO).",
                ru: "Вес к возрасту, z-оценка, до 10 лет (ВОЗ).")),
        .value(
            "weight-percentile", unit: "%",
            LocalizedText("Weight for age, percentile.", de: "Gewicht für das Alter, Perzentile.", ru: "Вес к возрасту, процентиль.")),
        .value(
            "height-z", unit: "1",
            LocalizedText(
                "Length or height for age, z-score, to 19 years (WHO).", de: "Länge oder Größe für das Alter, z-Wert, bis 19 Jahre (WHO).",
                ru: "Длина тела или рост к возрасту, z-оценка, до 19 лет (ВОЗ).")),
        .value(
            "height-percentile", unit: "%",
            LocalizedText(
                "Length or height for age, percentile.", de: "Länge oder Größe für das Alter, Perzentile.",
                ru: "Длина тела или рост к возрасту, процентиль.")),
        .value(
            "waist-to-height", unit: "1",
            LocalizedText(
                "Waist to height; 0.5 and more is too much (NICE 2022).", de: "Taille zu Größe; ab 0,5 zu viel (NICE 2022).",
                ru: "Талия к росту; от 0,5 — много (NICE 2022).")),
        .value(
            "waist-to-hip", unit: "1",
            LocalizedText(
                "Waist to hip (WHO 2008: 0.90 and more in men, 0.85 in women is too much).",
                de: "Taille zu Hüfte (WHO 2008: ab 0,90 bei Männern, 0,85 bei Frauen zu viel).",
                ru: "Талия к бёдрам (ВОЗ 2008: много — от 0,90 у мужчин, 0,85 у женщин).")),
        .value(
            "surface", unit: "m2",
            LocalizedText("Body surface by Du Bois.", de: "Körperoberfläche nach Du Bois.", ru: "Площадь тела по Дюбуа.")),
        .value(
            "surface-mosteller", unit: "m2",
            LocalizedText("Body surface by Mosteller.", de: "Körperoberfläche nach Mosteller.", ru: "Площадь тела по Мостеллеру.")),
        .value(
            "ideal-devine", unit: "kg",
            LocalizedText("Ideal weight by Devine.", de: "Idealgewicht nach Devine.", ru: "Идеальный вес по Девайну.")),
        .value(
            "ideal-robinson", unit: "kg",
            LocalizedText("Ideal weight by Robinson.", de: "Idealgewicht nach Robinson.", ru: "Идеальный вес по Робинсону.")),
        .value(
            "ideal-miller", unit: "kg",
            LocalizedText("Ideal weight by Miller.", de: "Idealgewicht nach Miller.", ru: "Идеальный вес по Миллеру.")),
        .value(
            "ideal-hamwi", unit: "kg",
            LocalizedText("Ideal weight by Hamwi.", de: "Idealgewicht nach Hamwi.", ru: "Идеальный вес по Хамви.")),
        .value(
            "ideal-broca", unit: "kg",
            LocalizedText("Normal weight by Broca's rule.", de: "Normalgewicht nach Broca.", ru: "Нормальный вес по Брока.")),
    ]

    static let noHeight = LocalizedText("no height is known", de: "keine Größe bekannt", ru: "рост не известен")
    static let noWeight = LocalizedText("no weight is known", de: "kein Gewicht bekannt", ru: "вес не известен")
    static let noBirthDate = LocalizedText("no birth date is known", de: "kein Geburtsdatum bekannt", ru: "дата рождения не известна")
    static let noSex = LocalizedText("the formula needs the sex", de: "die Formel braucht das Geschlecht", ru: "для формулы нужен пол")

    package func evaluate(_ context: ModuleContext) throws -> ModuleResult {
        var result = ModuleResult()
        let (weight, measured) = (try context.readings("body-weight").last, try context.readings("body-height").last)
        // A height that was measured has a date; the one in the profile has none.
        let height = measured?.value ?? context.profile.height
        result.set("height", height, 1, else: Self.noHeight)
        if let child = ChildGrowth(context) {
            child.add(weight: weight, height: measured, to: &result)
        } else {
            index(weight, height, context, &result)
        }
        girths(
            try context.readings("waist-circumference").last?.value, try context.readings("hip-circumference").last?.value, height, &result)
        ideals(height, context, &result)
        return result
    }

    /// Adults, and people of whom no birth date is known.
    private func index(_ weight: NumberReading?, _ height: Double?, _ context: ModuleContext, _ result: inout ModuleResult) {
        result.unknown(ChildGrowth.names, context.age(at: context.now) == nil ? Self.noBirthDate : ChildGrowth.notForAge)
        let all = ["bmi", "bmi-class", "surface", "surface-mosteller"]
        guard let height, (30...260).contains(height) else { return result.unknown(all, Self.noHeight) }
        guard let weight else { return result.unknown(all, Self.noWeight) }
        let index = BodyFormulas.bodyMassIndex(weight: weight.value, height: height)
        result.setBody(index, weight: weight, height: height)
        let kind = classify(index, context, &result)
        result.row(
            LocalizedText("Body-mass index", de: "Body-Mass-Index", ru: "Индекс массы тела"), index, 1, unit: .unit("kg/m²"),
            note: kind?.text)
        guard let kind else { return }
        result.findings["bmi-class"] = .text(kind.code)
        result.observations.append(DerivedObservation("body-mass-index-category", at: weight.time, text: kind.code))
        // A weight of more than a year ago does not speak for today.
        guard weight.time > context.now - 366 * 86_400 else { return }
        result.review = weight.time + 366 * 86_400
        let written = index.written(1)
        result.message = ModuleMessage(
            .info, "bmi-\(kind.code)",
            LocalizedText(
                "BMI \(written.point): \(kind.text.en).", de: "BMI \(written.comma): \(kind.text.de).",
                ru: "ИМТ \(written.comma): \(kind.text.ru)."))
    }

    /// The class of an adult who is not pregnant.
    private func classify(_ index: Double, _ context: ModuleContext, _ result: inout ModuleResult) -> (code: String, text: LocalizedText)? {
        guard context.profile.isPregnant != true else {
            result.unknown(
                ["bmi-class"],
                LocalizedText(
                    "it does not apply in pregnancy", de: "gilt nicht in der Schwangerschaft", ru: "не применяется при беременности"))
            return nil
        }
        guard context.age(at: context.now) != nil else {
            result.unknown(["bmi-class"], Self.noBirthDate)
            return nil
        }
        return BodyFormulas.adultClass(index)
    }

    private func girths(_ waist: Double?, _ hip: Double?, _ height: Double?, _ result: inout ModuleResult) {
        let missing = LocalizedText(
            "it needs waist, and hip or height", de: "dafür braucht es Taille und Hüfte oder Größe",
            ru: "нужны обхват талии и бёдер или рост")
        result.set("waist-to-height", waist.flatMap { waist in height.map { waist / $0 } }, 3, else: missing)
        result.set("waist-to-hip", waist.flatMap { waist in hip.map { waist / $0 } }, 3, else: missing)
        guard let waist, let height else { return }
        result.row(LocalizedText("Waist to height", de: "Taille zu Größe", ru: "Талия к росту"), waist / height, 2, unit: .unit(""))
    }

    private func ideals(_ height: Double?, _ context: ModuleContext, _ result: inout ModuleResult) {
        let names = ["ideal-devine", "ideal-robinson", "ideal-miller", "ideal-hamwi"]
        guard let height else { return result.unknown(names + ["ideal-broca"], Self.noHeight) }
        guard height >= 152.4, context.years ?? 18 >= 18 else {
            return result.unknown(
                names + ["ideal-broca"],
                LocalizedText("it is for adults of 152 cm and more", de: "gilt für Erwachsene ab 152 cm", ru: "для взрослых от 152 см"))
        }
        result.findings["ideal-broca"] = .number(BodyFormulas.broca(height: height, age: context.years.map(Double.init)), 1)
        guard let sex = context.profile.sex, sex == .female || sex == .male else { return result.unknown(names, Self.noSex) }
        let isFemale = sex == .female
        result.findings["ideal-devine"] = .number(BodyFormulas.devine(height: height, isFemale: isFemale), 1)
        result.findings["ideal-robinson"] = .number(BodyFormulas.robinson(height: height, isFemale: isFemale), 1)
        result.findings["ideal-miller"] = .number(BodyFormulas.miller(height: height, isFemale: isFemale), 1)
        result.findings["ideal-hamwi"] = .number(BodyFormulas.hamwi(height: height, isFemale: isFemale), 1)
    }
}

extension ModuleResult {
    /// Keeps the body-mass index and the surfaces that follow from a weight and a height.
    mutating func setBody(_ index: Double, weight: NumberReading, height: Double) {
        findings["bmi"] = .number(index, 1)
        findings["surface"] = .number(BodyFormulas.surfaceDuBois(weight: weight.value, height: height), 3)
        findings["surface-mosteller"] = .number(BodyFormulas.surfaceMosteller(weight: weight.value, height: height), 3)
        observations.append(DerivedObservation("body-mass-index", at: weight.time, index.rounded(to: 2)))
    }
}
