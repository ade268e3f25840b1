import CSVImport

/// Says nothing of an import's progress.
struct SilentReporter: ImportReporter {
    func began(_ file: ImportFile, survey: FileSurvey, entry: LedgerEntry) {}
    func advanced(_ file: ImportFile, offset: Int, account: Account) {}
    func finished(_ file: ImportFile, outcome: FileOutcome) {}
    func failed(_ file: ImportFile, error: ImportError) {}
}
