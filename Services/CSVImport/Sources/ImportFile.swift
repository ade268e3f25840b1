import Observability

/// One file's content, that can be opened more than once and gives the same bytes each time.
package struct ImportFile: Sendable {
    /// The name that people know it by: its path, its URL without passwords, or its archive's path and its name there, after a `!`.
    package let name: String
    /// Its content's length in bytes, where that is told without reading it; for progress.
    package let size: Int?
    /// The place in a larger file at which its content starts, for telling places.
    package var start = Start()
    /// Columns of which none of its rows has a value of its own: what stands around a list of a JSON document.
    package var outerColumns: Set<String> = []
    /// Whether files of finer readings are imported with it, which its rows name.
    package var hasBins = false
    /// Whether it is known already that it cannot be had.
    let isMissing: Bool

    /// Lines and bytes that come before.
    package struct Start: Hashable, Sendable {
        var line = 0
        var byte = 0
    }

    /// Opens it at its start.
    package let open: @Sendable () throws(ImportError) -> any ByteSource

    /// Makes a file.
    package init(name: String, size: Int? = nil, open: @escaping @Sendable () throws(ImportError) -> any ByteSource) {
        self.init(name: name, size: size, isMissing: false, open: open)
    }

    /// One that cannot be had: opening it throws.
    init(name: String, failure: ImportError) {
        self.init(name: name, size: 0, isMissing: true) { () throws(ImportError) in throw failure }
    }

    private init(name: String, size: Int?, isMissing: Bool, open: @escaping @Sendable () throws(ImportError) -> any ByteSource) {
        self.name = name
        self.size = size
        self.isMissing = isMissing
        self.open = open
    }

    /// The files, each with whether others among them are its bins: Samsung Health's
    /// `jsons/com.samsung….heart_rate/…` those of `com.samsung….heart_rate.20260305.csv`.
    static func withBins(_ files: [ImportFile]) -> [ImportFile] {
        let folders = Set(
            files.compactMap { file -> Substring? in
                let path = file.name.split { $0 == "/" || $0 == "!" }
                return path.lastIndex(of: "jsons").flatMap { $0 + 1 < path.count ? path[$0 + 1] : nil }
            })
        guard !folders.isEmpty else { return files }
        return files.map { file in
            var file = file
            let name = file.name.split { $0 == "/" || $0 == "!" }.last ?? ""
            file.hasBins = folders.contains { name.hasPrefix("\($0).") }
            return file
        }
    }

    /// A plain file.
    package init(path: String) {
        self.init(name: path) { () throws(ImportError) in try FileSource(path: path) }
    }
}

/// The reason why an import, or one file of it, could not go on. Rejected rows are not errors: they are `RejectedCell`s.
///
/// Its message names files, settings and places, never a sensor value, and holds nothing that a terminal would obey.
package struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure; decides the exit code.
    package enum Code: Hashable, Sendable {
        /// A setting, a profile or an argument is wrong.
        case usage
        /// A file, an archive or a download cannot be read.
        case source
        /// The content is in no form that the importer knows.
        case format
        /// The unit of a column, or the zone of its times, is not known for certain: the user has to say it.
        case ambiguous
        /// The ledger cannot be read or written.
        case ledger
        /// The bus or the store refused or stayed silent.
        case sink
        /// More rejects than `--max-errors` allows.
        case tooManyRejects
    }

    /// The kind of failure.
    package let code: Code
    /// The failure in words, naming what it happened to.
    package let message: String

    /// Makes an error.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }

    package var description: String { message }
}
