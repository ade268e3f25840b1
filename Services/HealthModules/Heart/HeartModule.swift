import Foundation
import ServiceKit

/// The heart at rest and after exertion, against the person's own past.
package struct HeartModule: HealthModule {
    package init() {}

    package let identity = ModuleIdentity(
        id: "heart", name: LocalizedText("Heart", de: "Herz", ru: "Сердце"),
        description: LocalizedText(
            "Resting rate and its trend, variability against the person's own sixty days, recovery after exertion, rhythm.",
            de: "Ruhepuls und sein Verlauf, Variabilität gegen die eigenen sechzig Tage, Erholung nach Belastung, Rhythmus.",
            ru: "Пульс покоя и его тренд, вариабельность относительно своих шестидесяти дней, восстановление, ритм."),
        drawing: #"<path d="M60 98C30 74 18 60 18 44a20 20 0 0 1 42-6 20 20 0 0 1 42 6c0 16-12 30-42 54z"/>"#)
    package let inputs: [ModuleInput] =
        [
            .spot("resting-heart-rate", days: 400), .continuous("heart-rate", days: 45, spacing: 60),
            .continuous("heart-rate-variability-rmssd", days: 62, spacing: 300),
        ] + RhythmRecord.inputs
    package let outputs = ["resting-heart-rate", "ventricular-burden", "supraventricular-burden"]
    package let parameters: [ModuleParameter] =
        [
            .value(
                "resting", unit: "/min",
                LocalizedText(
                    "Resting rate: median of seven days.", de: "Ruhepuls: Median von sieben Tagen.", ru: "Пульс покоя: медиана семи дней.")),
            .value(
                "resting-change", unit: "/min",
                LocalizedText(
                    "Resting rate against the 28 days before.", de: "Ruhepuls gegen die 28 Tage davor.",
                    ru: "Пульс покоя относительно предыдущих 28 дней.")),
            .value(
                "resting-source", .text,
                LocalizedText(
                    "measured, or estimated from the day's lowest rates.",
                    de: "measured: gemessen; estimated: aus den niedrigsten Werten des Tages.",
                    ru: "measured: измерен; estimated: по самым низким значениям дня.")),
            .value(
                "variability", unit: "ms",
                LocalizedText(
                    "RMSSD: geometric mean of seven days.", de: "RMSSD: geometrisches Mittel von sieben Tagen.",
                    ru: "RMSSD: геометрическое среднее семи дней.")),
            .value(
                "variability-low", unit: "ms",
                LocalizedText(
                    "Lower end of the person's own usual range, 60 days.", de: "Unteres Ende des eigenen üblichen Bereichs, 60 Tage.",
                    ru: "Нижняя граница личной нормы, 60 дней.")),
            .value(
                "variability-high", unit: "ms",
                LocalizedText(
                    "Upper end of the person's own usual range, 60 days.", de: "Oberes Ende des eigenen üblichen Bereichs, 60 Tage.",
                    ru: "Верхняя граница личной нормы, 60 дней.")),
            .value(
                "variability-state", .text,
                LocalizedText(
                    "low, usual or high against the own range.", de: "low, usual oder high gegen den eigenen Bereich.",
                    ru: "low, usual или high относительно личной нормы.")),
            .value(
                "recovery", unit: "/min",
                LocalizedText(
                    "Fall of the rate in the minute after the last exertion.", de: "Abfall in der Minute nach der letzten Belastung.",
                    ru: "Снижение за минуту после последней нагрузки.")),
        ] + rhythmParameters

    package func evaluate(_ context: ModuleContext) throws -> ModuleResult {
        var result = ModuleResult()
        let record = try RhythmRecord(context)
        let rates = try context.readings("heart-rate")
        let resting = try RestingRate(measured: context.readings("resting-heart-rate"), rates: rates, today: context.today)
        rest(resting, context, &result)
        if record.isIrregular(at: context.now) {
            result.unknown(
                Self.variabilityNames,
                LocalizedText(
                    "the rhythm is irregular, so that variability says nothing of rest",
                    de: "der Rhythmus ist unregelmäßig, die Variabilität sagt dann nichts über Erholung",
                    ru: "ритм нерегулярный, вариабельность в этом случае ни о чём не говорит"))
        } else {
            try variability(context, &result)
        }
        let recovery = HeartRateRecovery.last(rates, maximum: context.years.map { 208 - 0.7 * Double($0) })
        result.set(
            "recovery", recovery, 0,
            else: LocalizedText(
                "no exertion with a rate each minute is known", de: "keine Belastung mit minütlichem Puls bekannt",
                ru: "нет нагрузки с ежеминутным пульсом"))
        result.row(
            LocalizedText("Recovery in a minute", de: "Erholung in einer Minute", ru: "Восстановление за минуту"), recovery, 0,
            unit: .perMinute,
            note: LocalizedText(
                "12 and less is low (Cole 1999)", de: "12 und weniger ist wenig (Cole 1999)", ru: "12 и меньше — мало (Cole 1999)"))
        try rhythm(record, context, &result)
        // What is said of a week moves on with the days, also when nothing comes any more.
        if result.message != nil { result.review = context.calendar.time(day: context.today + 1) }
        return result
    }

    private func rest(_ resting: RestingRate, _ context: ModuleContext, _ result: inout ModuleResult) {
        let today = context.today
        let week = resting.days.filter { $0.day > today - 7 && $0.day <= today }.map(\.value)
        let before = resting.days.filter { $0.day > today - 35 && $0.day <= today - 7 }.map(\.value)
        let reason = LocalizedText(
            "it needs three days of seven, with six hours of heart rate each or a measured resting rate",
            de: "dafür braucht es drei von sieben Tagen mit je sechs Stunden Puls oder gemessenem Ruhepuls",
            ru: "нужны три дня из семи с шестью часами пульса или измеренным пульсом покоя")
        let median = week.count >= 3 ? Statistics.median(week) : nil
        result.set("resting", median, 0, else: reason)
        result.findings["resting-source"] = median == nil ? .unknown(reason) : .text(resting.isMeasured ? "measured" : "estimated")
        var change: Double?
        if let median, before.count >= 10, let usual = Statistics.median(before) { change = median - usual }
        result.set(
            "resting-change", change, 1,
            else: LocalizedText(
                "it needs ten days of the 28 before", de: "dafür braucht es zehn der 28 Tage davor",
                ru: "нужны десять из 28 предыдущих дней"))
        result.row(LocalizedText("Resting rate", de: "Ruhepuls", ru: "Пульс покоя"), median, 0, unit: .perMinute)
        if !resting.isMeasured {
            result.observations += resting.days.filter {
                $0.day < today && $0.day > today - 30 && !resting.measuredDays.contains($0.day)
            }.map {
                DerivedObservation("resting-heart-rate", at: context.calendar.time(day: $0.day + 1) - 1, $0.value.rounded())
            }
        }
        result.charts.append(
            PageChart(
                LocalizedText("Resting rate", de: "Ruhepuls", ru: "Пульс покоя"), unit: "/min",
                lines: [
                    .init(
                        LocalizedText("days", de: "Tage", ru: "дни"),
                        resting.days.suffix(200).map { [context.calendar.time(day: $0.day), $0.value] })
                ]))
        guard let median, let change else { return }
        let (rate, more) = (median.written(), abs(change).written())
        result.message =
            change >= 5
            ? ModuleMessage(
                .info, "resting-raised",
                LocalizedText(
                    "Resting rate \(rate)/min, \(more) above your usual.", de: "Ruhepuls \(rate)/min, \(more) über dem Üblichen.",
                    ru: "Пульс покоя \(rate)/мин, на \(more) выше обычного."))
            : ModuleMessage(
                .info, "resting-usual",
                LocalizedText(
                    "Resting rate \(rate)/min, as usual.", de: "Ruhepuls \(rate)/min, wie üblich.",
                    ru: "Пульс покоя \(rate)/мин, как обычно."))
    }

    private static let variabilityNames = ["variability", "variability-low", "variability-high", "variability-state"]

    /// ln RMSSD of seven days against the mean and half a standard deviation of the sixty before: the smallest change that is worth noting.
    /// Source: D. J. Plews et al., Sports Med 43 (2013) 773; M. Buchheit, Front Physiol 5 (2014) 73. Only at night, from 0 to 8 o'clock, where there are such.
    private func variability(_ context: ModuleContext, _ result: inout ModuleResult) throws {
        let all = try context.readings("heart-rate-variability-rmssd").filter { $0.value > 1 }
        let nights = all.filter { $0.second < 8 * 3600 }
        let days = Dictionary(grouping: nights.count >= all.count / 10 && !nights.isEmpty ? nights : all, by: \.day).compactMapValues {
            Statistics.median($0.map { log($0.value) })
        }
        let today = context.today
        let week = days.filter { $0.key > today - 7 && $0.key <= today }.map(\.value)
        let before = days.filter { $0.key > today - 67 && $0.key <= today - 7 }.map(\.value)
        guard week.count >= 3, before.count >= 14, let now = Statistics.mean(week), let usual = Statistics.mean(before),
            let spread = Statistics.deviation(before)
        else {
            return result.unknown(
                Self.variabilityNames,
                LocalizedText(
                    "it needs three days of the last seven and fourteen of the sixty before",
                    de: "dafür braucht es drei der letzten sieben und vierzehn der sechzig Tage davor",
                    ru: "нужны три из последних семи дней и четырнадцать из шестидесяти предыдущих"))
        }
        result.findings["variability"] = .number(exp(now), 1)
        result.findings["variability-low"] = .number(exp(usual - spread / 2), 1)
        result.findings["variability-high"] = .number(exp(usual + spread / 2), 1)
        result.findings["variability-state"] = .text(now < usual - spread / 2 ? "low" : now > usual + spread / 2 ? "high" : "usual")
        let (low, high) = (exp(usual - spread / 2).written(), exp(usual + spread / 2).written())
        result.row(
            LocalizedText("Variability (RMSSD)", de: "Variabilität (RMSSD)", ru: "Вариабельность (RMSSD)"), exp(now), 0,
            unit: LocalizedText("ms", de: "ms", ru: "мс"),
            note: LocalizedText(
                "your usual \(low) to \(high)", de: "Ihr üblicher Bereich \(low) bis \(high)", ru: "ваша норма \(low)–\(high)"))
    }
}
