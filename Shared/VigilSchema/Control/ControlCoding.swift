import Foundation

/// How control messages are written: JSON with sorted keys, so that equal messages are equal bytes.
enum ControlCoding {
    static func encode(_ message: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(message))
    }
}
