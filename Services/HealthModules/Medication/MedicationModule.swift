import Foundation
import ServiceKit
package import VigilSchema

/// Medication: what is due, what was taken, adherence, reminders, and missed doses as observations that rules can use.
package struct MedicationModule: HealthModule {
    private static let days = 30

    package init() {}

    package let identity = ModuleIdentity(
        id: "medication", name: LocalizedText("Medication", de: "Medikamente", ru: "Лекарства"),
        description: LocalizedText(
            "Doses that are due and taken, adherence, and reminders.", de: "Fällige und genommene Dosen, Einnahmetreue und Erinnerungen.",
            ru: "Назначенные и принятые дозы, приверженность и напоминания."),
        drawing: #"<rect x="14" y="42" width="92" height="36" rx="18" transform="rotate(-35 60 60)"/><path d="M50 46l20 28"/>"#)
    package let inputs: [ModuleInput] = [.spot("medication-dose", days: 100)]
    package let entryKinds: Set<TimelineEntry.Kind> = [.medication, .regimen]
    package let outputs = ["medication-adherence", "medication-missed"]
    package let parameters: [ModuleParameter] = [
        .setting(
            "plan",
            .text(longest: 2000, example: "metformin 500 mg 08:00 20:00; ramipril 5 mg 08:00") {
                MedicationPlan($0) == nil
                    ? "medications with their times, such as metformin 500 mg 08:00 20:00; ramipril 5 mg 08:00, or nothing" : nil
            },
            LocalizedText(
                "Medications with the times at which they are due.", de: "Medikamente mit den Zeiten, zu denen sie fällig sind.",
                ru: "Лекарства и время приёма.")),
        .setting(
            "remind-after", .integer(0...180), unit: "min", initial: .number(30),
            LocalizedText(
                "Minutes after the due time at which to remind.", de: "Minuten nach Fälligkeit bis zur Erinnerung.",
                ru: "Минут после срока до напоминания.")),
        .setting(
            "missed-after", .integer(30...720), unit: "min", initial: .number(240),
            LocalizedText(
                "Minutes after the due time at which a dose counts as missed.",
                de: "Minuten nach Fälligkeit, ab denen eine Dosis als ausgelassen gilt.",
                ru: "Минут после срока, после которых доза считается пропущенной.")),
        .value(
            "adherence", unit: "%",
            LocalizedText(
                "Doses taken of those due in 30 days.", de: "Genommene von fälligen Dosen in 30 Tagen.",
                ru: "Принято от назначенного за 30 дней.")),
        .value("taken-today", .integer, LocalizedText("Doses taken today.", de: "Heute genommene Dosen.", ru: "Принято сегодня.")),
        .value(
            "due-now", .text,
            LocalizedText(
                "Medications that are due and not taken yet.", de: "Fällige, noch nicht genommene Medikamente.",
                ru: "Пора принять, ещё не принято.")),
        .value("next", .text, LocalizedText("The next due time.", de: "Die nächste fällige Zeit.", ru: "Следующий срок.")),
        .value(
            "missed-week", .integer,
            LocalizedText("Doses missed in seven days.", de: "Ausgelassene Dosen in sieben Tagen.", ru: "Пропущено за семь дней.")),
    ]

    package func evaluate(_ context: ModuleContext) throws -> ModuleResult {
        var result = ModuleResult()
        let doses = try context.texts("medication-dose")
        list(try context.record.entries(of: .medication), context, &result)
        result.findings["taken-today"] = .number(Double(doses.count { $0.day == context.today }), 0)
        guard let plan = MedicationPlan(try context.text("plan")) else {
            result.unknown(
                ["adherence", "due-now", "next", "missed-week"],
                LocalizedText("no plan is set", de: "kein Plan gesetzt", ru: "план не задан"))
            return result
        }
        let remind = (try context.number("remind-after") ?? 30) * 60
        let miss = max((try context.number("missed-after") ?? 240) * 60, remind + 60)
        let due = plan.medications.flatMap { Self.due($0, doses, context) }
        judge(due, remind, miss, context, &result)
        schedule(plan, due, remind, miss, context, &result)
        return result
    }

    /// Of the last thirty days, from the day of the first dose that is known on; today's, where none is.
    private static func due(_ medication: MedicationPlan.Medication, _ doses: [TextReading], _ context: ModuleContext) -> [DueDose] {
        let taken = doses.filter { Self.isDose($0.text, of: medication) }
        let first = max(taken.first?.day ?? context.today, context.today - days + 1)
        guard first <= context.today else { return [] }
        return DueDose.match(medication, taken: taken.map(\.time), days: first...context.today, until: context.now, context.calendar)
    }

    private static func isDose(_ text: String, of medication: MedicationPlan.Medication) -> Bool {
        text.lowercased().split(whereSeparator: \.isWhitespace).first.map { $0 == medication.name } ?? false
    }

    private func judge(_ due: [DueDose], _ remind: Double, _ miss: Double, _ context: ModuleContext, _ result: inout ModuleResult) {
        let settled = due.filter { $0.taken != nil || context.now >= $0.due + miss }
        let missed = settled.filter { $0.taken == nil }
        let adherence = settled.count >= 4 ? 100 * Double(settled.count - missed.count) / Double(settled.count) : nil
        result.set(
            "adherence", adherence, 0,
            else: LocalizedText(
                "it needs four doses that were due", de: "dafür braucht es vier fällige Dosen", ru: "нужны четыре назначенные дозы"))
        result.row(LocalizedText("Taken, 30 days", de: "Genommen, 30 Tage", ru: "Принято, 30 дней"), adherence, 0, unit: .percent)
        result.findings["missed-week"] = .number(Double(missed.count { $0.due > context.now - 7 * 86_400 }), 0)
        result.observations = missed.suffix(100).map {
            DerivedObservation("medication-missed", at: $0.due, text: $0.medication, of: $0.medication)
        }
        if let adherence, let last = settled.map(\.due).max() {
            result.observations.append(DerivedObservation("medication-adherence", at: last, adherence.rounded(to: 1)))
        }
        let waiting = due.filter { $0.taken == nil && context.now >= $0.due && context.now < $0.due + miss }
        result.findings["due-now"] = .text(Set(waiting.map(\.medication)).sorted().joined(separator: ", "))
        let late = Set(waiting.filter { context.now >= $0.due + remind }.map(\.medication)).sorted().joined(separator: ", ")
        let justMissed = Set(missed.filter { context.now < $0.due + miss + 12 * 3600 }.map(\.medication)).sorted().joined(separator: ", ")
        if !late.isEmpty {
            result.message = ModuleMessage(
                .reminder, "due", LocalizedText("Please take: \(late).", de: "Bitte nehmen: \(late).", ru: "Примите, пожалуйста: \(late)."))
        } else if !justMissed.isEmpty {
            result.message = ModuleMessage(
                .reminder, "missed",
                LocalizedText(
                    "Not taken: \(justMissed). Do not take twice as much next time; ask if unsure.",
                    de: "Nicht genommen: \(justMissed). Beim nächsten Mal nicht die doppelte Menge nehmen; im Zweifel fragen.",
                    ru: "Не принято: \(justMissed). Не удваивайте следующую дозу; при сомнениях спросите."))
        }
    }

    /// The next due time, and the next moment at which something changes by the clock alone.
    private func schedule(
        _ plan: MedicationPlan, _ due: [DueDose], _ remind: Double, _ miss: Double, _ context: ModuleContext, _ result: inout ModuleResult
    ) {
        let ahead = plan.medications.flatMap { medication in
            (context.today...context.today + 1).flatMap { day in
                medication.times.map { (context.calendar.time(day: day, second: $0), medication) }
            }
        }.filter { $0.0 > context.now }.min { ($0.0, $0.1.name) < ($1.0, $1.1.name) }
        let moments =
            due.filter { $0.taken == nil }.flatMap { [$0.due + remind, $0.due + miss, $0.due + miss + 12 * 3600] }
            + [ahead?.0].compactMap { $0 }
        result.review = moments.filter { $0 > context.now }.min()
        guard let ahead else { return }
        let time = ClockTime.text(context.calendar.place(of: ahead.0).second)
        result.findings["next"] = .text("\(time) \(ahead.1.description)")
        result.rows.insert(
            PageRow(LocalizedText("Next", de: "Nächste", ru: "Следующая"), LocalizedText.unit("\(time) \(ahead.1.description)")), at: 0)
    }

    private func list(_ entries: [TimelineEntry], _ context: ModuleContext, _ result: inout ModuleResult) {
        for entry in entries.filter({ $0.time.seconds <= context.now && ($0.ends?.seconds ?? .infinity) > context.now }).suffix(20) {
            let since = PersonCalendar.written(context.calendar.day(of: entry.time.seconds))
            result.rows.append(
                PageRow(
                    LocalizedText.unit(entry.description), LocalizedText("since \(since.en)", de: "seit \(since.de)", ru: "с \(since.ru)")))
        }
    }
}
