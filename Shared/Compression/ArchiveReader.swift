import CArchive

/// Reads the files of an archive (ZIP, tar, 7z; packed by gzip, bzip2, xz or zstd) one after the other, over libarchive, which checks the
/// checksums.
///
/// Threading: used by one task at a time.
@safe package final class ArchiveReader {
    /// One file of the archive.
    package struct Entry: Hashable, Sendable {
        /// The name in the archive, as it is written there: never a path to write to.
        package let name: String
        /// The unpacked length in bytes, where the archive says it.
        package let size: Int?
        /// Reading it takes a password.
        package let isEncrypted: Bool
        /// False for folders, links and devices.
        package let isFile: Bool
    }

    /// The form of the content.
    package enum Form: Sendable {
        /// Files with names.
        case archive
        /// One packed file without a name, as `bzip2` makes it.
        case packed
    }

    private let archive: OpaquePointer
    private static let blockSize = 256 << 10

    /// Opens an archive.
    /// - Throws: `ArchiveError` with libarchive's reason.
    package init(path: String, _ form: Form = .archive) throws(ArchiveError) {
        guard let new = unsafe archive_read_new() else { throw ArchiveError("there is no memory for unpacking") }
        unsafe archive = new
        unsafe archive_read_support_filter_gzip(archive)
        unsafe archive_read_support_filter_bzip2(archive)
        unsafe archive_read_support_filter_xz(archive)
        unsafe archive_read_support_filter_zstd(archive)
        switch form {
        case .archive:
            unsafe archive_read_support_format_zip_seekable(archive)
            unsafe archive_read_support_format_tar(archive)
            unsafe archive_read_support_format_7zip(archive)
        case .packed: unsafe archive_read_support_format_raw(archive)
        }
        guard unsafe archive_read_open_filename(archive, path, ArchiveReader.blockSize) == ARCHIVE_OK else { throw error() }
    }

    deinit { unsafe archive_read_free(archive) }

    /// Moves to the next entry; nil after the last.
    package func next() throws(ArchiveError) -> Entry? {
        var entry: OpaquePointer?
        let code = unsafe vigil_archive_next(archive, &entry)
        if code == ARCHIVE_EOF { return nil }
        guard code >= ARCHIVE_WARN, let entry = unsafe entry else { throw error() }
        return Entry(
            name: unsafe ArchiveReader.name(entry),
            size: unsafe archive_entry_size_is_set(entry) != 0 ? Int(archive_entry_size(entry)) : nil,
            isEncrypted: unsafe archive_entry_is_data_encrypted(entry) != 0, isFile: unsafe vigil_archive_is_file(entry) != 0)
    }

    /// Reads up to `limit` bytes of the present entry to `buffer[offset...]`; 0 only at its end.
    package func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ArchiveError) -> Int {
        precondition(offset >= 0 && limit >= 0 && offset + limit <= buffer.count)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe archive_read_data(archive, bytes.baseAddress.map { unsafe $0 + offset }, limit)
            }
            if count == Int(ARCHIVE_RETRY) { continue }
            guard count >= 0 else { throw error() }
            return count
        }
    }

    private static func name(_ entry: OpaquePointer) -> String {
        if let text = unsafe archive_entry_pathname_utf8(entry) { return unsafe String(cString: text) }
        guard let text = unsafe archive_entry_pathname(entry) else { return "" }
        return unsafe String(cString: text)
    }

    private func error() -> ArchiveError {
        guard let text = unsafe archive_error_string(archive) else { return ArchiveError("the archive is damaged") }
        return ArchiveError(unsafe String(cString: text))
    }
}

/// The reason why an archive could not be read, in libarchive's words.
package struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
