/// Finds the known word that was probably meant by a misspelt one.
package enum Spelling {
    /// `did you mean "…"?`, or nil where nothing known is near.
    package static func suggestion(for word: String, among known: some Sequence<String>) -> String? {
        nearest(to: word, among: known).map { "did you mean \"\($0)\"?" }
    }

    /// The nearest known word, of which at most a third of the letters may differ; of equally near ones the first.
    package static func nearest(to word: String, among known: some Sequence<String>) -> String? {
        let letters = Array(word.lowercased().utf8)
        let limit = max(1, letters.count / 3)
        var best: (word: String, distance: Int)?
        for candidate in known {
            let distance = distance(letters, Array(candidate.lowercased().utf8))
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word
    }

    /// The Damerau–Levenshtein distance (optimal string alignment): insertions, deletions, replacements, swapped neighbours.
    package static func distance<Element: Equatable>(_ left: [Element], _ right: [Element]) -> Int {
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var twoAbove = [Int](repeating: 0, count: right.count + 1)
        var above = Array(0...right.count)
        for row in 1...left.count {
            var current = [row] + [Int](repeating: 0, count: right.count)
            for column in 1...right.count {
                let replaced = above[column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1)
                current[column] = min(replaced, above[column] + 1, current[column - 1] + 1)
                let isSwap = row > 1 && column > 1 && left[row - 1] == right[column - 2] && left[row - 2] == right[column - 1]
                if isSwap { current[column] = min(current[column], twoAbove[column - 2] + 1) }
            }
            (twoAbove, above) = (above, current)
        }
        return above[right.count]
    }
}
