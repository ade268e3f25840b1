import Testing
import VigilSchema

@testable import CSVImport

@Suite("cells that are no plain number")
struct CellReaderTests {
    private func profile(_ rules: [ColumnRule]) -> Profile {
        var profile = Profile(
            name: "own", title: "own", time: TimeRule(columns: [["time"]], formats: [.unix(unit: 1_000_000)]),
            participant: NameRule(constant: "p"), source: NameRule(constant: "s"))
        profile.columns = rules
        profile.emptyMarks = ["--"]
        return profile
    }

    /// What a cell of a column of that kind gives: its numbers, its text, or why it was refused.
    private func read(_ cell: String, _ rule: ColumnRule) throws -> String {
        let quoted = "\"\(cell.replacing("\"", with: "\"\""))\""
        let decoded = try Decoded("time,c\n1,\(quoted)\n", profile: profile([rule]))
        #expect(decoded.account.accepted + decoded.account.rejected + decoded.account.empty == 1)
        if let reason = decoded.rejects.first?.reason { return "refused: \(reason)" }
        return decoded.rows.first.map { $0.text ?? $0.value.short } ?? "empty"
    }

    private func rule(_ kind: CellKind, metric: String? = "own") -> ColumnRule {
        var rule = ColumnRule(["c"], metric: metric)
        rule.kind = kind
        return rule
    }

    @Test(
        "flags",
        arguments: [
            ("true", "1"), ("YES", "1"), ("False", "0"), ("no", "0"), ("maybe", "refused: this is neither true nor false"), ("--", "empty"),
            (" ", "empty"), ("", "empty"),
        ])
    func flags(cell: String, expected: String) throws { #expect(try read(cell, rule(.flag)) == expected) }

    @Test(
        "whatever it is: a number, a flag, else a text",
        arguments: [("7.5", "7.5"), ("yes", "1"), ("No", "0"), ("red", "red"), (" red ", "red"), ("1,234", "1234"), ("--", "empty")])
    func automatic(cell: String, expected: String) throws { #expect(try read(cell, rule(.automatic)) == expected) }

    @Test("times of day", arguments: [("0:11", "11"), ("1:00 PM", "780"), ("x", "refused: this is not a time of day")])
    func clock(cell: String, expected: String) throws { #expect(try read(cell, rule(.clock)) == expected) }

    private static let noHalf = "refused: these are not two numbers with a slash between"

    @Test(
        "two numbers with a slash between",
        arguments: [
            ("120/80", "120", "80"), (" 120 / 80 mmHg ", "120", "80"), ("120.5 mmHg/80", "120.5", "80"), ("120", noHalf, noHalf),
            ("120/", noHalf, noHalf), ("/80", noHalf, noHalf), ("120/80/60", "120", noHalf), ("a/b", noHalf, noHalf),
        ])
    func halves(cell: String, first: String, second: String) throws {
        #expect(try read(cell, rule(.beforeSlash)) == first)
        #expect(try read(cell, rule(.afterSlash)) == second)
    }

    @Test(
        "a sensor's limit, in the metric's unit",
        arguments: [
            ("<40", "<40"), ("<= 40", "<=40"), (">=400", ">=400"), ("> 400.5", ">400.5"), ("≤40", "≤40"), ("≥40", "≥40"),
            ("<x", "refused: this is not a number"), ("=40", "refused: this is not a number"),
            (
                "low",
                "refused: this stands for a limit of the sensor's, which the file does not tell; a profile says it, as in limits: ['LO=<40']"
            ),
            ("[1,2", "refused: this is an array; a profile of the layout long with samples and period says how far its numbers are apart"),
        ])
    func limits(cell: String, expected: String) throws {
        var glucose = rule(.number, metric: "blood-glucose")
        glucose.unit = "mg/dL"
        #expect(try read(cell, glucose) == expected)
    }

    @Test("a limit in another unit, and the words that a maker writes for it")
    func converted() throws {
        var glucose = rule(.number, metric: "blood-glucose")
        glucose.unit = "mmol/L"
        #expect(try read("<2.2", glucose) == "<39.6352")
        glucose.limits = ["Low=<2.2"]
        #expect(try read("LOW", glucose) == "<2.2")
        var fahrenheit = rule(.number, metric: "body-temperature")
        fahrenheit.unit = "[degF]"
        #expect(try read(">104", fahrenheit) == ">40")
    }

    @Test("a text of 4 KiB is kept whole, and a longer one refused, as every store does")
    func long() throws {
        let text = String(repeating: "é", count: 2 << 10)
        #expect(try read(text, rule(.text)) == text)
        #expect(try read(text + "x", rule(.text)) == "refused: the text is longer than 4096 bytes")
    }

    @Test("a text is one of those that its metric knows")
    func vocabulary() throws {
        let definition = try #require(MetricCatalogue.standard.definitions.first { $0.kind == .text && !$0.vocabulary.isEmpty })
        let known = try #require(definition.vocabulary.sorted().first)
        let column = rule(.text, metric: definition.name)
        #expect(try read(known, column) == known)
        let words = definition.vocabulary.sorted().joined(separator: ", ")
        #expect(try read("otherwise", column) == "refused: this is none of \(words)")
    }
}
