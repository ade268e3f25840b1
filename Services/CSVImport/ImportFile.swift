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
