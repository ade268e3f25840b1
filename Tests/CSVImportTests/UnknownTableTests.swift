import Foundation
import Testing

@testable import CSVImport

@Suite("tables that no profile is for")
struct UnknownTableTests {
    /// What `sniff` drafts for a table, read back and used: nil where the readings are right, else what is wrong.
    private func objection(to table: UnknownTable) -> String? {
        do {
            let bytes = Array(table.text.utf8)
            let options = ImportOptions.ofParticipant(nil)
            let file = ImportFile(name: "table.csv") { () throws(ImportError) in MemorySource(bytes) }
            let surveyor = Surveyor(options: options)
            let survey = try surveyor.settled(try surveyor.survey(bytes, path: file.name, drafts: true), file, now: Decoded.now)
            let text = ProfileText(survey.profile, header: survey.header, options: options).json5
            let profile = try ProfileFile.parse(Array(text.utf8), file: "draft.json5")
            return objection(to: try Decoded(file, options: options, profile: profile), table)
        } catch {
            return "\(error)".replacing("\n", with: " ")
        }
    }

    private func objection(to decoded: Decoded, _ table: UnknownTable) -> String? {
        let numbers = decoded.rows.filter { $0.text == nil }.map { UnknownTable.Reading($0.metric, $0.time, $0.value) }
        let wrong = Set(numbers).symmetricDifference(table.readings.union(table.extra))
        let times = decoded.rows.filter { $0.text?.contains(":") == true }
        if let time = times.first { return "a time became the text \(time.metric)" }
        return wrong.min { $0.time < $1.time }.map { "\(numbers.contains($0) ? "has" : "lacks") \($0.metric) \($0.value) at \($0.time)" }
    }

    @Test("drafts a profile that works at once for nine of ten tables")
    func drafts() {
        #expect(UnknownTable.all.count == 60)
        let results = UnknownTable.all.map { ($0.name, objection(to: $0)) }
        for (name, objection) in results { print("| \(name) | \(objection ?? "right") |") }
        let right = results.count { $0.1 == nil }
        print("\(right) of \(results.count) tables are right")
        #expect(right * 10 >= results.count * 9)
    }
}

extension UnknownTable {
    /// Readings of columns that hold two: the lower half of `120/80`.
    var extra: Set<Reading> {
        Set(
            columns.flatMap { column in
                UnknownTable.samples.compactMap { sample -> Reading? in
                    column.cell(sample).contains(where: { $0 == "/" }) && column.metric == "systolic-pressure"
                        ? Reading("diastolic-pressure", sample.time, sample.diastolic) : nil
                }
            })
    }
}
