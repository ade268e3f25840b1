import Foundation
import ServiceKit
import VigilSchema

/// Body weight: a trend free of noise, its rate, and the date at which a target is reached.
package struct WeightModule: HealthModule {
    /// Energy in a kilogram of body weight, kcal: 3500 kcal a pound (M. Wishnofsky, Am J Clin Nutr 6 (1958) 542). It tells too much for the first
    /// weeks, when water goes, and too little later (K. D. Hall, Int J Obes 32 (2008) 573).
    private static let energyOfKilogram = 7700.0
    /// Sudden gain, the sign of water in heart failure: more than 2 kg in 3 days (ESC Guidelines on heart failure 2021, table on self-care).
    private static let suddenGain = 2.0
    /// A gain above it in three days is another person's, or an error.
    private static let impossibleGain = 10.0
    /// The 80 % interval of a normal distribution.
    private static let spread80 = 1.2816

    package init() {}

    package let identity = ModuleIdentity(
        id: "weight", name: LocalizedText("Weight", de: "Gewicht", ru: "Вес"),
        description: LocalizedText(
            "Trend of the body weight without its daily noise, its rate, and when a target will be reached.",
            de: "Verlauf des Körpergewichts ohne tägliches Rauschen, seine Änderung, und wann ein Ziel erreicht wird.",
            ru: "Тренд массы тела без суточного шума, его скорость и срок достижения цели."),
        drawing:
            #"<rect x="18" y="22" width="84" height="80" rx="14"/><path d="M40 46a28 28 0 0 1 40 0l-12 14H52z"/><path d="M60 58l6-14"/>"#)

    package let inputs: [ModuleInput] = [.spot("body-weight")]
    package let outputs = ["weight-trend", "weight-rate"]

    package let parameters: [ModuleParameter] = [
        .setting(
            "target", .number(20...400), unit: "kg",
            LocalizedText("The weight to be reached.", de: "Das Gewicht, das erreicht werden soll.", ru: "Вес, которого нужно достичь.")),
        .setting(
            "reminder-days", .integer(1...90), unit: "d", initial: .number(7),
            LocalizedText(
                "Days without a weight after which to remind.", de: "Tage ohne Gewicht, nach denen erinnert wird.",
                ru: "Дней без взвешивания до напоминания.")),
        .value("weighings", .integer, LocalizedText("Weighings that are known.", de: "Bekannte Wägungen.", ru: "Известных взвешиваний.")),
        .value("latest", unit: "kg", LocalizedText("The last weight.", de: "Das letzte Gewicht.", ru: "Последний вес.")),
        .value(
            "trend", unit: "kg",
            LocalizedText(
                "Trend by exponential smoothing.", de: "Trend durch exponentielle Glättung.", ru: "Тренд (экспоненциальное сглаживание).")),
        .value(
            "level", unit: "kg",
            LocalizedText(
                "Level by the local linear model.", de: "Niveau nach dem lokalen linearen Modell.",
                ru: "Уровень по локально-линейной модели.")),
        .value("rate", unit: "kg/wk", LocalizedText("Change in a week.", de: "Änderung pro Woche.", ru: "Изменение за неделю.")),
        .value(
            "rate-low", unit: "kg/wk",
            LocalizedText(
                "Lower end of the rate's 80 % interval.", de: "Unteres Ende des 80-%-Intervalls der Änderung.",
                ru: "Нижняя граница 80-процентного интервала темпа.")),
        .value(
            "rate-high", unit: "kg/wk",
            LocalizedText(
                "Upper end of the rate's 80 % interval.", de: "Oberes Ende des 80-%-Intervalls der Änderung.",
                ru: "Верхняя граница 80-процентного интервала темпа.")),
        .value(
            "energy-balance", unit: "kcal/d",
            LocalizedText(
                "Energy balance that the rate implies.", de: "Energiebilanz, die der Änderung entspricht.",
                ru: "Энергетический баланс, соответствующий темпу.")),
        .value(
            "target-date", .text,
            LocalizedText(
                "The day at which half of all courses have reached the target.",
                de: "Der Tag, an dem die Hälfte aller Verläufe am Ziel ist.", ru: "День, когда половина прогнозов достигает цели.")),
        .value(
            "target-earliest", .text,
            LocalizedText(
                "Earliest day of the target's 80 % interval.", de: "Frühester Tag des 80-%-Intervalls.",
                ru: "Самый ранний день 80-процентного интервала.")),
        .value(
            "target-latest", .text,
            LocalizedText(
                "Latest day of the target's 80 % interval.", de: "Spätester Tag des 80-%-Intervalls.",
                ru: "Самый поздний день 80-процентного интервала.")),
        .value(
            "plateau", .boolean,
            LocalizedText(
                "Whether the trend has stood still for three weeks.", de: "Ob der Trend seit drei Wochen steht.",
                ru: "Стоит ли тренд три недели.")),
        .value(
            "gain-3-days", unit: "kg",
            LocalizedText(
                "Last weight above the least of the three days before.", de: "Letztes Gewicht über dem kleinsten der drei Tage davor.",
                ru: "Прибавка к минимуму за три предыдущих дня.")),
    ]

    package func evaluate(_ context: ModuleContext) throws -> ModuleResult {
        let weighings = try context.readings("body-weight")
        var result = ModuleResult()
        result.findings["weighings"] = .number(Double(weighings.count), 0)
        guard let last = weighings.last, let model = WeightModel(weighings) else {
            let reason = LocalizedText("no weighing is known", de: "keine Wägung bekannt", ru: "нет ни одного взвешивания")
            for name in parameters.filter({ $0.accepts == nil }).map(\.name) where name != "weighings" {
                result.findings[name] = .unknown(reason)
            }
            return result
        }
        let trend = SmoothedWeight.trend(weighings)
        let course = WeightCourse(weighings: weighings, trend: trend, model: model, now: context.now, today: context.today)
        result.findings["latest"] = .number(last.value)
        result.findings["trend"] = .number(trend.last?.value ?? last.value)
        result.findings["level"] = .number(course.level)
        describe(course, &result)
        let forecast = try predict(course, context, &result)
        result.message = try message(course, forecast, context, &result)
        result.observations = trend.suffix(60).map { DerivedObservation("weight-trend", at: $0.time, $0.value.rounded(to: 3)) }
        if let rate = course.rate { result.observations.append(DerivedObservation("weight-rate", at: last.time, rate.mean.rounded(to: 3))) }
        result.charts = [course.chart(target: try context.number("target"))]
        return result
    }

    private func describe(_ course: WeightCourse, _ result: inout ModuleResult) {
        let kg = { (value: Double) in
            LocalizedText("\(value.written(1).point) kg", de: "\(value.written(1).comma) kg", ru: "\(value.written(1).comma) кг")
        }
        result.rows.append(
            PageRow(
                LocalizedText("Trend", de: "Trend", ru: "Тренд"), kg(course.trend.last?.value ?? course.level),
                note: LocalizedText(
                    "exponential smoothing, 10 % a day", de: "exponentielle Glättung, 10 % am Tag",
                    ru: "экспоненциальное сглаживание, 10 % в день")))
        result.rows.append(PageRow(LocalizedText("Last weighing", de: "Letzte Wägung", ru: "Последнее взвешивание"), kg(course.last.value)))
        if let rate = course.rate {
            let spread = Self.spread80 * rate.variance.squareRoot()
            result.findings["rate"] = .number(rate.mean, 3)
            result.findings["rate-low"] = .number(rate.mean - spread, 3)
            result.findings["rate-high"] = .number(rate.mean + spread, 3)
            result.findings["energy-balance"] = .number(rate.mean / 7 * Self.energyOfKilogram, 0)
            let (mean, low, high) = (rate.mean.written(2), (rate.mean - spread).written(2), (rate.mean + spread).written(2))
            result.rows.append(
                PageRow(
                    LocalizedText("Change a week", de: "Änderung pro Woche", ru: "Изменение за неделю"),
                    LocalizedText(
                        "\(mean.point) kg (\(low.point) to \(high.point))", de: "\(mean.comma) kg (\(low.comma) bis \(high.comma))",
                        ru: "\(mean.comma) кг (от \(low.comma) до \(high.comma))"),
                    note: LocalizedText("80 % interval", de: "80-%-Intervall", ru: "80-процентный интервал")))
        } else {
            let reason = LocalizedText(
                "it needs four weighings over ten days, the last within a month",
                de: "dafür braucht es vier Wägungen in zehn Tagen, die letzte im letzten Monat",
                ru: "нужны четыре взвешивания за десять дней, последнее — за последний месяц")
            for name in ["rate", "rate-low", "rate-high", "energy-balance"] { result.findings[name] = .unknown(reason) }
        }
        result.findings["plateau"] =
            course.isPlateau.map { .value(.boolean($0)) }
            ?? .unknown(
                LocalizedText(
                    "it needs six weighings in three weeks", de: "dafür braucht es sechs Wägungen in drei Wochen",
                    ru: "нужны шесть взвешиваний за три недели"))
        result.findings["gain-3-days"] =
            course.gain.map { .number($0) }
            ?? .unknown(
                LocalizedText(
                    "no two weighings lie within three days", de: "keine zwei Wägungen liegen innerhalb von drei Tagen",
                    ru: "нет двух взвешиваний за три дня"))
    }

    private func predict(_ course: WeightCourse, _ context: ModuleContext, _ result: inout ModuleResult) throws -> WeightForecast? {
        let names = ["target-date", "target-earliest", "target-latest"]
        guard let target = try context.number("target"), course.rate != nil else {
            let reason =
                try context.number("target") == nil
                ? LocalizedText("no target is set", de: "kein Ziel gesetzt", ru: "цель не задана")
                : LocalizedText("too few weighings", de: "zu wenige Wägungen", ru: "слишком мало взвешиваний")
            for name in names { result.findings[name] = .unknown(reason) }
            return nil
        }
        let forecast = WeightForecast(course.model, target: target, after: course.daysSinceLast)
        let never = LocalizedText(
            "not within two years at this rate", de: "bei dieser Änderung nicht in zwei Jahren",
            ru: "при таком темпе не раньше чем через два года")
        for (name, days) in zip(names, [forecast.median, forecast.earliest, forecast.latest]) {
            result.findings[name] = days.map { .text(Self.iso(context.today + Int($0.rounded()))) } ?? .unknown(never)
        }
        if let median = forecast.median {
            let day = PersonCalendar.written(context.today + Int(median.rounded()))
            let from = forecast.earliest.map { PersonCalendar.written(context.today + Int($0.rounded())) } ?? day
            let until = forecast.latest.map { PersonCalendar.written(context.today + Int($0.rounded())) }
            result.rows.append(
                PageRow(
                    LocalizedText("Target", de: "Ziel", ru: "Цель"), day,
                    note: LocalizedText(
                        "80 % interval: \(from.en) to \(until?.en ?? "later than in two years")",
                        de: "80-%-Intervall: \(from.de) bis \(until?.de ?? "später als in zwei Jahren")",
                        ru: "80-процентный интервал: с \(from.ru) по \(until?.ru ?? "срок более двух лет")")))
        } else {
            result.rows.append(PageRow(LocalizedText("Target", de: "Ziel", ru: "Цель"), never))
        }
        return forecast
    }

    private func message(
        _ course: WeightCourse, _ forecast: WeightForecast?, _ context: ModuleContext, _ result: inout ModuleResult
    ) throws -> ModuleMessage? {
        let limit = Int(try context.number("reminder-days") ?? 7)
        let days = context.today - course.last.day
        if let gain = course.gain, gain > Self.suddenGain, days <= 3 {
            result.review = context.calendar.time(day: course.last.day + 4)
            return suddenGain(gain)
        }
        if days >= limit {
            result.review = context.calendar.time(day: context.today + 1)
            let since = Counted.days(days)
            return ModuleMessage(
                .reminder, "no-weight",
                LocalizedText(
                    "No weight for \(since.en). Please weigh yourself.",
                    de: "Seit \(Counted.sinceDays(days).de) kein Gewicht. Bitte wiegen.",
                    ru: "Вес не измерялся \(since.ru). Взвесьтесь, пожалуйста."))
        }
        result.review = context.calendar.time(day: course.last.day + limit)
        let trend = (course.trend.last?.value ?? course.level).written(1)
        if let target = try context.number("target"), let median = forecast?.median, let rate = course.rate {
            if median == 0, (rate.mean <= 0) == (course.level <= target) || abs(course.level - target) < 0.5 {
                return ModuleMessage(
                    .info, "target-reached",
                    LocalizedText(
                        "Target reached: trend \(trend.point) kg.", de: "Ziel erreicht: Trend \(trend.comma) kg.",
                        ru: "Цель достигнута: тренд \(trend.comma) кг."))
            }
            let day = PersonCalendar.written(context.today + Int(median.rounded()))
            return ModuleMessage(
                .info, "on-the-way",
                LocalizedText(
                    "Trend \(trend.point) kg; the target is likely around \(day.en).",
                    de: "Trend \(trend.comma) kg; das Ziel ist um den \(day.de) wahrscheinlich.",
                    ru: "Тренд \(trend.comma) кг; цель вероятна около \(day.ru)."))
        }
        return ModuleMessage(
            .info, "trend", LocalizedText("Trend \(trend.point) kg.", de: "Trend \(trend.comma) kg.", ru: "Тренд \(trend.comma) кг."))
    }

    private func suddenGain(_ gain: Double) -> ModuleMessage {
        let kg = gain.written(1)
        guard gain <= Self.impossibleGain else {
            return ModuleMessage(
                .reminder, "weigh-again",
                LocalizedText(
                    "\(kg.point) kg more in three days cannot be. Please weigh yourself again.",
                    de: "\(kg.comma) kg mehr in drei Tagen kann nicht sein. Bitte noch einmal wiegen.",
                    ru: "Прибавка \(kg.comma) кг за три дня невозможна. Взвесьтесь ещё раз."))
        }
        return ModuleMessage(
            .warning, "sudden-gain",
            LocalizedText(
                "\(kg.point) kg more within three days. With a weak heart, tell the doctor today.",
                de: "\(kg.comma) kg mehr in drei Tagen. Bei Herzschwäche heute die Ärztin oder den Arzt verständigen.",
                ru: "Прибавка \(kg.comma) кг за три дня. При сердечной недостаточности сообщите врачу сегодня."))
    }

    private static func iso(_ day: Int) -> String { CivilDate(daysSince1970: day).text }
}
