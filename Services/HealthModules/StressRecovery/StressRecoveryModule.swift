import Foundation
import ServiceKit

/// Stress and recovery against the person's own past. The index of arousal is no diagnosis.
package struct StressRecoveryModule: HealthModule {
    package init() {}

    package let identity = ModuleIdentity(
        id: "stress", name: LocalizedText("Stress and recovery", de: "Stress und Erholung", ru: "Стресс и восстановление"),
        description: LocalizedText(
            "Days of stress against the person's own, the longest calm, and readiness in the morning.",
            de: "Stresstage gegen die eigenen, die längste Ruhe und die Bereitschaft am Morgen.",
            ru: "Дни стресса относительно своих, самое долгое спокойствие и утренняя готовность."),
        drawing: #"<path d="M12 62h20l10-26 16 52 14-40 8 14h28"/>"#)
    package let inputs: [ModuleInput] = [
        .continuous("stress-level", days: 62, spacing: 300), .continuous("heart-rate-variability-rmssd", days: 62, spacing: 300),
        .spot("resting-heart-rate", days: 400), .spot("sleep-minutes", days: 400),
    ]
    package let outputs = ["readiness"]
    package let parameters: [ModuleParameter] = [
        .value(
            "today", unit: "1", LocalizedText("Mean stress level of today.", de: "Mittlerer Stress heute.", ru: "Средний стресс сегодня.")),
        .value(
            "yesterday", unit: "1",
            LocalizedText("Mean stress level of yesterday.", de: "Mittlerer Stress gestern.", ru: "Средний стресс вчера.")),
        .value(
            "yesterday-percentile", unit: "%",
            LocalizedText(
                "Share of the own 60 days that were calmer than yesterday.",
                de: "Anteil der eigenen 60 Tage, die ruhiger waren als gestern.", ru: "Доля своих 60 дней, спокойнее вчерашнего.")),
        .value(
            "longest-calm", unit: "min",
            LocalizedText(
                "Longest time of yesterday below the own median.", de: "Längste Zeit gestern unter dem eigenen Median.",
                ru: "Самое долгое время вчера ниже своей медианы.")),
        .value(
            "readiness", unit: "1",
            LocalizedText(
                "Morning readiness, 0 to 100: 50 is the own usual.", de: "Bereitschaft am Morgen, 0 bis 100: 50 ist das eigene Übliche.",
                ru: "Утренняя готовность, 0–100: 50 — своя норма.")),
        .value(
            "readiness-from", .text,
            LocalizedText("The measures that went into it.", de: "Die Maße, die eingingen.", ru: "Учтённые показатели.")),
    ]

    /// A day counts with two hours of stress level.
    private static let readingsOfDay = 24

    package func evaluate(_ context: ModuleContext) throws -> ModuleResult {
        var result = ModuleResult()
        let levels = try context.readings("stress-level")
        let days = Dictionary(grouping: levels, by: \.day).filter { $0.value.count >= Self.readingsOfDay }
        let means = days.compactMapValues { Statistics.mean($0.map(\.value)) }
        let today = context.today
        let reason = LocalizedText(
            "it needs two hours of stress level", de: "dafür braucht es zwei Stunden Stresswerte", ru: "нужны два часа значений стресса")
        result.set("today", means[today], 2, else: reason)
        result.set("yesterday", means[today - 1], 2, else: reason)
        let before = means.filter { $0.key < today - 1 && $0.key > today - 62 }.map(\.value)
        let past = LocalizedText(
            "it needs fourteen days before", de: "dafür braucht es vierzehn Tage davor", ru: "нужны четырнадцать дней до этого")
        let percentile = before.count >= 14 ? means[today - 1].flatMap { Statistics.percentile(of: $0, among: before) } : nil
        result.set("yesterday-percentile", percentile, 0, else: means[today - 1] == nil ? reason : past)
        let median = before.count >= 14 ? Statistics.median(levels.filter { $0.day < today - 1 }.map(\.value)) : nil
        let calm = median.flatMap { median in days[today - 1].map { Self.longestCalm($0, below: median) } }
        result.set("longest-calm", calm, 0, else: days[today - 1] == nil ? reason : past)
        result.row(LocalizedText("Stress today", de: "Stress heute", ru: "Стресс сегодня"), means[today], 2, unit: .unit(""))
        result.row(
            LocalizedText("Longest calm, yesterday", de: "Längste Ruhe, gestern", ru: "Самое долгое спокойствие вчера"), calm, 0,
            unit: LocalizedText("min", de: "min", ru: "мин"))
        try readiness(context, &result)
        result.charts = [
            PageChart(
                LocalizedText("Stress by day", de: "Stress je Tag", ru: "Стресс по дням"), unit: "1",
                lines: [
                    .init(
                        LocalizedText("mean", de: "Mittel", ru: "среднее"),
                        means.sorted { $0.key < $1.key }.map { [context.calendar.time(day: $0.key), $0.value] })
                ])
        ]
        if !levels.isEmpty { result.review = context.calendar.time(day: today + 1) }
        if let percentile, percentile >= 90 {
            let share = percentile.written()
            result.message = ModuleMessage(
                .info, "stressful-day",
                LocalizedText(
                    "Yesterday was more tense than \(share) % of your days.", de: "Gestern war angespannter als \(share) % Ihrer Tage.",
                    ru: "Вчера напряжённее, чем \(share) % ваших дней."))
        }
        return result
    }

    /// In minutes; a pause of more than ten minutes in the readings ends a calm.
    package static func longestCalm(_ readings: [NumberReading], below limit: Double) -> Double {
        var (longest, from): (Double, Double?) = (0, nil)
        var previous = -Double.infinity
        for reading in readings {
            if reading.value >= limit || reading.time - previous > 660 { from = nil }
            if reading.value < limit {
                from = from ?? reading.time
                longest = max(longest, reading.time - (from ?? reading.time))
            }
            previous = reading.time
        }
        return longest / 60
    }

    /// The mean of how far this morning's measures lie from the person's own sixty days, in standard deviations, as a percentile: ln RMSSD (more is better),
    /// resting rate and stress of the day before (less is better), sleep (more is better). The measures are those that reviews find worth following (D. J. Plews
    /// et al., Sports Med 43 (2013) 773; A. E. Saw et al., Br J Sports Med 50 (2016) 281); that they are weighted alike is this module's own choice, and no
    /// validated score.
    private func readiness(_ context: ModuleContext, _ result: inout ModuleResult) throws {
        let today = context.today
        let variability = Dictionary(
            grouping: try context.readings("heart-rate-variability-rmssd").filter { $0.value > 1 && $0.second < 9 * 3600 }, by: \.day
        )
        .compactMapValues { $0.count >= 3 ? Statistics.median($0.map { log($0.value) }) : nil }
        let resting = Dictionary(
            uniqueKeysWithValues: RestingRate(measured: try context.readings("resting-heart-rate"), rates: [], today: today).days.map {
                ($0.day, $0.value)
            })
        let sleep = DayTotals(try context.readings("sleep-minutes")).days.filter { $0.value > 0 }
        let stress = Dictionary(grouping: try context.readings("stress-level"), by: \.day).filter { $0.value.count >= Self.readingsOfDay }
            .compactMapValues { Statistics.mean($0.map(\.value)) }
        let parts: [(String, Double?)] = [
            ("variability", Self.score(variability, on: today)), ("resting-rate", Self.score(resting, on: today).map { -$0 }),
            ("sleep", Self.score(sleep, on: today)), ("stress", Self.score(stress, on: today - 1).map { -$0 }),
        ]
        let known = parts.compactMap { name, score in score.map { (name, $0) } }
        guard known.count >= 2, let mean = Statistics.mean(known.map(\.1)) else {
            return result.unknown(
                ["readiness", "readiness-from"],
                LocalizedText(
                    "it needs two of variability, resting rate, sleep and stress of this morning, and fourteen days of each",
                    de: "dafür braucht es zwei von Variabilität, Ruhepuls, Schlaf und Stress von heute früh und je vierzehn Tage",
                    ru: "нужны два показателя за утро (вариабельность, пульс покоя, сон, стресс) и по четырнадцать дней каждого"))
        }
        let readiness = Statistics.normalPercentile(mean)
        result.findings["readiness"] = .number(readiness, 0)
        result.findings["readiness-from"] = .text(known.map(\.0).joined(separator: ", "))
        result.row(
            LocalizedText("Readiness", de: "Bereitschaft", ru: "Готовность"), readiness, 0, unit: .unit(""),
            note: LocalizedText(
                "50 is your usual; no validated score", de: "50 ist Ihr Übliches; kein validierter Wert",
                ru: "50 — ваша норма; не валидированный показатель"))
        result.observations.append(DerivedObservation("readiness", at: context.calendar.time(day: today), readiness.rounded()))
    }

    /// Standard deviations from the mean of sixty days before, at most three.
    private static func score(_ days: [Int: Double], on day: Int) -> Double? {
        let before = days.filter { $0.key < day && $0.key >= day - 60 }.map(\.value)
        guard let value = days[day], before.count >= 14, let mean = Statistics.mean(before), let spread = Statistics.deviation(before),
            spread > 0
        else { return nil }
        return min(max((value - mean) / spread, -3), 3)
    }
}
