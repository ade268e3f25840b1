/// A place in a text file, for a message that an editor can jump to.
package struct SourcePosition: Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1; LF, CR, CRLF, U+2028 and U+2029 end a line.
    package var line: Int
    /// Counted from 1, in Unicode scalars.
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// `line:column`.
    package var description: String { "\(line):\(column)" }
}
