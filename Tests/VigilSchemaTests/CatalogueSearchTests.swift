import Testing

@testable import VigilSchema

@Suite("A name looked for in the catalogue")
struct CatalogueSearchTests {
    private let catalogue = MetricCatalogue.standard

    private func index(_ name: [UInt8], in catalogue: MetricCatalogue) -> Int? { catalogue.index(of: name.span, name.indices) }

    private func hasUnit(_ place: Int, _ unit: [UInt8], in catalogue: MetricCatalogue) -> Bool {
        catalogue.hasUnit(place, unit.span, unit.indices)
    }

    @Test("is another one once a single letter of it is changed, wherever in it")
    func changed() {
        for (place, definition) in catalogue.definitions.enumerated() {
            let name = Array(definition.name.utf8), unit = Array(definition.unit.utf8)
            for letter in name.indices {
                var other = name
                other[letter] ^= 0x01
                let known = catalogue.definitions.firstIndex { Array($0.name.utf8) == other }
                #expect(index(other, in: catalogue) == known, "\(definition.name) at \(letter)")
            }
            for letter in unit.indices {
                var other = unit
                other[letter] ^= 0x01
                #expect(!hasUnit(place, other, in: catalogue), "\(definition.unit) at \(letter)")
            }
        }
    }

    @Test("is told apart from one of up to forty letters that differs in one of them")
    func long() {
        for count in 1...40 {
            let name = [UInt8](repeating: UInt8(ascii: "a"), count: count)
            let definition = MetricDefinition(
                name: String(decoding: name, as: UTF8.self), title: "", kind: .value, unit: String(decoding: name, as: UTF8.self),
                code: nil, plausible: nil, vocabulary: [])
            let own = MetricCatalogue([definition])
            #expect(index(name, in: own) == 0 && hasUnit(0, name, in: own))
            for letter in name.indices {
                var other = name
                other[letter] = UInt8(ascii: "b")
                #expect(index(other, in: own) == nil && !hasUnit(0, other, in: own), "\(count) letters, at \(letter)")
            }
            #expect(index(name + [UInt8(ascii: "a")], in: own) == nil)
        }
    }

    @Test("is found at whichever place its definition stands, the first too")
    func rotated() {
        let all = catalogue.definitions
        for place in all.indices {
            let turned = MetricCatalogue(Array(all[place...] + all[..<place]))
            let wrong = turned.definitions.indices.filter { index(Array(turned.definitions[$0].name.utf8), in: turned) != $0 }
            #expect(wrong.isEmpty, "\(all[place].name) first")
        }
    }

    @Test("may have 64 letters with what stands between them, and not one more")
    func length() {
        func padded(_ count: Int) -> String { "heart" + String(repeating: "-", count: count - 9) + "rate" }
        #expect(padded(64).utf8.count == 64)
        #expect(catalogue.definition(for: padded(64))?.name == "heart-rate" && catalogue.definition(for: padded(65)) == nil)
    }

    @Test(
        "is suggested where a quarter of the letters at most is other, one in any case",
        arguments: [
            // Of eight letters two may differ, of ten two be missing, of nine not three, of seven and of four one.
            ("hert-rete", "heart-rate"), ("blood-gluco", "blood-glucose"), ("blood-gluc", nil), ("bodyfit", "body-fat"), ("bxdyfit", nil),
            ("sdn", "heart-rate-variability-sdnn"), ("sdmm", nil), ("hr", nil), ("h2", nil),
        ] as [(String, String?)])
    func suggestions(name: String, meant: String?) {
        #expect(catalogue.suggestion(for: name) == meant)
    }

    @Test(
        "is suggested by the alphabet, of metrics that are as near",
        arguments: [
            ("bmp", "basal-metabolic-rate"), ("bmx", "basal-metabolic-rate"), ("bcg", "blood-glucose"), ("afpower", "hf-power"),
            ("cpm", "blood-glucose"), ("lpm", "heart-rate"), ("bim", "body-mass-index"), ("bpi", "body-mass-index"),
            ("mianhr", "heart-rate"), ("phr", "heart-rate"), ("rpr", "pulse-rate"), ("manhr", "heart-rate"),
            ("hrman", "heart-rate-maximum"),
            ("pri", "perfusion-index"), ("mbi", "blood-glucose"), ("tbi", "body-water"), ("ibp", "diastolic-pressure"),
            ("cbp", "c-reactive-protein"), ("sbw", "body-water"), ("pia", "diastolic-pressure"), ("hgv", "blood-glucose"),
        ])
    func alphabet(name: String, meant: String) {
        #expect(catalogue.suggestion(for: name) == meant)
    }

    @Test("has other names beside its own, which is none of them, in the order of the alphabet")
    func aliases() throws {
        let temperature = try #require(catalogue.definition(named: "body-temperature"))
        #expect(
            catalogue.aliases(of: temperature) == [
                "bodytemp", "corebodytemperature", "coretemperature", "eartemperature", "oraltemperature", "temperaturebody",
            ])
        let note = try #require(catalogue.definition(named: "note"))
        #expect(catalogue.aliases(of: note).isEmpty)
    }
}
