import ServiceKit

/// Blood glucose: time in ranges, variability, risk, low episodes, the day's profile, and what comes in half an hour.
package struct GlucoseModule: HealthModule {
    /// The consensus asks for 14 days with a reading of 70 % of the times.
    private static let days = 14
    private static let enough = 0.7

    package init() {}

    package let identity = ModuleIdentity(
        id: "glucose", name: LocalizedText("Glucose", de: "Blutzucker", ru: "Глюкоза"),
        description: LocalizedText(
            "Time in range, variability, risk of lows, the day's profile, and the next half hour.",
            de: "Zeit im Zielbereich, Schwankung, Risiko von Unterzuckerungen, Tagesprofil und die nächste halbe Stunde.",
            ru: "Время в целевом диапазоне, вариабельность, риск гипогликемии, суточный профиль и ближайшие полчаса."),
        drawing: #"<path d="M60 16c16 24 30 40 30 58a30 30 0 0 1-60 0c0-18 14-34 30-58z"/><path d="M46 76a14 14 0 0 0 14 14"/>"#)
    package let inputs: [ModuleInput] = [.spot("blood-glucose", days: 90)]
    package let outputs = ["glucose-time-in-range", "glucose-management-indicator", "glucose-variation"]
    package let parameters: [ModuleParameter] = [
        .setting(
            "range-low", .number(60...100), unit: "mg/dL", initial: .number(70),
            LocalizedText("Lower end of the target range.", de: "Unteres Ende des Zielbereichs.", ru: "Нижняя граница диапазона.")),
        .setting(
            "range-high", .number(120...250), unit: "mg/dL", initial: .number(180),
            LocalizedText("Upper end of the target range.", de: "Oberes Ende des Zielbereichs.", ru: "Верхняя граница диапазона.")),
        .value("latest", unit: "mg/dL", LocalizedText("Last reading.", de: "Letzte Messung.", ru: "Последнее измерение.")),
        .value("mean", unit: "mg/dL", LocalizedText("Mean of 14 days.", de: "Mittel aus 14 Tagen.", ru: "Среднее за 14 дней.")),
        .value(
            "active", unit: "%",
            LocalizedText(
                "Share of 14 days that is covered by readings.", de: "Anteil der 14 Tage mit Messungen.", ru: "Доля 14 дней с измерениями.")
        ),
        .value(
            "time-in-range", unit: "%",
            LocalizedText(
                "Readings in the target range, 14 days.", de: "Messungen im Zielbereich, 14 Tage.", ru: "В целевом диапазоне, 14 дней.")),
        .value(
            "time-low", unit: "%",
            LocalizedText(
                "Readings from 54 to the target range.", de: "Messungen von 54 bis zum Zielbereich.", ru: "От 54 до целевого диапазона.")),
        .value("time-very-low", unit: "%", LocalizedText("Readings below 54.", de: "Messungen unter 54.", ru: "Ниже 54.")),
        .value(
            "time-high", unit: "%",
            LocalizedText(
                "Readings above the target range, to 250.", de: "Messungen über dem Zielbereich bis 250.", ru: "Выше диапазона до 250.")),
        .value("time-very-high", unit: "%", LocalizedText("Readings above 250.", de: "Messungen über 250.", ru: "Выше 250.")),
        .value(
            "gmi", unit: "%",
            LocalizedText(
                "Glucose management indicator; no HbA1c.", de: "Glukose-Management-Indikator; kein HbA1c.",
                ru: "Индикатор управления глюкозой; не HbA1c.")),
        .value(
            "variation", unit: "%",
            LocalizedText(
                "Coefficient of variation; steady up to 36 %.", de: "Variationskoeffizient; bis 36 % stabil.",
                ru: "Коэффициент вариации; стабильно до 36 %.")),
        .value(
            "mage", unit: "mg/dL",
            LocalizedText(
                "Mean amplitude of excursions (Service 1970), 3 days.", de: "Mittlere Amplitude der Ausschläge (Service 1970), 3 Tage.",
                ru: "Средняя амплитуда колебаний (Service 1970), 3 дня.")),
        .value(
            "lbgi", unit: "1",
            LocalizedText("Low blood glucose index.", de: "Index niedriger Werte (LBGI).", ru: "Индекс низкой глюкозы (LBGI).")),
        .value(
            "hbgi", unit: "1",
            LocalizedText("High blood glucose index.", de: "Index hoher Werte (HBGI).", ru: "Индекс высокой глюкозы (HBGI).")),
        .value(
            "low-episodes", .integer,
            LocalizedText(
                "Episodes below 70 for 15 minutes and more, 14 days.", de: "Episoden unter 70 über 15 Minuten, 14 Tage.",
                ru: "Эпизоды ниже 70 от 15 минут, 14 дней.")),
        .value(
            "next-30-minutes", unit: "mg/dL",
            LocalizedText(
                "Expected in half an hour; not for dosing insulin.", de: "Erwartet in einer halben Stunde; nicht zum Dosieren von Insulin.",
                ru: "Ожидается через полчаса; не для расчёта инсулина.")),
        .value(
            "next-30-minutes-error", unit: "mg/dL",
            LocalizedText(
                "Root mean square error of that for this person.", de: "Mittlerer quadratischer Fehler bei dieser Person.",
                ru: "Среднеквадратичная ошибка для этого человека.")),
    ]

    package func evaluate(_ context: ModuleContext) throws -> ModuleResult {
        var result = ModuleResult()
        let all = try context.readings("blood-glucose")
        guard let last = all.last else {
            result.unknown(
                parameters.filter { $0.accepts == nil }.map(\.name),
                LocalizedText("no glucose is known", de: "kein Blutzucker bekannt", ru: "глюкоза не измерена"))
            return result
        }
        result.findings["latest"] = .number(last.value, 0)
        let recent = Array(all.suffix { $0.time > context.now - Double(Self.days) * 86_400 })
        let active = Self.active(recent)
        result.findings["active"] = .number(active * 100, 1)
        let low = try context.number("range-low") ?? 70
        let high = try context.number("range-high") ?? 180
        if active >= Self.enough {
            try measure(recent, low, high, &result)
            result.observations += Self.observations(recent, low, high, context)
            if case .value(.number(let indicator))? = result.findings["gmi"] {
                let yesterday = context.calendar.time(day: context.today) - 1
                result.observations.append(DerivedObservation("glucose-management-indicator", at: yesterday, indicator))
            }
        } else {
            let reason = LocalizedText(
                "it needs readings for 70 % of 14 days, as a sensor gives them",
                de: "dafür braucht es Messungen für 70 % von 14 Tagen, wie ein Sensor sie liefert",
                ru: "нужны измерения за 70 % из 14 дней, как от сенсора")
            result.unknown(
                [
                    "mean", "time-in-range", "time-low", "time-very-low", "time-high", "time-very-high", "gmi", "variation", "lbgi", "hbgi",
                    "low-episodes", "mage",
                ], reason)
        }
        predict(all, context, &result)
        result.row(LocalizedText("Last reading", de: "Letzte Messung", ru: "Последнее измерение"), last.value, 0, unit: .unit("mg/dL"))
        result.charts = [Self.profile(recent, low...high)]
        result.message = message(last, low, high, context, result)
        // What is said of a curve ends with it, also when the sensor falls silent.
        result.review = [GlucosePrediction.currentFor, Self.urgentFor].map { last.time + $0 }.first { $0 > context.now }
        return result
    }

    /// The share of a fortnight's five-minute intervals, or of the sensor's own, that have a reading.
    private static func active(_ recent: [NumberReading]) -> Double {
        guard recent.count > 100 else { return 0 }
        let gaps = zip(recent, recent.dropFirst()).map { $1.time - $0.time }.filter { $0 > 30 }
        let spacing = min(max(Statistics.median(gaps) ?? 300, 60), 900)
        var slots = Set<Int>(minimumCapacity: recent.count)
        for reading in recent { slots.insert(Int(reading.time / spacing)) }
        return min(1, Double(slots.count) * spacing / (Double(days) * 86_400))
    }

    private func measure(_ recent: [NumberReading], _ low: Double, _ high: Double, _ result: inout ModuleResult) throws {
        let values = recent.map(\.value)
        guard let mean = Statistics.mean(values), let deviation = Statistics.deviation(values),
            let ranges = GlucoseMetrics.Ranges(values, low: low, high: high), let risk = GlucoseMetrics.riskIndices(values)
        else { return }
        let numbers: [(String, Double, Int)] = [
            ("mean", mean, 0), ("time-in-range", ranges.target, 1), ("time-low", ranges.low, 1), ("time-very-low", ranges.veryLow, 1),
            ("time-high", ranges.high, 1), ("time-very-high", ranges.veryHigh, 1),
            ("gmi", GlucoseMetrics.managementIndicator(mean: mean), 1),
            ("variation", 100 * deviation / mean, 1), ("lbgi", risk.low, 2), ("hbgi", risk.high, 2),
            ("low-episodes", Double(GlucoseMetrics.lowEpisodes(recent).count), 0),
        ]
        for (name, value, decimals) in numbers { result.findings[name] = .number(value, decimals) }
        let days = recent.suffix { $0.time > (recent.last?.time ?? 0) - 3 * 86_400 }.map(\.value)
        result.set(
            "mage", GlucoseMetrics.excursions(days), 0,
            else: LocalizedText("the curve has no excursions", de: "die Kurve hat keine Ausschläge", ru: "колебаний нет"))
        result.row(
            LocalizedText("In range, 14 days", de: "Im Zielbereich, 14 Tage", ru: "В диапазоне, 14 дней"), ranges.target, 0, unit: .percent)
        result.row(
            LocalizedText("Below range", de: "Unter dem Bereich", ru: "Ниже диапазона"), ranges.low + ranges.veryLow, 1, unit: .percent)
        result.row(LocalizedText("Variation", de: "Schwankung", ru: "Вариация"), 100 * deviation / mean, 0, unit: .percent)
        result.row(
            LocalizedText("GMI", de: "GMI", ru: "GMI"), GlucoseMetrics.managementIndicator(mean: mean), 1, unit: .percent,
            note: LocalizedText("no HbA1c", de: "kein HbA1c", ru: "не HbA1c"))
    }

    /// The figures of each day that has ended and was covered, at its end.
    private static func observations(_ recent: [NumberReading], _ low: Double, _ high: Double, _ context: ModuleContext)
        -> [DerivedObservation]
    {
        Dictionary(grouping: recent, by: \.day).filter { $0.key < context.today && $0.value.count >= 60 }.sorted { $0.key < $1.key }.flatMap
        { day, readings in
            let values = readings.map(\.value)
            guard let ranges = GlucoseMetrics.Ranges(values, low: low, high: high), let mean = Statistics.mean(values),
                let deviation = Statistics.deviation(values)
            else { return [DerivedObservation]() }
            let time = context.calendar.time(day: day + 1) - 1
            return [
                DerivedObservation("glucose-time-in-range", at: time, ranges.target.rounded(to: 1)),
                DerivedObservation("glucose-variation", at: time, (100 * deviation / mean).rounded(to: 1)),
            ]
        }
    }

    private func predict(_ all: [NumberReading], _ context: ModuleContext, _ result: inout ModuleResult) {
        let prediction = GlucosePrediction(all, now: context.now)
        let reason = LocalizedText(
            "it needs a sensor's curve of a day, up to a quarter of an hour ago",
            de: "dafür braucht es eine Sensorkurve von einem Tag bis vor einer Viertelstunde",
            ru: "нужна кривая сенсора за сутки, не старше четверти часа")
        result.set("next-30-minutes", prediction?.value, 0, else: reason)
        result.set("next-30-minutes-error", prediction?.error, 1, else: reason)
        guard let prediction else { return }
        let (error, staying) = (prediction.error.written(), prediction.errorOfStaying.written())
        result.row(
            LocalizedText("In half an hour", de: "In einer halben Stunde", ru: "Через полчаса"), prediction.value, 0, unit: .unit("mg/dL"),
            note: LocalizedText(
                "error so far ±\(error), of \"it stays\" ±\(staying); not for dosing insulin",
                de: "Fehler bisher ±\(error), von „es bleibt so“ ±\(staying); nicht zum Dosieren von Insulin",
                ru: "ошибка до сих пор ±\(error), при «без изменений» ±\(staying); не для расчёта инсулина"))
    }

    /// Percentiles by the hour of day: the ambulatory glucose profile (R. S. Mazze et al.; consensus 2019).
    private static func profile(_ recent: [NumberReading], _ band: ClosedRange<Double>) -> PageChart {
        let hours = Dictionary(grouping: recent) { $0.second / 3600 }.mapValues { $0.map(\.value).sorted() }
        let lines = [5, 25, 50, 75, 95].map { percent -> PageChart.Line in
            let points = hours.sorted { $0.key < $1.key }.compactMap { hour, values -> [Double]? in
                guard values.count >= 5 else { return nil }
                return Statistics.quantile(sorted: values, Double(percent) / 100).map { [Double(hour) + 0.5, $0] }
            }
            return .init(.unit("\(percent) %"), points)
        }
        return PageChart(
            LocalizedText(
                "Ambulatory glucose profile, 14 days", de: "Ambulantes Glukoseprofil, 14 Tage", ru: "Амбулаторный профиль глюкозы, 14 дней"),
            axis: .hour, unit: "mg/dL", lines: lines, band: band)
    }

    /// The seconds for which a low reading asks for something to be done.
    private static let urgentFor = 1800.0

    private func message(
        _ last: NumberReading, _ low: Double, _ high: Double, _ context: ModuleContext, _ result: ModuleResult
    ) -> ModuleMessage? {
        if context.now - last.time < Self.urgentFor, last.value < 70 {
            let value = last.value.written()
            let text = LocalizedText(
                "Glucose \(value) mg/dL is low. Take 15 g of sugar and measure again in 15 minutes.",
                de: "Blutzucker \(value) mg/dL ist niedrig. 15 g Zucker nehmen und in 15 Minuten neu messen.",
                ru: "Глюкоза \(value) мг/дл — низкая. Примите 15 г сахара и измерьте снова через 15 минут.")
            // Level 2: who cannot swallow must be given nothing.
            let help = LocalizedText(
                "Do not stay alone; who is drowsy must not be given anything by mouth: call emergency services.",
                de: "Nicht allein bleiben; wer benommen ist, darf nichts in den Mund bekommen: Notruf wählen.",
                ru: "Не оставайтесь в одиночестве; при спутанности ничего не давать через рот и вызвать скорую.")
            return last.value < 54
                ? ModuleMessage(.warning, "very-low", LocalizedText.joined([text, help], by: " ")) : ModuleMessage(.warning, "low", text)
        }
        guard case .value(.number(let share))? = result.findings["time-in-range"] else { return nil }
        let written = share.written()
        return ModuleMessage(
            .info, "in-range",
            LocalizedText(
                "In range \(written) % of 14 days.", de: "\(written) % von 14 Tagen im Zielbereich.",
                ru: "В диапазоне \(written) % из 14 дней."))
    }
}
