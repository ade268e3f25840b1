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

    /// Its beginning, of at most so many characters and four times as many bytes, as every database can keep it.
    package func kept(characters most: Int) -> String { String(prefix(most)).kept(4 * most) }

    /// Its beginning, of at most so many characters and four times as many bytes, and otherwise just as it is: for what is shown to whoever wrote it.
    package func cut(characters most: Int) -> String {
        let beginning = prefix(most)
        guard beginning.utf8.count > 4 * most else { return String(beginning) }
        var result = UnicodeScalarView()
        var bytes = 0
        for scalar in beginning.unicodeScalars {
            bytes += UTF8.width(scalar)
            if bytes > 4 * most { break }
            result.append(scalar)
        }
        return String(result)
    }

    /// Tells whether it has at most so many characters, and four times as many bytes: a character may be of as many as its author likes.
    package func fits(characters most: Int) -> Bool { utf8.count <= 4 * most && count <= most }
}
