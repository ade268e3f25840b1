import Glibc

/// The bytes of an open file, read in order.
///
/// Reads rather than maps: a file that is cut while it is mapped kills the process.
package final class FileSource: ByteSource {
    private let descriptor: Int32
    private let name: String

    /// Opens the file.
    /// - Throws: `ImportError` with the system's reason.
    package init(path: String) throws(ImportError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        let reason = errno
        name = path
        guard descriptor >= 0 else { throw ImportError(.source, "cannot open \(path): \(String(cString: strerror(reason)))") }
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    }

    deinit { close(descriptor) }

    package func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + offset, limit) }
            let reason = errno
            if count >= 0 { return count }
            guard reason == EINTR else { throw ImportError(.source, "cannot read \(name): \(String(cString: strerror(reason)))") }
        }
    }
}
