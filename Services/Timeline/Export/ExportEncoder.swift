package import VigilSchema

/// Writes observations in a file format, group after group, in constant memory.
///
/// Bytes are appended to `output`, which the caller empties into a file, a pipe or an encrypting stream as it likes.
package protocol ExportEncoder: Sendable {
    /// What stands before the first group.
    mutating func begin(_ output: inout [UInt8])
    /// One group.
    mutating func add(_ group: ObservationGroup, to output: inout [UInt8]) throws
    /// What stands after the last group.
    mutating func end(_ output: inout [UInt8])
}
