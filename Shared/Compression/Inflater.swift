import CZlib

/// Unpacks deflate data that comes piece by piece: bare (as in ZIP) or with gzip's header and checksum.
///
/// Threading: used by one task at a time.
@safe package final class Inflater {
    /// The way the data is wrapped.
    package enum Wrapping: Int32, Sendable {
        /// Bare deflate data, as ZIP has it.
        case none = -15
        /// gzip, its checksum verified; several members one after the other count as one.
        case gzip = 31
    }

    /// The effect of one step.
    package struct Step: Sendable {
        /// So many bytes of the input were used.
        package var used: Int
        /// So many bytes were written.
        package var written: Int
        /// The data has ended (for gzip: its present member has).
        package var isAtEnd: Bool
    }

    private let stream: UnsafeMutablePointer<z_stream>

    /// - Throws: `InflateError.outOfMemory`.
    package init(_ wrapping: Wrapping) throws(InflateError) {
        let new = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe new.initialize(to: z_stream())
        guard unsafe vigil_inflate_init(new, wrapping.rawValue) == Z_OK else {
            unsafe new.deallocate()
            throw .outOfMemory
        }
        unsafe stream = new
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Unpacks from `input[from..<to]` to `output[offset..<offset + limit]` until either is used up.
    package func step(
        _ input: inout [UInt8], from: Int, to: Int, into output: inout [UInt8], at offset: Int, limit: Int
    ) throws(InflateError) -> Step {
        precondition(from <= to && to <= input.count && offset + limit <= output.count)
        let code = unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe stream.pointee.next_in = input.baseAddress.map { unsafe $0 + from }
                unsafe stream.pointee.avail_in = UInt32(clamping: to - from)
                unsafe stream.pointee.next_out = output.baseAddress.map { unsafe $0 + offset }
                unsafe stream.pointee.avail_out = UInt32(clamping: limit)
                return unsafe inflate(stream, Z_NO_FLUSH)
            }
        }
        guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { throw .corrupt }
        return Step(
            used: to - from - Int(unsafe stream.pointee.avail_in), written: limit - Int(unsafe stream.pointee.avail_out),
            isAtEnd: code == Z_STREAM_END)
    }

    /// Ready for the next member.
    package func reset() { unsafe inflateReset(stream) }
}

/// The reason why compressed data could not be unpacked.
package enum InflateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The data is damaged: not deflate data, or its checksum is wrong.
    case corrupt
    /// There is no memory for the window (32 KiB and a little).
    case outOfMemory

    package var description: String {
        switch self {
        case .corrupt: "the compressed data is damaged"
        case .outOfMemory: "there is no memory for unpacking"
        }
    }
}
