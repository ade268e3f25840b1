/// Is told how an import goes on. Called from several tasks, for several files at once.
package protocol ImportReporter: Sendable {
    /// A file is going to be read by a profile; or, with `isKnown`, is not, as it was imported before.
    func began(_ file: ImportFile, survey: FileSurvey, entry: LedgerEntry)
    /// So far.
    func advanced(_ file: ImportFile, offset: Int, account: Account)
    /// All of it is in.
    func finished(_ file: ImportFile, outcome: FileOutcome)
    /// It could not be imported, or not to its end.
    func failed(_ file: ImportFile, error: ImportError)
}
