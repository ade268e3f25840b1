import Testing
import VigilSchema

@Suite("Distance between words")
struct WordDistanceTests {
    /// The definition of the distance, as it stands in the books: recursive and slow.
    private func plain(_ left: ArraySlice<Character>, _ right: ArraySlice<Character>) -> Int {
        guard let a = left.last, let b = right.last else { return max(left.count, right.count) }
        var best = min(plain(left.dropLast(), right) + 1, plain(left, right.dropLast()) + 1)
        best = min(best, plain(left.dropLast(), right.dropLast()) + (a == b ? 0 : 1))
        if left.count > 1, right.count > 1, left.dropLast().last == b, right.dropLast().last == a {
            best = min(best, plain(left.dropLast(2), right.dropLast(2)) + 1)
        }
        return best
    }

    @Test("is what the definition says, for all short words of three letters")
    func definition() {
        var words: [[Character]] = [[]]
        for length in 1...3 { words += words.filter { $0.count == length - 1 }.flatMap { word in ["a", "b", "c"].map { word + [$0] } } }
        var wrong: [String] = []
        for left in words {
            for right in words where Spelling.distance(left, right) != plain(left[...], right[...]) {
                wrong.append(String(left) + "/" + String(right))
            }
        }
        #expect(words.count == 40 && wrong.isEmpty, "\(wrong.prefix(5))")
    }

    @Test(
        "counts a swap once, but what is edited again twice",
        arguments: [
            ("ca", "abc", 3), ("abcd", "bacd", 1), ("abcd", "abdc", 1), ("abcd", "badc", 2), ("abcde", "ebcda", 2), ("ab", "", 2),
            ("", "", 0), ("saturday", "sunday", 3),
        ])
    func swaps(left: String, right: String, distance: Int) {
        #expect(Spelling.distance(Array(left), Array(right)) == distance)
        #expect(Spelling.distance(Array(right), Array(left)) == distance)
    }

    @Test(
        "suggests a word of which at most a third of the letters differ, one in any case",
        arguments: [
            ("a", ["b"], "b"), ("ab", ["cd"], nil), ("abc", ["abx"], "abx"), ("abc", ["axx"], nil), ("abcde", ["abcxx"], nil),
            ("abcdef", ["abcdxx"], "abcdxx"), ("abcdef", ["abcxxx"], nil), ("abcdefghi", ["abcdefxxx"], "abcdefxxx"),
            ("ABC", ["abc"], "abc"), ("abc", ["ABX"], "ABX"), ("abc", ["abx", "aby", "abc"], "abc"), ("abc", ["abx", "aby"], "abx"),
            ("abc", [], nil),
        ] as [(String, [String], String?)])
    func suggestion(word: String, known: [String], nearest: String?) {
        #expect(Spelling.nearest(to: word, among: known) == nearest)
        #expect(Spelling.suggestion(for: word, among: known) == nearest.map { "did you mean \"\($0)\"?" })
    }
}
