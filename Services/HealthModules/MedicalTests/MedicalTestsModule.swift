import Foundation
import ServiceKit
package import VigilSchema

/// Laboratory results: what lies outside its reference range, and what has changed more than chance explains.
package struct MedicalTestsModule: HealthModule {
    package init() {}

    package let identity = ModuleIdentity(
        id: "medical-tests", version: "1.1", name: LocalizedText("Medical tests", de: "Laborwerte", ru: "Анализы"),
        description: LocalizedText(
            "Laboratory results against their reference ranges and against the ones before.",
            de: "Laborwerte gegen ihre Referenzbereiche und gegen die früheren.",
            ru: "Результаты анализов относительно норм и прежних значений."),
        drawing: #"<path d="M48 16h24M52 16v34L28 94a8 8 0 0 0 7 12h50a8 8 0 0 0 7-12L68 50V16"/><path d="M40 78h40"/>"#)
    /// Results that came as readings, from FHIR, tables and devices.
    package let inputs: [ModuleInput] = LaboratoryTest.all.map { .spot($0.id) }
    /// Results that were entered, or came as entries.
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
        .value(
            "without-range", .integer,
            LocalizedText(
                "Tests for which there is no range for this person.", de: "Tests ohne Bereich für diese Person.",
                ru: "Анализы, для которых нет нормы для этого человека.")),
        .value(
            "left-out", .integer,
            LocalizedText(
                "Results of known tests without a unit, or with one that cannot be right.",
                de: "Ergebnisse bekannter Tests ohne Einheit oder mit einer, die nicht stimmen kann.",
                ru: "Результаты известных анализов без единицы или с неверной единицей.")),
    ]

    package func evaluate(_ context: ModuleContext) throws -> ModuleResult {
        var result = ModuleResult()
        let record = try LaboratoryRecord(context)
        result.findings["tests"] = .number(Double(record.series.count), 0)
        result.findings["left-out"] = .number(Double(record.leftOut), 0)
        guard !record.series.isEmpty else {
            result.unknown(
                ["outside", "outside-list", "changed-list", "without-range"],
                LocalizedText(
                    "no result of a test that is known", de: "kein Ergebnis eines bekannten Tests", ru: "нет результатов известных анализов"
                ))
            return result
        }
        let outside = record.series.filter { $0.last.flag != nil }
        for series in outside { flag(series.last, &result) }
        for series in record.series { show(series, &result) }
        result.findings["outside"] = .number(Double(outside.count), 0)
        result.findings["outside-list"] = .text(
            outside.compactMap { series in series.last.flag.map { "\(series.test.id) \($0)" } }.joined(separator: ", "))
        result.findings["changed-list"] = .text(
            record.series.compactMap { series in
                series.notableChange.map { "\(series.test.id) \($0 > 0 ? "+" : "")\($0.written()) %" }
            }.joined(separator: ", "))
        result.findings["without-range"] = .number(Double(record.series.count { $0.last.range == nil }), 0)
        result.message = message(outside, context)
        return result
    }

    private func flag(_ judged: LaboratoryRecord.Judged, _ result: inout ModuleResult) {
        guard let flag = judged.flag else { return }
        let text = "\(judged.test.id) \(flag)"
        result.observations.append(DerivedObservation("test-result-flag", at: judged.time, text: text, of: judged.test.id))
    }

    /// Far outside and new: somebody should look at once. An old result that was imported only now is no news.
    private func message(_ outside: [LaboratoryRecord.Series], _ context: ModuleContext) -> ModuleMessage? {
        let far = outside.filter { $0.last.isCritical && $0.last.time > context.now - 3 * 86_400 }
        if !far.isEmpty {
            let names = LocalizedText.joined(far.map(\.name), by: ", ")
            return ModuleMessage(
                .warning, "far-outside",
                LocalizedText(
                    "So far outside its range that laboratories call the doctor: \(names.en). Ask the doctor or the laboratory today.",
                    de:
                        "So weit außerhalb des Bereichs, dass Labore ärztlich anrufen: \(names.de). Heute noch ärztlich oder im Labor fragen.",
                    ru: "Настолько вне нормы, что лаборатории звонят врачу: \(names.ru). Спросите врача или лабораторию сегодня."))
        }
        guard !outside.isEmpty else { return nil }
        let names = LocalizedText.joined(outside.map(\.name), by: ", ")
        return ModuleMessage(
            .info, "outside",
            LocalizedText(
                "Outside the reference range: \(names.en). What that means depends on why it was measured; ask whoever ordered it.",
                de: "Außerhalb des Referenzbereichs: \(names.de). Was das heißt, hängt vom Anlass ab; fragen Sie, wer es angeordnet hat.",
                ru: "Вне референсных значений: \(names.ru). Что это значит, зависит от повода; спросите того, кто назначил анализ."))
    }

    private func show(_ series: LaboratoryRecord.Series, _ result: inout ModuleResult) {
        let last = series.last
        let value = last.value.written(last.value < 10 ? 2 : 1)
        var notes: [LocalizedText] = []
        if let range = last.range {
            let text = "\(range.low.map { $0.written(1).point } ?? "")–\(range.high.map { $0.written(1).point } ?? "")"
            let source = range.source.rawValue
            notes.append(LocalizedText("range \(text) (\(source))", de: "Bereich \(text) (\(source))", ru: "норма \(text) (\(source))"))
        } else {
            notes.append(LocalizedText("no range for this person", de: "kein Bereich für diese Person", ru: "для этого человека нормы нет"))
        }
        if last.flag == "low" { notes.append(LocalizedText("low", de: "niedrig", ru: "низко")) }
        if last.flag == "high" { notes.append(LocalizedText("high", de: "hoch", ru: "высоко")) }
        if let change = series.change {
            let limits = series.test.referenceChange
            let (percent, fall, rise) = (change.written(), limits.fall.written(), limits.rise.written())
            notes.append(
                LocalizedText(
                    "\(percent) % since the last; chance explains \(fall) to +\(rise) %",
                    de: "\(percent) % seit dem letzten; Zufall erklärt \(fall) bis +\(rise) %",
                    ru: "\(percent) % с прошлого раза; случайностью объясняется от \(fall) до +\(rise) %"))
        }
        let unit = series.test.unit
        result.rows.append(
            PageRow(
                series.test.title, LocalizedText("\(value.point) \(unit)", de: "\(value.comma) \(unit)", ru: "\(value.comma) \(unit)"),
                note: LocalizedText.joined(notes)))
    }
}
