/// A cell, or a whole row, that was refused.
package struct RejectedCell: Hashable, Sendable {
    /// The line on which the cell stands, from 1.
    package var line: Int
    /// The column on that line at which the cell starts, in characters from 1.
    package var column: Int
    /// The cell's (or row's) offset in the file, in bytes from 0.
    package var offset: Int
    /// The header of the cell's column; nil where the whole row is refused.
    package var field: String?
    /// Why, in words.
    package var reason: String
    /// The row as it stands in the file.
    package var original: String
    /// The cell's `seq`, for importing it once it is corrected.
    package var sequence: Int32
    /// When it was measured, in microseconds since 1970, where the row alone would not tell the same.
    package var time: Int64?
    /// How many filled cells are refused with it: 1, or the row's.
    package var cells: Int
}
