import Glibc

/// The bytes of an open file, or of a part of it, read in order.
///
/// Reads rather than maps: a file that is cut while it is mapped kills the process.
package final class FileSource: ByteSource {
    private let descriptor: Int32
    private let name: String
    private var position: Int
    private let end: Int

    /// Opens the file.
    /// - Parameter range: the part that is read; nil: all of it.
    /// - Throws: `ImportError` with the system's reason.
    package init(path: String, range: Range<Int>? = nil) throws(ImportError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        let reason = errno
        name = path
        position = range?.lowerBound ?? 0
        end = range?.upperBound ?? .max
        guard descriptor >= 0 else { throw ImportError(.source, "cannot open \(path): \(String(cString: strerror(reason)))") }
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    }

    deinit { close(descriptor) }

    package func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        let limit = min(limit, end - position)
        guard limit > 0 else { return 0 }
        while true {
            let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress! + offset, limit, position) }
            let reason = errno
            if count >= 0 {
                position += count
                return count
            }
            guard reason == EINTR else { throw ImportError(.source, "cannot read \(name): \(String(cString: strerror(reason)))") }
        }
    }
}
