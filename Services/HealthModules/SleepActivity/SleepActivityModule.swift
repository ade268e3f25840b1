import ServiceKit

/// Sleep and activity, from what bands and imports bring.
package struct SleepActivityModule: HealthModule {
    package init() {}

    package let identity = ModuleIdentity(
        id: "sleep-activity", name: LocalizedText("Sleep and activity", de: "Schlaf und Bewegung", ru: "Сон и активность"),
        description: LocalizedText(
            "How long and how regularly a person sleeps, and how they move against their usual.",
            de: "Wie lange und regelmäßig jemand schläft und sich gegen das Übliche bewegt.",
            ru: "Длительность и регулярность сна, движение относительно обычного."),
        drawing: #"<path d="M84 72A36 36 0 1 1 48 24a28 28 0 0 0 36 48z"/><path d="M76 30h18l-18 20h18"/>"#)
    package let inputs: [ModuleInput] = [.spot("sleep-minutes", days: 400), .spot("steps", days: 70), .spot("active-minutes", days: 70)]
    package let parameters: [ModuleParameter] = [
        .setting(
            "steps-goal", .integer(500...50_000), unit: "{steps}",
            LocalizedText("Steps a day that are aimed at.", de: "Angestrebte Schritte am Tag.", ru: "Цель шагов в день.")),
        .value(
            "sleep-last", unit: "h",
            LocalizedText(
                "Sleep of the last day that is known.", de: "Schlaf des letzten bekannten Tages.", ru: "Сон за последний известный день.")),
        .value(
            "sleep-mean", unit: "h",
            LocalizedText("Sleep a day, mean of 14 days.", de: "Schlaf am Tag, Mittel aus 14 Tagen.", ru: "Сон в день, среднее за 14 дней.")
        ),
        .value(
            "sleep-regularity", unit: "min",
            LocalizedText(
                "Standard deviation of the sleep of 14 days; smaller is more regular.",
                de: "Standardabweichung des Schlafs von 14 Tagen; kleiner ist regelmäßiger.",
                ru: "Стандартное отклонение сна за 14 дней; меньше — регулярнее.")),
        .value(
            "sleep-short-days", .integer,
            LocalizedText(
                "Days of 14 with less than seven hours.", de: "Tage von 14 mit weniger als sieben Stunden.",
                ru: "Дней из 14 со сном менее семи часов.")),
        .value("steps-today", unit: "{steps}", LocalizedText("Steps of today so far.", de: "Schritte heute bisher.", ru: "Шаги сегодня.")),
        .value(
            "steps-mean", unit: "{steps}",
            LocalizedText(
                "Steps a day, mean of seven days before today.", de: "Schritte am Tag, Mittel der sieben Tage vor heute.",
                ru: "Шаги в день, среднее за семь предыдущих дней.")),
        .value(
            "steps-usual", unit: "{steps}",
            LocalizedText(
                "Usual steps of yesterday's weekday: median of eight weeks.",
                de: "Übliche Schritte an diesem Wochentag (gestern): Median von acht Wochen.",
                ru: "Обычные шаги вчерашнего дня недели: медиана восьми недель.")),
        .value("steps-yesterday", unit: "{steps}", LocalizedText("Steps of yesterday.", de: "Schritte gestern.", ru: "Шаги вчера.")),
        .value(
            "active-week", unit: "min",
            LocalizedText(
                "Active minutes of seven days; WHO 2020 asks adults for 150 to 300.",
                de: "Aktive Minuten in sieben Tagen; die WHO (2020) rät zu 150 bis 300.",
                ru: "Активные минуты за семь дней; ВОЗ 2020 советует 150–300.")),
    ]

    package func evaluate(_ context: ModuleContext) throws -> ModuleResult {
        var result = ModuleResult()
        try sleep(context, &result)
        try steps(context, &result)
        let active = DayTotals(try context.readings("active-minutes")).days.filter { $0.key > context.today - 8 && $0.key < context.today }
        result.set(
            "active-week", active.count >= 4 ? active.values.reduce(0, +) : nil, 0,
            else: LocalizedText("it needs four days of seven", de: "dafür braucht es vier von sieben Tagen", ru: "нужны четыре дня из семи")
        )
        return result
    }

    private func sleep(_ context: ModuleContext, _ result: inout ModuleResult) throws {
        let days = DayTotals(try context.readings("sleep-minutes")).days.filter { $0.value > 0 }
        let last = days.max { $0.key < $1.key }
        result.set(
            "sleep-last", last.map { $0.value / 60 }, 1,
            else: LocalizedText("no sleep is known", de: "kein Schlaf bekannt", ru: "сон не известен"))
        let recent = days.filter { $0.key > context.today - 14 && $0.key <= context.today }.map(\.value)
        let isEnough = recent.count >= 7
        let reason = LocalizedText("it needs seven of 14 days", de: "dafür braucht es sieben von 14 Tagen", ru: "нужны семь из 14 дней")
        let mean = isEnough ? Statistics.mean(recent) : nil
        result.set("sleep-mean", mean.map { $0 / 60 }, 1, else: reason)
        result.set("sleep-regularity", isEnough ? Statistics.deviation(recent) : nil, 0, else: reason)
        // Seven hours and more for adults (N. F. Watson et al., Sleep 38 (2015) 843).
        let isAdult = context.years ?? 18 >= 18
        result.set(
            "sleep-short-days", isEnough && isAdult ? Double(recent.count { $0 < 420 }) : nil, 0,
            else: isAdult
                ? reason
                : LocalizedText("seven hours are for adults", de: "sieben Stunden gelten für Erwachsene", ru: "семь часов — для взрослых"))
        result.row(
            LocalizedText("Sleep, 14 days", de: "Schlaf, 14 Tage", ru: "Сон, 14 дней"), mean.map { $0 / 60 }, 1,
            unit: LocalizedText("h", de: "h", ru: "ч"))
        result.charts.append(
            PageChart(
                LocalizedText("Sleep", de: "Schlaf", ru: "Сон"), unit: "h",
                lines: [
                    .init(
                        LocalizedText("hours", de: "Stunden", ru: "часы"),
                        days.sorted { $0.key < $1.key }.suffix(60).map { [context.calendar.time(day: $0.key), $0.value / 60] })
                ],
                band: isAdult ? 7...9 : nil))
        guard let mean else { return }
        let hours = (mean / 60).written(1)
        result.message = ModuleMessage(
            .info, isAdult && mean < 420 ? "sleep-short" : "sleep",
            LocalizedText(
                "Sleep \(hours.point) h a day in two weeks.", de: "Schlaf \(hours.comma) h am Tag in zwei Wochen.",
                ru: "Сон \(hours.comma) ч в день за две недели."))
    }

    private func steps(_ context: ModuleContext, _ result: inout ModuleResult) throws {
        let days = DayTotals(try context.readings("steps")).days
        let today = context.today
        let none = LocalizedText("no steps are known", de: "keine Schritte bekannt", ru: "шаги не известны")
        result.set("steps-today", days[today], 0, else: none)
        result.set("steps-yesterday", days[today - 1], 0, else: none)
        let week = days.filter { $0.key >= today - 7 && $0.key < today }.map(\.value)
        result.set(
            "steps-mean", week.count >= 4 ? Statistics.mean(week) : nil, 0,
            else: LocalizedText("it needs four days of seven", de: "dafür braucht es vier von sieben Tagen", ru: "нужны четыре дня из семи")
        )
        let usual = (1...8).compactMap { days[today - 1 - 7 * $0] }
        result.set(
            "steps-usual", usual.count >= 4 ? Statistics.median(usual) : nil, 0,
            else: LocalizedText(
                "it needs four of the same weekday", de: "dafür braucht es vier gleiche Wochentage", ru: "нужны четыре таких же дня недели")
        )
        result.row(LocalizedText("Steps today", de: "Schritte heute", ru: "Шаги сегодня"), days[today], 0, unit: .unit(""))
        result.row(
            LocalizedText("Steps, 7 days", de: "Schritte, 7 Tage", ru: "Шаги, 7 дней"), week.count >= 4 ? Statistics.mean(week) : nil, 0,
            unit: .unit(""))
        let goal = try context.number("steps-goal")
        let means = (0..<7).map { weekday in
            [
                Double(weekday),
                Statistics.median(days.filter { PersonCalendar.weekday(of: $0.key) == weekday && $0.key < today }.map(\.value)) ?? .nan,
            ]
        }
        result.charts.append(
            PageChart(
                LocalizedText("Steps by weekday, median", de: "Schritte nach Wochentag, Median", ru: "Шаги по дням недели, медиана"),
                axis: .weekday, unit: "{steps}",
                lines: [.init(LocalizedText("steps", de: "Schritte", ru: "шаги"), means.filter { $0[1].isFinite })],
                band: goal.map { $0...$0 }))
        result.review = context.calendar.time(day: today + 1)
    }
}

/// The sum of a metric for each day, of the one source that has most: the same steps come from a watch, a phone and a total of the day.
package struct DayTotals {
    package let days: [Int: Double]

    package init(_ readings: [NumberReading]) {
        var sums: [Int: [Int: Double]] = [:]
        for reading in readings where reading.value >= 0 { sums[reading.day, default: [:]][reading.source, default: 0] += reading.value }
        days = sums.mapValues { $0.values.max() ?? 0 }
    }
}
