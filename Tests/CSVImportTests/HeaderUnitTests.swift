import Testing
import VigilSchema

@testable import CSVImport

@Suite("units in headers")
struct HeaderUnitTests {
    @Test(
        "in brackets",
        arguments: [
            ("Weight (lb)", ["Weight", "[lb_av]"]), ("Weight [KG]", ["Weight", "kg"]), ("a (b) (mg/dL)", ["a (b)", "mg/dL"]),
            ("Puff [U/x]", ["Puff", "U/x"]), ("Weight (lb", ["Weight", "[lb_av]"]), ("(lb)", nil), ("Weight ()", nil), ("Weight ( )", nil),
            ("Weight", nil), ("x (12345678901234567890)", ["x", "12345678901234567890"]),
            ("x (12345678901234567890123456789012345678901)", nil),
            ("Temp( ° C )", ["Temp", "Cel"]),
        ] as [(String, [String]?)])
    func brackets(header: String, expected: [String]?) {
        #expect(HeaderUnit.inBrackets(header).map { [$0.name, $0.unit] } == expected)
    }

    @Test(
        "at the end, of two words or one",
        arguments: [
            ("glucose_mg_dl", ["glucose", "mg/dL"]), ("weight-kg", ["weight", "kg"]), ("body weight: kg", ["body weight", "kg"]),
            ("mg_dl", []), ("kg", []), ("weight", []), ("speed.km.h", ["speed", "km/h", "speed km", "h"]), ("a,b", []),
        ])
    func ends(header: String, expected: [String]) {
        #expect(HeaderUnit.atEnd(header).flatMap { [$0.name, $0.unit] } == expected)
    }

    @Test(
        "in a row of their own, where more cells are units than are not",
        arguments: [
            (["", "lb", "°F"], ["", "[lb_av]", "[degF]"]), (["-", "(kg)", "[cm"], ["", "kg", "cm"]),
            (["hh:mm", "kg", "cm"], ["", "kg", "cm"]),
            (["hh:mm", "kg"], nil), (["kg", "5"], nil), (["", ""], nil),
            (["kg", String(repeating: "x", count: 24), "cm"], ["kg", "", "cm"]),
            (["kg", String(repeating: "x", count: 25), "cm"], nil), (["kg", "x1"], nil),
        ] as [([String], [String]?)])
    func row(cells: [String], expected: [String]?) { #expect(HeaderUnit.row(cells) == expected) }

    @Test("of counts and scores, however the file calls what is counted")
    func bare() throws {
        let steps = try #require(MetricCatalogue.standard.definition(named: "steps"))
        for unit in ["1", "{x}", "count", "Counts", "score", "points", "n", "steps", "floors"] {
            #expect(HeaderUnit.bare(unit, for: steps) == steps.unit, "\(unit)")
        }
        #expect(HeaderUnit.bare("kg", for: steps) == nil)
        let weight = try #require(MetricCatalogue.standard.definition(named: "body-weight"))
        #expect(HeaderUnit.bare("1", for: weight) == nil && HeaderUnit.bare("count", for: weight) == nil)
    }

    @Test(
        "in any spelling",
        arguments: [
            (" Kg ", "kg"), ("º C", "Cel"), ("ºF", "[degF]"), ("μg", "ug"), ("µg", "ug"), ("beats / min", "/min"), ("mmHg", "mm[Hg]"),
            ("%", "%"), ("parsec", nil), ("", nil),
        ] as [(String, String?)])
    func canonical(text: String, expected: String?) { #expect(HeaderUnit.canonical(text) == expected) }

    @Test("public codes and names of vital signs; codes that disagree name nothing")
    func codes() {
        #expect(PublicCodes.metric(code: "8867-4") == "heart-rate" && PublicCodes.metric(code: "364075005") == "heart-rate")
        #expect(PublicCodes.metric(code: "") == nil && PublicCodes.metric(code: "0-0") == nil)
        #expect(PublicCodes.metric(codes: ["LOINC": ["8867-4", "0-0"], "SNOMED": ["364075005"]]) == "heart-rate")
        #expect(PublicCodes.metric(codes: ["LOINC": ["8867-4"], "SNOMED": ["27113001"]]) == nil)
        #expect(PublicCodes.metric(codes: [:]) == nil)
        #expect(PublicCodes.metric(description: "Body Mass Index") == "body-mass-index" && PublicCodes.metric(description: "mood") == nil)
    }
}
