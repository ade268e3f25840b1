import Testing

@testable import SensorIngest

@Suite("Patterns")
struct GlobTests {
    @Test(
        "fit as a star says, whatever the case of ASCII letters",
        arguments: [
            ("abc", "abc", true), ("abc", "ABC", true), ("ABC", "abc", true), ("abc", "ab", false), ("abc", "abcd", false), ("", "", true),
            ("", "a", false), ("*", "", true), ("*", "anything", true), ("a*", "a", true), ("a*", "abc", true), ("a*", "ba", false),
            ("*c", "c", true), ("*c", "abc", true), ("*c", "abcd", false), ("a*c", "ac", true), ("a*c", "abcbc", true),
            ("a*c", "ab", false),
            ("a*b*c", "a1b2b3c", true), ("a*b*c", "acb", false), ("**", "", true), ("a**c", "abc", true), ("*a*", "bab", true),
            ("*a*", "bbb", false), ("*ab", "aab", true), ("*aab", "aaab", true), ("a*", "", false), ("a", "*", false), ("*b", "bab", true),
            ("ä*", "ÄB", false), ("ä*", "äB", true), ("@[", "@[", true), ("@", "`", false), ("[", "{", false), ("AZ", "az", true),
            ("a*Z", "Abz", true),
            ("x*y*", "xy", true), ("x*y*", "xyy", true), ("*x", "xa", false),
        ])
    func fits(pattern: String, text: String, expected: Bool) {
        #expect(Glob(pattern).matches(text) == expected)
    }

    @Test("agree with a plain recursive reading on every short text and pattern")
    func reference() {
        func fits(_ pattern: Substring, _ text: Substring) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            if first == "*" { return fits(pattern.dropFirst(), text) || !text.isEmpty && fits(pattern, text.dropFirst()) }
            return text.first == first && fits(pattern.dropFirst(), text.dropFirst())
        }
        func words(_ letters: [String], _ length: Int) -> [String] {
            (0..<length).reduce([""]) { all, _ in all + all.flatMap { word in letters.map { word + $0 } } }
        }
        let texts = Set(words(["a", "b"], 4))
        for pattern in Set(words(["a", "b", "*"], 4)) {
            let glob = Glob(pattern)
            for text in texts where glob.matches(text) != fits(pattern[...], text[...]) {
                Issue.record("\(pattern) and \(text)")
            }
        }
    }

    @Test("in a table count in their order, literal or not")
    func table() {
        let table = GlobTable(
            [
                ("A4:C1", "exact"), ("A4:*", "family"), ("A4:C2", "behind"), ("b", "first"), ("B", "second"), ("*z", "end"),
            ].map { (pattern: $0.0, value: $0.1) })
        #expect(table["a4:c1"] == "exact")
        #expect(table["A4:C2"] == "family")
        #expect(table["A4:"] == "family")
        #expect(table["B"] == "first")
        #expect(table["xyZ"] == "end")
        #expect(table["c"] == nil)
        #expect(GlobTable([])["c"] == nil)
        #expect(GlobTable([(pattern: "*", value: "any")])["c"] == "any")
        #expect(GlobTable([(pattern: "c", value: "one")])["C"] == "one")
    }

    @Test("are a literal only without a star")
    func literal() {
        #expect(Glob("AbC").literal == "abc")
        #expect(Glob("a*").literal == nil)
    }
}
