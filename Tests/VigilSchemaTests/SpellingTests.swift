import Testing
import VigilSchema

@Suite("The word that was meant")
struct SpellingTests {
    @Test("suggests nothing for a word that is like none")
    func noSuggestion() {
        #expect(Spelling.suggestion(for: "xyz", among: ["above", "below"]) == nil)
        #expect(Spelling.nearest(to: "abov", among: ["below", "above"]) == "above")
        // Two swapped letters count once, wherever they are; of two candidates the nearer wins.
        #expect(Spelling.nearest(to: "aboev", among: ["abxxx", "above"]) == "above")
        #expect(Spelling.nearest(to: "ba", among: ["ab"]) == "ab" && Spelling.nearest(to: "abc", among: ["cba"]) == nil)
        #expect(Spelling.nearest(to: "keepFiringfor", among: ["for", "keepFiringFor"]) == "keepFiringFor")
    }

    @Test(
        "measures the distance between words", arguments: [("", "abc", 3), ("kitten", "sitting", 3), ("same", "same", 0), ("ab", "ba", 1)])
    func distance(left: String, right: String, expected: Int) {
        #expect(Spelling.distance(Array(left), Array(right)) == expected)
        #expect(Spelling.distance(Array(right), Array(left)) == expected)
    }
}
