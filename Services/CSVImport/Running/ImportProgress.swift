/// A file's import while it runs.
struct ImportProgress {
    var entry: LedgerEntry
    var window: ConfirmationWindow
    /// Batches that are sent and unconfirmed.
    var inFlight = 0
    private var written = ContinuousClock.now

    init(entry: LedgerEntry, window: ConfirmationWindow) {
        self.entry = entry
        self.window = window
    }

    /// Whether the ledger should be written again; if so, it counts as written now.
    mutating func isDue(after interval: Duration) -> Bool {
        let now = ContinuousClock.now
        guard now - written >= interval else { return false }
        written = now
        return true
    }
}
