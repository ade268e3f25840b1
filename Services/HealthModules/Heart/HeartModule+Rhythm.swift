import ServiceKit

/// The rhythm, as far as one lead tells: suspicions and counts, never a finding.
extension HeartModule {
    static let rhythmParameters: [ModuleParameter] = [
        .value(
            "rhythm", .text,
            LocalizedText(
                "Rhythm of the last minute that was judged: regular, early-beats or suspected-atrial-fibrillation.",
                de:
                    "Rhythmus der letzten beurteilten Minute: regular, early-beats (frühe Schläge) oder suspected-atrial-fibrillation (Verdacht).",
                ru: "Ритм последней оценённой минуты: regular, early-beats (ранние) или suspected-atrial-fibrillation (подозрение).")),
        .value(
            "rhythm-hours", unit: "h",
            LocalizedText(
                "Hours of the last day in which the rhythm was judged.", de: "Stunden des letzten Tages mit beurteiltem Rhythmus.",
                ru: "Часы последних суток с оценённым ритмом.")),
        .value(
            "ectopy", unit: "%",
            LocalizedText(
                "Share of early and strange beats in the last day.", de: "Anteil früher und fremdartiger Schläge am letzten Tag.",
                ru: "Доля ранних и необычных сокращений за сутки.")),
        .value(
            "ventricular-burden", unit: "%",
            LocalizedText(
                "Share of beats of a strange, broad shape.", de: "Anteil der Schläge von fremder, breiter Form.",
                ru: "Доля сокращений необычной, широкой формы.")),
        .value(
            "ventricular-per-hour", unit: "/h",
            LocalizedText("The same as a count an hour.", de: "Dasselbe je Stunde gezählt.", ru: "То же за час.")),
        .value(
            "supraventricular-burden", unit: "%",
            LocalizedText(
                "Share of early beats of the usual shape.", de: "Anteil früher Schläge von üblicher Form.",
                ru: "Доля ранних сокращений обычной формы.")),
        .value(
            "fibrillation-minutes", unit: "min",
            LocalizedText(
                "Minutes of the week in episodes in which atrial fibrillation is suspected.",
                de: "Minuten der Woche in Episoden mit Verdacht auf Vorhofflimmern.",
                ru: "Минуты недели в эпизодах с подозрением на фибрилляцию предсердий.")),
        .value(
            "fibrillation-minutes-low", unit: "min",
            LocalizedText("The least that it may be.", de: "So wenig kann es sein.", ru: "Самое меньшее.")),
        .value(
            "fibrillation-minutes-high", unit: "min",
            LocalizedText("The most that it may be.", de: "So viel kann es sein.", ru: "Самое большее.")),
        .value(
            "fibrillation-judged", unit: "min",
            LocalizedText(
                "Minutes of the week in which the rhythm was judged.", de: "Minuten der Woche mit beurteiltem Rhythmus.",
                ru: "Минуты недели с оценённым ритмом.")),
    ]

    private static let tooLittle = LocalizedText(
        "it needs half an hour of a good electrocardiogram", de: "dafür braucht es eine halbe Stunde gutes EKG",
        ru: "нужно полчаса хорошей ЭКГ")

    func rhythm(_ record: RhythmRecord, _ context: ModuleContext, _ result: inout ModuleResult) throws {
        lastMinute(record, &result)
        ectopy(record, context, &result)
        fibrillation(record, context, &result)
        daily(record, context, &result)
    }

    private func lastMinute(_ record: RhythmRecord, _ result: inout ModuleResult) {
        let none = LocalizedText(
            "no good electrocardiogram in the last hour", de: "in der letzten Stunde kein gutes EKG", ru: "за последний час нет хорошей ЭКГ"
        )
        result.findings["rhythm"] = record.last.flatMap { $0 == "unknown" ? nil : .text($0) } ?? .unknown(none)
    }

    private func ectopy(_ record: RhythmRecord, _ context: ModuleContext, _ result: inout ModuleResult) {
        let names = ["ectopy", "ventricular-burden", "ventricular-per-hour", "supraventricular-burden", "rhythm-hours"]
        guard let ectopy = record.ectopy(at: context.now) else { return result.unknown(names, Self.tooLittle) }
        result.findings["rhythm-hours"] = .number(ectopy.hours, 1)
        result.findings["ectopy"] = .number(ectopy.ventricularBurden + ectopy.supraventricularBurden)
        result.findings["ventricular-burden"] = .number(ectopy.ventricularBurden)
        result.findings["supraventricular-burden"] = .number(ectopy.supraventricularBurden)
        result.findings["ventricular-per-hour"] = .number(ectopy.ventricular / ectopy.hours, 1)
        let hours = ectopy.hours.written()
        // False ones on recordings that were kept apart: one in 280 beats, one in 140 (stress.md).
        let note = { (least: String) in
            LocalizedText(
                "counted by a program, from one lead, \(hours) h; below \(least) % within its error",
                de: "vom Programm aus einer Ableitung gezählt, \(hours) h; unter \(least) % innerhalb seines Fehlers",
                ru: "посчитано программой по одному отведению, \(hours) ч; менее \(least) % — в пределах ошибки")
        }
        result.row(
            LocalizedText("Strange, broad beats", de: "Fremdartige, breite Schläge", ru: "Необычные широкие сокращения"),
            ectopy.ventricularBurden, 1, unit: .percent, note: note("1"))
        result.row(
            LocalizedText("Early beats", de: "Frühe Schläge", ru: "Ранние сокращения"), ectopy.supraventricularBurden, 1, unit: .percent,
            note: note("2"))
        // Above a tenth of all beats a weak heart has been seen to follow (ESC 2022, ventricular arrhythmias, section 7.1); half a day, as the share
        // swings over the day.
        guard ectopy.ventricularBurden >= 10, ectopy.hours >= 12 else { return }
        // In steps, so that the message stays while it means the same.
        let share = Self.step(ectopy.ventricularBurden, [10, 15, 20, 30, 40, 50])
        result.message = ModuleMessage(
            .info, "many-strange-beats",
            LocalizedText(
                "More than \(share) % of the beats of the last day looked unlike the others. Healthy hearts do that too; so many are worth showing to a "
                    + "doctor.",
                de:
                    "Mehr als \(share) % der Schläge des letzten Tages sahen anders aus als die übrigen. Das kommt auch bei Gesunden vor; so viele sollte "
                    + "man ärztlich zeigen.",
                ru:
                    "Более \(share) % сокращений за сутки отличались от остальных. Так бывает и у здоровых; но столько стоит показать врачу."
            ))
    }

    /// The largest of some steps that a value reaches.
    private static func step(_ value: Double, _ steps: [Int]) -> Int { steps.last { Double($0) <= value } ?? steps.first ?? 0 }

    private func fibrillation(_ record: RhythmRecord, _ context: ModuleContext, _ result: inout ModuleResult) {
        let names = ["fibrillation-minutes", "fibrillation-minutes-low", "fibrillation-minutes-high", "fibrillation-judged"]
        guard let found = record.fibrillation(at: context.now) else { return result.unknown(names, Self.tooLittle) }
        result.findings["fibrillation-minutes"] = .number(Double(found.suspected), 0)
        result.findings["fibrillation-minutes-low"] = .number(found.low.rounded(.down), 0)
        result.findings["fibrillation-minutes-high"] = .number(found.high.rounded(.up), 0)
        result.findings["fibrillation-judged"] = .number(Double(found.judged), 0)
        guard found.suspected > 0 else { return }
        let (minutes, low, high, all) = (found.suspected, Int(found.low.rounded(.down)), Int(found.high.rounded(.up)), found.judged)
        result.rows.append(
            PageRow(
                LocalizedText(
                    "Irregular as in atrial fibrillation", de: "Unregelmäßig wie bei Vorhofflimmern", ru: "Нерегулярно, как при ФП"),
                LocalizedText("\(minutes) of \(all) min", de: "\(minutes) von \(all) min", ru: "\(minutes) из \(all) мин"),
                note: LocalizedText(
                    "in truth \(low) to \(high) min, as the method errs; only an ECG that a doctor reads decides",
                    de: "in Wahrheit \(low) bis \(high) min, denn das Verfahren irrt; erst ein ärztlich gelesenes EKG entscheidet",
                    ru: "на деле от \(low) до \(high) мин: метод ошибается; решает только ЭКГ, прочитанная врачом")))
        let least = Self.step(Double(minutes), [5, 15, 30, 60, 120, 300, 600, 1200, 2400, 4800])
        // A suspicion is no emergency: it waits for the end of the quiet hours.
        result.message = ModuleMessage(
            .reminder, "irregular-rhythm",
            LocalizedText(
                "The heart beat irregularly for more than \(least) minutes of the last week, as in atrial fibrillation. Extrasystoles or a poor signal "
                    + "can look alike. Please have an ECG recorded and read by a doctor.",
                de:
                    "Das Herz schlug in der letzten Woche mehr als \(least) Minuten unregelmäßig, wie bei Vorhofflimmern. Extrasystolen oder ein "
                    + "schlechtes Signal können ebenso aussehen. Bitte ein EKG schreiben und ärztlich lesen lassen.",
                ru:
                    "За последнюю неделю сердце более \(least) минут билось нерегулярно, как при фибрилляции предсердий. Так могут выглядеть и "
                    + "экстрасистолы или плохой сигнал. Пожалуйста, сделайте ЭКГ и покажите её врачу."))
    }

    /// The shares of each day that is over, for the timeline: a week is all that is kept here.
    private func daily(_ record: RhythmRecord, _ context: ModuleContext, _ result: inout ModuleResult) {
        let days = Dictionary(grouping: record.minutes.filter { $0.day < context.today && $0.day > context.today - 7 }, by: \.day)
        for (day, minutes) in days.sorted(by: { $0.key < $1.key }) {
            guard let ectopy = RhythmRecord.Ectopy(minutes) else { continue }
            let end = context.calendar.time(day: day + 1) - 1
            result.observations.append(DerivedObservation("ventricular-burden", at: end, ectopy.ventricularBurden.rounded(to: 2)))
            result.observations.append(DerivedObservation("supraventricular-burden", at: end, ectopy.supraventricularBurden.rounded(to: 2)))
        }
    }
}
