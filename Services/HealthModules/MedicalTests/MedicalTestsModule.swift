import Foundation
import ServiceKit
package import VigilSchema

/// Laboratory results: what lies outside its reference range, and what has changed more than chance explains.
package struct MedicalTestsModule: HealthModule {
    package init() {}

    package let identity = ModuleIdentity(
        id: "medical-tests", name: LocalizedText("Medical tests", de: "Laborwerte", ru: "Анализы"),
        description: LocalizedText(
            "Laboratory results against their reference ranges and against the ones before.",
            de: "Laborwerte gegen ihre Referenzbereiche und gegen die früheren.",
            ru: "Результаты анализов относительно норм и прежних значений."),
        drawing: #"<path d="M48 16h24M52 16v34L28 94a8 8 0 0 0 7 12h50a8 8 0 0 0 7-12L68 50V16"/><path d="M40 78h40"/>"#)
    package let inputs: [ModuleInput] = []
    package let entryKinds: Set<TimelineEntry.Kind> = [.result]
    package let outputs = ["test-result-flag"]
    package let parameters: [ModuleParameter] = [
        .value(
            "tests", .integer,
            LocalizedText(
                "Tests of which the last result is known.", de: "Tests, deren letztes Ergebnis bekannt ist.",
                ru: "Анализы с известным последним результатом.")),
        .value(
            "outside", .integer,
            LocalizedText(
                "Tests whose last result lies outside its range.", de: "Tests, deren letztes Ergebnis außerhalb liegt.",
                ru: "Анализы с последним результатом вне нормы.")),
        .value("outside-list", .text, LocalizedText("Their names.", de: "Ihre Namen.", ru: "Их названия.")),
        .value(
            "changed-list", .text,
            LocalizedText(
                "Tests that changed by more than the reference change value.",
                de: "Tests, die sich um mehr als den Referenzänderungswert geändert haben.",
                ru: "Анализы, изменившиеся сильнее критического различия.")),
    ]

    /// A result that can be judged.
    private struct Judged {
        let test: LaboratoryTest
        let time: Double
        let value: Double
        let range: (low: Double?, high: Double?)?

        var flag: String? {
            guard let range else { return nil }
            if let low = range.low, value < low { return "low" }
            if let high = range.high, value > high { return "high" }
            return nil
        }
    }

    package func evaluate(_ context: ModuleContext) throws -> ModuleResult {
        var result = ModuleResult()
        let judged = try context.record.entries(of: .result).filter { $0.time.seconds <= context.now }.compactMap { judge($0, context) }
        let byTest = Dictionary(grouping: judged, by: { $0.test.id }).mapValues { $0.sorted { $0.time < $1.time } }
        result.findings["tests"] = .number(Double(byTest.count), 0)
        guard !byTest.isEmpty else {
            result.unknown(
                ["outside", "outside-list", "changed-list"],
                LocalizedText(
                    "no result of a test that is known", de: "kein Ergebnis eines bekannten Tests", ru: "нет результатов известных анализов"
                ))
            return result
        }
        var (outside, changed): ([String], [String]) = ([], [])
        for (id, results) in byTest.sorted(by: { $0.key < $1.key }) {
            guard let last = results.last else { continue }
            if let flag = last.flag {
                outside.append("\(id) \(flag)")
                result.observations.append(DerivedObservation("test-result-flag", at: last.time, text: "\(id) \(flag)"))
            }
            let change = results.dropLast().last.map { 100 * (last.value - $0.value) / max(abs($0.value), 1e-9) }
            if let change, abs(change) > last.test.referenceChange { changed.append("\(id) \(change > 0 ? "+" : "")\(change.written()) %") }
            show(last, change, &result)
        }
        result.findings["outside"] = .number(Double(outside.count), 0)
        result.findings["outside-list"] = .text(outside.joined(separator: ", "))
        result.findings["changed-list"] = .text(changed.joined(separator: ", "))
        if !outside.isEmpty {
            let names = outside.joined(separator: ", ")
            result.message = ModuleMessage(
                .info, "outside",
                LocalizedText(
                    "Outside the reference range: \(names).", de: "Außerhalb des Referenzbereichs: \(names).",
                    ru: "Вне референсных значений: \(names)."))
        }
        return result
    }

    /// Nil for what is no number, or has a unit that the test does not have.
    private func judge(_ entry: TimelineEntry, _ context: ModuleContext) -> Judged? {
        guard let value = entry.value, value.isFinite, let test = LaboratoryTest.of(entry) else { return nil }
        let age = context.profile.age(at: entry.time)
        // A laboratory's own range is in the unit in which it wrote.
        if let own = entry.detail.flatMap(writtenRange) {
            guard let scale = test.converted(1, from: entry.unit) else { return nil }
            return Judged(
                test: test, time: entry.time.seconds, value: value * scale, range: (own.low.map { $0 * scale }, own.high.map { $0 * scale })
            )
        }
        guard let converted = test.converted(value, from: entry.unit) else { return nil }
        let range = context.profile.isPregnant == true ? nil : test.range(sex: context.profile.sex, age: age)
        return Judged(test: test, time: entry.time.seconds, value: converted, range: range)
    }

    private func show(_ last: Judged, _ change: Double?, _ result: inout ModuleResult) {
        let value = last.value.written(last.value < 10 ? 2 : 1)
        var notes: [LocalizedText] = []
        if let range = last.range {
            let text = "\(range.low.map { $0.written(1).point } ?? "")–\(range.high.map { $0.written(1).point } ?? "")"
            notes.append(LocalizedText("range \(text)", de: "Bereich \(text)", ru: "норма \(text)"))
            if let flag = last.flag {
                notes.append(
                    flag == "low" ? LocalizedText("low", de: "niedrig", ru: "низко") : LocalizedText("high", de: "hoch", ru: "высоко"))
            }
        } else {
            notes.append(LocalizedText("no range for this person", de: "kein Bereich für diese Person", ru: "для этого человека нормы нет"))
        }
        if let change {
            let (percent, limit) = (change.written(), last.test.referenceChange.written())
            notes.append(
                LocalizedText(
                    "\(percent) % since the last; chance explains \(limit) %",
                    de: "\(percent) % seit dem letzten; Zufall erklärt \(limit) %",
                    ru: "\(percent) % с прошлого раза; случайностью объясняется \(limit) %"))
        }
        let unit = last.test.unit
        result.rows.append(
            PageRow(
                LocalizedText.unit(last.test.id),
                LocalizedText("\(value.point) \(unit)", de: "\(value.comma) \(unit)", ru: "\(value.comma) \(unit)"),
                note: LocalizedText.joined(notes)))
    }
}
