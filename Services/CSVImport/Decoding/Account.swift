/// What became of a file's cells. Every cell that is neither identity nor time is in exactly one of the four.
package struct Account: Hashable, Sendable {
    /// Rows read, refused ones too.
    package var rows = 0
    /// Cells that became observations.
    package var accepted = 0
    /// Cells that were refused.
    package var rejected = 0
    /// Cells with nothing in them.
    package var empty = 0
    /// Cells of columns and rows that the profile leaves out.
    package var ignored = 0

    /// Nothing yet.
    package init() {}

    /// All of them.
    package var cells: Int { accepted + rejected + empty + ignored }

    /// Both together.
    package static func + (left: Account, right: Account) -> Account {
        var sum = left
        sum.rows += right.rows
        sum.accepted += right.accepted
        sum.rejected += right.rejected
        sum.empty += right.empty
        sum.ignored += right.ignored
        return sum
    }
}
