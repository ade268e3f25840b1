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
