/// Why compressed data could not be unpacked.
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
