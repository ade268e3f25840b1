extension String {
    /// Its beginning, of at most so many bytes, as every database can keep it: with U+FFFD for NUL, which is no part of PostgreSQL's texts.
    ///
    /// For what somebody chose and nobody has checked. A character may be of as many bytes as its author likes, so that their number bounds nothing.
    package func kept(_ most: Int) -> String {
        var result = UnicodeScalarView()
        var bytes = 0
        for scalar in unicodeScalars {
            let scalar = scalar == "\0" ? "\u{FFFD}" : scalar
            bytes += UTF8.width(scalar)
            if bytes > most { break }
            result.append(scalar)
        }
        return String(result)
    }
}
