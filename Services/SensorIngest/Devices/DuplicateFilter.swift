package import VigilSchema

/// Sees a device send the very same readings again and again, as a stuck program does.
///
/// Only readings with times of their own count: those that are stamped on arrival are new each time.
package struct DuplicateFilter: Sendable, Hashable {
    /// After so many equal ones the further ones are held back: the store knows them anyway.
    package static let tolerated = 10
    /// Longer payloads are not compared.
    private static let longest = 4096

    private var digest: UInt64 = 0
    private var first: Timestamp?
    /// The number of repetitions that followed the first one unchanged.
    package private(set) var count = 0

    package init() {}

    /// Takes a message's payload and its first reading's time. True where it is to be held back.
    package mutating func isFlood(_ payload: [UInt8], first time: Timestamp?) -> Bool {
        guard let time, payload.count <= DuplicateFilter.longest else {
            first = nil
            return false
        }
        let digest = DuplicateFilter.digest(payload)
        if time == first, digest == self.digest {
            count += 1
            return count >= DuplicateFilter.tolerated
        }
        (self.digest, first, count) = (digest, time, 0)
        return false
    }

    /// FNV-1a.
    private static func digest(_ bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
}
