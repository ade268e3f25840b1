/// How one file ended.
enum FileResult: Sendable {
    case finished(FileOutcome)
    case failed(ImportError)
}

/// What has become of all files of a run.
package struct ImportSummary: Sendable {
    /// Files that were read to their ends.
    package private(set) var imported = 0
    /// Files that were imported before.
    package private(set) var known = 0
    /// Files that could not be imported, or not to their ends.
    package private(set) var failures: [ImportError] = []
    /// The cells of the files that were read.
    package private(set) var account = Account()
    /// What the store made of them.
    package private(set) var counts = DeliveryCounts()

    mutating func add(_ result: FileResult) {
        switch result {
        case .failed(let error): failures.append(error)
        case .finished(let outcome) where outcome.isKnown: known += 1
        case .finished(let outcome):
            imported += 1
            account = account + outcome.account
            counts = counts + outcome.entry.counts
        }
    }
}
