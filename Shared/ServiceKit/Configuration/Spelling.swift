/// Which known word was probably meant.
enum Spelling {
    /// The known word nearest to `word`, where it is near enough to be worth naming.
    static func nearest(to word: String, among known: [String]) -> String? {
        let limit = max(2, word.count / 3)
        let ranked = known.map { (word: $0, distance: distance(word, $0)) }.filter { $0.distance <= limit }
        return ranked.min { ($0.distance, $0.word) < ($1.distance, $1.word) }?.word
    }

    /// Levenshtein's edit distance.
    static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (index, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let substitution = diagonal + (right[column] == character ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substitution, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
