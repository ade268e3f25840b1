/// How many refused cells an import bears, as `--max-errors` says it: `100` or `2.5%`.
package enum RejectLimit: Hashable, Sendable {
    /// At most so many.
    case count(Int)
    /// At most so many of a hundred filled cells.
    case percent(Double)

    /// Nil for what is neither.
    package init?(_ text: String) {
        if text.hasSuffix("%") {
            guard let percent = Double(text.dropLast()), (0...100).contains(percent) else { return nil }
            self = .percent(percent)
        } else {
            guard let count = Int(text), count >= 0 else { return nil }
            self = .count(count)
        }
    }

    /// So few cells say nothing of a share.
    private static let leastCells = 1000

    /// Whether it is passed.
    /// - Parameter isAtEnd: all of the file has been read.
    func isExceeded(by account: Account, isAtEnd: Bool) -> Bool {
        switch self {
        case .count(let most): return account.rejected > most
        case .percent(let most):
            let filled = account.accepted + account.rejected
            return (isAtEnd || filled >= RejectLimit.leastCells) && Double(account.rejected) > Double(filled) * most / 100
        }
    }
}
