/// What has become of one file.
package struct FileOutcome: Hashable, Sendable {
    /// Its entry in the ledger.
    package var entry: LedgerEntry
    /// What has become of its cells.
    package var account: Account
    /// It was imported before, and has not been read again.
    package var isKnown = false
    /// How many batches an earlier, interrupted run had confirmed.
    package var resumedAt = 0
}
