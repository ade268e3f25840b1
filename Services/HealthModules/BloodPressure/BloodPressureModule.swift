import ServiceKit
import VigilSchema

/// Blood pressure: class of the last reading, average of a week at home, variability, the fall at night.
package struct BloodPressureModule: HealthModule {
    package init() {}

    package let identity = ModuleIdentity(
        id: "blood-pressure", name: LocalizedText("Blood pressure", de: "Blutdruck", ru: "Давление"),
        description: LocalizedText(
            "Class of the last reading, the average of a week at home, variability, and the fall at night.",
            de: "Klasse der letzten Messung, Wochenmittel zu Hause, Schwankung und nächtliche Absenkung.",
            ru: "Класс последнего измерения, среднее за неделю дома, вариабельность и ночное снижение."),
        drawing:
            #"<path d="M60 98C30 74 18 60 18 44a20 20 0 0 1 42-6 20 20 0 0 1 42 6c0 16-12 30-42 54z"/><path d="M30 56h18l8-14 10 26 8-12h16"/>"#
    )
    package let inputs: [ModuleInput] = [.spot("systolic-pressure"), .spot("diastolic-pressure")]
    package let outputs = ["mean-arterial-pressure", "pulse-pressure"]
    package let parameters: [ModuleParameter] = [
        .setting(
            "night-begins", .text(longest: 5, example: "22:00") { ClockTime.seconds($0) == nil ? "a time such as 22:00" : nil },
            initial: .text("22:00"),
            LocalizedText("When the night begins.", de: "Beginn der Nacht.", ru: "Начало ночи.")),
        .setting(
            "night-ends", .text(longest: 5, example: "07:00") { ClockTime.seconds($0) == nil ? "a time such as 07:00" : nil },
            initial: .text("07:00"),
            LocalizedText("When the night ends.", de: "Ende der Nacht.", ru: "Конец ночи.")),
        .value(
            "systolic", unit: "mm[Hg]",
            LocalizedText("Last systolic pressure.", de: "Letzter systolischer Druck.", ru: "Последнее систолическое.")),
        .value(
            "diastolic", unit: "mm[Hg]",
            LocalizedText("Last diastolic pressure.", de: "Letzter diastolischer Druck.", ru: "Последнее диастолическое.")),
        .value(
            "category-american", .text,
            LocalizedText(
                "Class of the last reading, ACC/AHA 2017.", de: "Klasse der letzten Messung, ACC/AHA 2017.",
                ru: "Класс последнего измерения, ACC/AHA 2017.")),
        .value(
            "category-european", .text,
            LocalizedText(
                "Class of the last reading, ESC 2024, as in the office.", de: "Klasse der letzten Messung, ESC 2024, wie in der Praxis.",
                ru: "Класс последнего измерения, ESC 2024, как в кабинете врача.")),
        .value(
            "mean-arterial", unit: "mm[Hg]",
            LocalizedText("Mean arterial pressure.", de: "Mittlerer arterieller Druck.", ru: "Среднее артериальное давление.")),
        .value("pulse-pressure", unit: "mm[Hg]", LocalizedText("Pulse pressure.", de: "Pulsdruck.", ru: "Пульсовое давление.")),
        .value(
            "home-systolic", unit: "mm[Hg]",
            LocalizedText(
                "Systolic average of a week at home, first day left out.", de: "Systolisches Wochenmittel zu Hause ohne ersten Tag.",
                ru: "Среднее систолическое за неделю дома без первого дня.")),
        .value(
            "home-diastolic", unit: "mm[Hg]",
            LocalizedText(
                "Diastolic average of a week at home, first day left out.", de: "Diastolisches Wochenmittel zu Hause ohne ersten Tag.",
                ru: "Среднее диастолическое за неделю дома без первого дня.")),
        .value(
            "home-category", .text,
            LocalizedText(
                "Class of the week's average, ESC 2024, at home.", de: "Klasse des Wochenmittels, ESC 2024, zu Hause.",
                ru: "Класс среднего за неделю, ESC 2024, дома.")),
        .value(
            "morning-systolic", unit: "mm[Hg]",
            LocalizedText(
                "Systolic average of the week's mornings.", de: "Systolisches Mittel der Morgen.", ru: "Среднее систолическое по утрам.")),
        .value(
            "evening-systolic", unit: "mm[Hg]",
            LocalizedText(
                "Systolic average of the week's evenings.", de: "Systolisches Mittel der Abende.", ru: "Среднее систолическое по вечерам.")),
        .value(
            "variability", unit: "mm[Hg]",
            LocalizedText(
                "Standard deviation of the systolic pressure in 30 days.", de: "Standardabweichung des systolischen Drucks in 30 Tagen.",
                ru: "Стандартное отклонение систолического за 30 дней.")),
        .value(
            "real-variability", unit: "mm[Hg]",
            LocalizedText(
                "Average real variability of the systolic pressure in 30 days.",
                de: "Mittlere reale Variabilität des systolischen Drucks in 30 Tagen.",
                ru: "Средняя реальная вариабельность систолического за 30 дней.")),
        .value(
            "night-dip", unit: "%",
            LocalizedText(
                "Fall of the systolic pressure at night.", de: "Nächtliche Absenkung des systolischen Drucks.",
                ru: "Ночное снижение систолического.")),
        .value(
            "night-pattern", .text,
            LocalizedText(
                "Pattern of the night: extreme, dipping, reduced, rising.", de: "Muster der Nacht: extreme, dipping, reduced, rising.",
                ru: "Тип ночи: extreme, dipping, reduced, rising.")),
    ]

    package func evaluate(_ context: ModuleContext) throws -> ModuleResult {
        var result = ModuleResult()
        let readings = PressureReading.pairs(try context.readings("systolic-pressure"), try context.readings("diastolic-pressure"))
        guard let last = readings.last else {
            let reason = LocalizedText("no blood pressure is known", de: "kein Blutdruck bekannt", ru: "давление не измерено")
            result.unknown(parameters.filter { $0.accepts == nil }.map(\.name), reason)
            return result
        }
        result.findings["systolic"] = .number(last.systolic, 0)
        result.findings["diastolic"] = .number(last.diastolic, 0)
        result.findings["mean-arterial"] = .number(last.meanArterial, 1)
        result.findings["pulse-pressure"] = .number(last.pulsePressure, 0)
        result.observations = readings.suffix(30).flatMap {
            [
                DerivedObservation("mean-arterial-pressure", at: $0.time, $0.meanArterial.rounded(to: 1)),
                DerivedObservation("pulse-pressure", at: $0.time, $0.pulsePressure),
            ]
        }
        let category = try classify(last, context, &result)
        // A week of last year says nothing of this one.
        home(readings.filter { $0.day > context.today - 30 }, isClassed: category != nil, &result)
        try spread(readings.filter { $0.day > last.day - 30 }, context, &result)
        show(last, category, readings, &result)
        result.message = category.flatMap { message(last, $0, context) }
        result.review = [Self.urgentFor, Self.currentFor].map { last.time + $0 }.first { $0 > context.now }
        return result
    }

    private static let notClassed = LocalizedText(
        "the classes are for adults who are not pregnant", de: "die Klassen gelten für nicht schwangere Erwachsene",
        ru: "классы — для небеременных взрослых")
    /// The seconds for which somebody should look at a reading at once, and those for which it speaks for the person.
    private static let (urgentFor, currentFor) = (86_400.0, 30.0 * 86_400)

    private func classify(_ last: PressureReading, _ context: ModuleContext, _ result: inout ModuleResult) throws -> PressureCategory? {
        guard context.years ?? 18 >= 18, context.profile.isPregnant != true else {
            result.unknown(["category-american", "category-european"], Self.notClassed)
            return nil
        }
        let category = PressureCategory.american(last.systolic, last.diastolic)
        result.findings["category-american"] = .text(category.rawValue)
        result.findings["category-european"] = .text(PressureCategory.europeanOffice(last.systolic, last.diastolic).rawValue)
        return category
    }

    private func home(_ readings: [PressureReading], isClassed: Bool, _ result: inout ModuleResult) {
        let reason = LocalizedText(
            "it needs three days in a week of the last thirty days, with eight readings after the first day",
            de: "dafür braucht es drei Tage einer Woche der letzten dreißig Tage, mit acht Messungen nach dem ersten Tag",
            ru: "нужны три дня недели за последние тридцать дней и восемь измерений после первого дня")
        let average = HomeAverage(readings)
        result.set("home-systolic", average?.systolic, 0, else: reason)
        result.set("home-diastolic", average?.diastolic, 0, else: reason)
        result.set("morning-systolic", average?.morning?.systolic, 0, else: reason)
        result.set("evening-systolic", average?.evening?.systolic, 0, else: reason)
        guard let average else { return result.unknown(["home-category"], reason) }
        let category = isClassed ? PressureCategory.europeanHome(average.systolic, average.diastolic) : nil
        result.findings["home-category"] = category.map { .text($0.rawValue) } ?? .unknown(Self.notClassed)
        let value = "\(average.systolic.written())/\(average.diastolic.written())"
        result.rows.append(
            PageRow(
                LocalizedText("Week at home", de: "Woche zu Hause", ru: "Неделя дома"),
                LocalizedText("\(value) mmHg", de: "\(value) mmHg", ru: "\(value) мм рт. ст."), note: category?.text))
    }

    private func spread(_ recent: [PressureReading], _ context: ModuleContext, _ result: inout ModuleResult) throws {
        let systolic = recent.map(\.systolic)
        let reason = LocalizedText(
            "it needs ten readings in 30 days", de: "dafür braucht es zehn Messungen in 30 Tagen", ru: "нужны десять измерений за 30 дней")
        result.set("variability", systolic.count >= 10 ? Statistics.deviation(systolic) : nil, 1, else: reason)
        result.set("real-variability", systolic.count >= 10 ? averageRealVariability(systolic) : nil, 1, else: reason)
        let (from, until) = (
            ClockTime.seconds(try context.text("night-begins")) ?? 0, ClockTime.seconds(try context.text("night-ends")) ?? 0
        )
        let isNight = { (second: Int) in from < until ? (from..<until).contains(second) : second >= from || second < until }
        // Two days, as a monitor worn around the clock gives.
        let around = recent.filter { $0.time > (recent.last?.time ?? 0) - 2 * 86_400 }
        let dip = NightDip.percent(
            day: around.filter { !isNight($0.second) }.map(\.systolic), night: around.filter { isNight($0.second) }.map(\.systolic))
        let noNight = LocalizedText(
            "it needs 20 readings by day and 7 at night within two days",
            de: "dafür braucht es 20 Messungen am Tag und 7 in der Nacht in zwei Tagen",
            ru: "нужны 20 измерений днём и 7 ночью за двое суток")
        result.set("night-dip", dip, 1, else: noNight)
        result.findings["night-pattern"] = dip.map { .text(NightDip.pattern($0)) } ?? .unknown(noNight)
    }

    private func show(_ last: PressureReading, _ category: PressureCategory?, _ readings: [PressureReading], _ result: inout ModuleResult) {
        let value = "\(last.systolic.written())/\(last.diastolic.written())"
        result.rows.insert(
            PageRow(
                LocalizedText("Last reading", de: "Letzte Messung", ru: "Последнее измерение"),
                LocalizedText("\(value) mmHg", de: "\(value) mmHg", ru: "\(value) мм рт. ст."), note: category?.text), at: 0)
        result.charts = [
            PageChart(
                LocalizedText("Blood pressure", de: "Blutdruck", ru: "Давление"), unit: "mm[Hg]",
                lines: [
                    .init(
                        LocalizedText("systolic", de: "systolisch", ru: "систолическое"),
                        readings.suffix(200).map { [$0.time, $0.systolic] }),
                    .init(
                        LocalizedText("diastolic", de: "diastolisch", ru: "диастолическое"),
                        readings.suffix(200).map { [$0.time, $0.diastolic] }),
                ])
        ]
    }

    /// Warns of what was measured within a day: what an import brings from years ago alarms nobody. What is older than a month speaks for nobody.
    private func message(_ last: PressureReading, _ category: PressureCategory, _ context: ModuleContext) -> ModuleMessage? {
        let age = context.now - last.time
        guard age < Self.currentFor else { return nil }
        let value = "\(last.systolic.written())/\(last.diastolic.written())"
        guard category == .severe, age < Self.urgentFor else {
            return ModuleMessage(
                .info, category.rawValue,
                LocalizedText(
                    "\(value) mmHg: \(category.text.en).", de: "\(value) mmHg: \(category.text.de).",
                    ru: "\(value) мм рт. ст.: \(category.text.ru)."))
        }
        return ModuleMessage(
            .warning, "severe",
            LocalizedText(
                "\(value) mmHg is severely raised. Rest five minutes and measure again; with chest pain, breathlessness or palsy call emergency services.",
                de:
                    "\(value) mmHg ist stark erhöht. Fünf Minuten ruhen und neu messen; bei Brustschmerz, Atemnot oder Lähmung den Notruf wählen.",
                ru:
                    "\(value) мм рт. ст. — резко повышено. Отдохните пять минут и измерьте снова; при боли в груди, одышке или параличе вызовите скорую."
            ))
    }
}
