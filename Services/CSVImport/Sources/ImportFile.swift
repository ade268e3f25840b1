/// One file's content, that can be opened more than once and gives the same bytes each time.
package struct ImportFile: Sendable {
    /// What people know it by: its path, its URL, or its archive's path and its name there, after a `!`.
    package let name: String
    /// Its content's length in bytes, where that is told without reading it; for progress.
    package let size: Int?
    /// Opens it at its start.
    package let open: @Sendable () throws(ImportError) -> any ByteSource

    /// Makes a file.
    package init(name: String, size: Int? = nil, open: @escaping @Sendable () throws(ImportError) -> any ByteSource) {
        self.name = name
        self.size = size
        self.open = open
    }

    /// One that cannot be had: opening it throws.
    init(name: String, failure: ImportError) {
        self.init(name: name, size: 0) { () throws(ImportError) in throw failure }
    }

    /// A plain file.
    package init(path: String) {
        self.init(name: path) { () throws(ImportError) in try FileSource(path: path) }
    }
}

/// Why an import, or one file of it, could not go on. Rejected rows are not errors: they are `Reject`s.
///
/// Its message names files, settings and places, never a sensor value.
package struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is; decides the exit code.
    package enum Code: Hashable, Sendable {
        /// A setting, a profile or an argument is wrong.
        case usage
        /// A file, an archive or a download cannot be read.
        case source
        /// The content is in no form that the importer knows.
        case format
        /// The ledger cannot be read or written.
        case ledger
        /// The bus or the store refused or stayed silent.
        case sink
        /// More rejects than `--max-errors` allows.
        case tooManyRejects
    }

    /// What kind of failure it is.
    package let code: Code
    /// What happened, in words, naming what it happened to.
    package let message: String

    /// Makes an error.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
