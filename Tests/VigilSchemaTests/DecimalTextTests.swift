import Testing

@testable import VigilSchema

@Suite("numbers in text")
struct DecimalTextTests {
    @Test(
        "only decimal digits make a number: no hexadecimal, nothing infinite, no blanks",
        arguments: [
            "0x1F", "0x1p3", "-0x2", "inf", "-infinity", "nan", "NaN", "snan", "1e999", "", " 1", "1 ", "1_000", "1,5", "e", "--1", "½",
            "١",
        ])
    func others(text: String) {
        #expect(Double(decimal: text) == nil)
        #expect(Double(decimal: text[...]) == nil)
    }

    @Test("signs, points and exponents belong to it")
    func decimals() {
        #expect(["-1.5e2", "+3", "0.1", ".5", "7E-1"].map { Double(decimal: $0) } == [-150, 3, 0.1, 0.5, 0.7])
    }
}
