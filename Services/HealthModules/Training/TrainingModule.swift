import Foundation
import ServiceKit
import VigilSchema

/// Training: sessions that the heart rate shows, their load, the plan for the gym and what was done of it.
package struct TrainingModule: HealthModule {
    package init() {}

    package let identity = ModuleIdentity(
        id: "training", name: LocalizedText("Training", de: "Training", ru: "Тренировки"),
        description: LocalizedText(
            "Sessions, zones, training load and its rise, oxygen uptake, and the plan for the gym.",
            de: "Einheiten, Zonen, Belastung und ihr Anstieg, Sauerstoffaufnahme und der Plan fürs Studio.",
            ru: "Занятия, зоны, нагрузка и её рост, потребление кислорода и план для зала."),
        drawing: #"<path d="M14 60h12M94 60h12M26 40v40M38 30v60M82 30v60M94 40v40M38 60h44"/>"#)
    package let inputs: [ModuleInput] = [
        .continuous("heart-rate", days: 45, spacing: 60), .spot("resting-heart-rate", days: 400), .spot("training-set", days: 60),
    ]
    package let sources = ["heart"]
    package let outputs = ["training-load", "training-load-ratio", "maximal-oxygen-uptake"]
    package let parameters: [ModuleParameter] = [
        .setting(
            "maximal-rate", .integer(100...230), unit: "/min",
            LocalizedText(
                "The maximal heart rate, where it was measured.", de: "Maximalpuls, falls gemessen.",
                ru: "Максимальный пульс, если измерен.")),
        .setting(
            "plan",
            .text(longest: 1000, example: "squat 3x8x60; bench press 3x10x40") {
                TrainingPlan($0) == nil ? "a plan such as squat 3x8x60; bench press 3x10x40 (sets x repetitions x kg), or nothing" : nil
            },
            LocalizedText("The plan of a week at the gym.", de: "Der Wochenplan fürs Studio.", ru: "План недели для зала.")),
        .value(
            "sessions-week", .integer,
            LocalizedText("Sessions of the last seven days.", de: "Einheiten der letzten sieben Tage.", ru: "Занятия за семь дней.")),
        .value(
            "load-today", unit: "1",
            LocalizedText(
                "Training load of today (TRIMP, Banister).", de: "Belastung heute (TRIMP, Banister).",
                ru: "Нагрузка сегодня (TRIMP, Банистер).")),
        .value(
            "load-week", unit: "1",
            LocalizedText("Training load of seven days.", de: "Belastung von sieben Tagen.", ru: "Нагрузка за семь дней.")),
        .value(
            "load-ratio", unit: "1",
            LocalizedText(
                "Acute (7 days) to chronic (28 days) load.", de: "Akute (7 Tage) zu chronischer (28 Tage) Belastung.",
                ru: "Острая (7 дней) к хронической (28 дней) нагрузке.")),
        .value(
            "minutes-moderate", unit: "min",
            LocalizedText(
                "Minutes of seven days at 40 to 60 % of the reserve.", de: "Minuten von sieben Tagen bei 40 bis 60 % der Reserve.",
                ru: "Минуты за семь дней при 40–60 % резерва.")),
        .value(
            "minutes-vigorous", unit: "min",
            LocalizedText(
                "Minutes of seven days above 60 % of the reserve.", de: "Minuten von sieben Tagen über 60 % der Reserve.",
                ru: "Минуты за семь дней выше 60 % резерва.")),
        .value(
            "oxygen-uptake", unit: "mL/min/kg",
            LocalizedText(
                "Maximal oxygen uptake, estimated by Uth 2004.", de: "Maximale Sauerstoffaufnahme, geschätzt nach Uth 2004.",
                ru: "Максимальное потребление кислорода, оценка Uth 2004.")),
        .value(
            "plan-done", unit: "%",
            LocalizedText(
                "Share of the week's plan that was done.", de: "Erledigter Anteil des Wochenplans.", ru: "Выполнено из плана недели.")),
        .value(
            "best-lift", .text,
            LocalizedText(
                "Best estimated single lift of 60 days.", de: "Bester geschätzter Einzelversuch in 60 Tagen.",
                ru: "Лучший расчётный разовый максимум за 60 дней.")),
    ]

    package func evaluate(_ context: ModuleContext) throws -> ModuleResult {
        var result = ModuleResult()
        try gym(context, &result)
        let names = ["sessions-week", "load-today", "load-week", "load-ratio", "minutes-moderate", "minutes-vigorous", "oxygen-uptake"]
        let rates = try context.readings("heart-rate")
        let resting =
            try context.found("heart.resting")
            ?? Statistics.median(
                RestingRate(measured: try context.readings("resting-heart-rate"), rates: rates, today: context.today).days.suffix(7).map(
                    \.value))
        let maximal = try context.number("maximal-rate") ?? context.years.map { TrainingFormulas.maximalRate(age: Double($0)) }
        guard let resting, let maximal, maximal > resting + 20 else {
            result.unknown(
                names,
                LocalizedText(
                    "it needs the resting rate, and the birth date or the maximal rate",
                    de: "dafür braucht es Ruhepuls und Geburtsdatum oder Maximalpuls",
                    ru: "нужны пульс покоя и дата рождения или максимальный пульс"))
            return result
        }
        if context.profile.sex != .female, context.profile.sex != .male {
            result.rows.append(
                PageRow(
                    LocalizedText("Load", de: "Belastung", ru: "Нагрузка"),
                    LocalizedText("by the formula for men", de: "nach der Formel für Männer", ru: "по формуле для мужчин"),
                    note: LocalizedText("no sex is known", de: "kein Geschlecht bekannt", ru: "пол не указан")))
        }
        let isFemale = context.profile.sex == .female
        let sessions = TrainingSession.recognised(rates, resting: resting, maximal: maximal, isFemale: isFemale)
        load(sessions, rates, resting, maximal, context, &result)
        let uptake = TrainingFormulas.oxygenUptake(maximal: maximal, resting: resting)
        result.findings["oxygen-uptake"] = .number(uptake, 1)
        result.row(
            LocalizedText("Oxygen uptake, maximal", de: "Sauerstoffaufnahme, maximal", ru: "Потребление кислорода, макс."), uptake, 0,
            unit: .unit("mL/min/kg"),
            note: LocalizedText(
                "from rates alone (Uth 2004), ±10 % and more", de: "nur aus Pulswerten (Uth 2004), ±10 % und mehr",
                ru: "только по пульсу (Uth 2004), ±10 % и более"))
        return result
    }

    private func load(
        _ sessions: [TrainingSession], _ rates: [NumberReading], _ resting: Double, _ maximal: Double, _ context: ModuleContext,
        _ result: inout ModuleResult
    ) {
        let today = context.today
        let loads = (0..<28).map { back in sessions.filter { $0.day == today - 27 + back }.reduce(0) { $0 + $1.impulse } }
        let worn = Set(rates.map(\.day)).filter { $0 > today - 28 && $0 <= today }.count
        let week = sessions.filter { $0.day > today - 7 && $0.day <= today }
        result.findings["sessions-week"] = .number(Double(week.count), 0)
        result.findings["load-today"] = .number(loads[27], 0)
        result.findings["load-week"] = .number(loads.suffix(7).reduce(0, +), 0)
        var (moderate, vigorous) = (0.0, 0.0)
        for reading in rates.suffix({ $0.day > today - 7 }) where reading.day <= today {
            switch TrainingFormulas.zone(TrainingFormulas.reserve(reading.value, resting: resting, maximal: maximal)) {
            case 2: moderate += 1
            case 3...: vigorous += 1
            default: break
            }
        }
        result.findings["minutes-moderate"] = .number(moderate, 0)
        result.findings["minutes-vigorous"] = .number(vigorous, 0)
        let chronic = TrainingFormulas.weightedLoad(loads, days: 28)
        let ratio = worn >= 21 && chronic > 1 ? TrainingFormulas.weightedLoad(loads, days: 7) / chronic : nil
        result.set(
            "load-ratio", ratio, 2,
            else: LocalizedText(
                "it needs 21 of 28 days with heart rate", de: "dafür braucht es 21 von 28 Tagen mit Puls",
                ru: "нужен пульс за 21 из 28 дней"))
        result.row(
            LocalizedText("Load, 7 days", de: "Belastung, 7 Tage", ru: "Нагрузка, 7 дней"), loads.suffix(7).reduce(0, +), 0,
            unit: .unit("TRIMP"))
        result.row(
            LocalizedText("Acute to chronic", de: "Akut zu chronisch", ru: "Острая к хронической"), ratio, 2, unit: .unit(""),
            note: LocalizedText(
                "no measure of the risk of injury by itself", de: "für sich kein Maß des Verletzungsrisikos",
                ru: "сама по себе не мера риска травмы"))
        result.charts = [
            PageChart(
                LocalizedText("Training load by day", de: "Belastung je Tag", ru: "Нагрузка по дням"), unit: "1",
                lines: [.init(.unit("TRIMP"), loads.enumerated().map { [context.calendar.time(day: today - 27 + $0.offset), $0.element] })])
        ]
        result.observations = loads.enumerated().dropLast().filter { $0.element > 0 }.map {
            DerivedObservation("training-load", at: context.calendar.time(day: today - 26 + $0.offset) - 1, $0.element.rounded(to: 1))
        }
        if let last = week.last {
            result.review = context.calendar.time(day: today + 1)
            let (minutes, impulse) = (((last.until - last.from) / 60).written(), last.impulse.written())
            result.message = ModuleMessage(
                .info, "session",
                LocalizedText(
                    "Last session: \(minutes) minutes, load \(impulse).", de: "Letzte Einheit: \(minutes) Minuten, Belastung \(impulse).",
                    ru: "Последнее занятие: \(minutes) мин, нагрузка \(impulse)."))
        }
    }

    private func gym(_ context: ModuleContext, _ result: inout ModuleResult) throws {
        let sets = try context.texts("training-set").compactMap { text in TrainingPlan.set(text.text).map { (day: text.day, set: $0) } }
        let monday = context.today - PersonCalendar.weekday(of: context.today)
        if let plan = TrainingPlan(try context.text("plan")) {
            let share = plan.share(of: sets.filter { $0.day >= monday }.map(\.set))
            result.findings["plan-done"] = .number(share, 0)
            result.row(LocalizedText("Plan of the week", de: "Wochenplan", ru: "План недели"), share, 0, unit: .percent)
        } else {
            result.unknown(["plan-done"], LocalizedText("no plan is set", de: "kein Plan gesetzt", ru: "план не задан"))
        }
        let best = sets.compactMap { entry in
            TrainingFormulas.oneRepetition(weight: entry.set.weight, repetitions: entry.set.repetitions).map { (entry.set.name, $0) }
        }.max { ($0.1, $1.0) < ($1.1, $0.0) }
        result.findings["best-lift"] =
            best.map { .text("\($0.0) \($0.1.written(1)) kg") }
            ?? .unknown(
                LocalizedText(
                    "no set of ten repetitions or fewer is known", de: "kein Satz mit höchstens zehn Wiederholungen bekannt",
                    ru: "нет подхода до десяти повторений"))
    }
}
