import Glibc

/// Bytes that are read once, from the front to the end: a file, an archive's member, a transcoded text.
///
/// Threading: used by one task at a time.
package protocol ByteSource {
    /// Reads up to `limit` bytes to `buffer[offset...]`, which is large enough.
    /// - Returns: how many were read; 0 only at the end.
    mutating func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int
}

/// Bytes that lie in memory.
package struct MemorySource: ByteSource {
    private let bytes: [UInt8]
    private var position = 0
    private let largestRead: Int

    /// - Parameter largestRead: at most so many bytes a read, so that a test can cut records anywhere.
    package init(_ bytes: [UInt8], largestRead: Int = .max) {
        self.bytes = bytes
        self.largestRead = largestRead
    }

    package mutating func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        let count = min(limit, bytes.count - position, largestRead)
        for index in 0..<count { buffer[offset + index] = bytes[position + index] }
        position += count
        return count
    }
}

extension ByteSource {
    /// Reads until `count` bytes or the end: the start of a file, for looking at.
    package mutating func readStart(_ count: Int) throws(ImportError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let read = try read(into: &buffer, at: filled, limit: count - filled)
            if read == 0 { break }
            filled += read
        }
        buffer.removeLast(count - filled)
        return buffer
    }
}

/// The bytes of an open file, or of a part of it, read in order.
///
/// Reads rather than maps: a file that is cut while it is mapped kills the process.
package final class FileSource: ByteSource {
    private let descriptor: Int32
    private let name: String
    private var position: Int
    private let end: Int
    /// The length of the file in bytes when it was opened.
    let size: Int

    /// Opens the file: a plain one, as others could keep it waiting for ever.
    /// - Parameter range: the part that is read; nil: all of it.
    /// - Throws: `ImportError` with the system's reason.
    package init(path: String, range: Range<Int>? = nil) throws(ImportError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        let reason = errno
        name = path
        position = range?.lowerBound ?? 0
        end = range?.upperBound ?? .max
        var status = stat()
        size = descriptor >= 0 && fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        guard descriptor >= 0 else { throw ImportError(.source, "cannot open \(path): \(String(cString: strerror(reason)))") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ImportError(.source, "\(path) is not a file: `vigil-import - < \(path)` reads a pipe to its end")
        }
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    }

    deinit { close(descriptor) }

    package func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        let limit = min(limit, max(0, end - position))
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
