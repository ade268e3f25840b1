package import VigilSchema

/// Sees a device send the very same readings again and again, as a stuck program does.
///
/// Only readings with times of their own count: those that are stamped on arrival are new each time.
package struct DuplicateFilter: Sendable, Hashable {
    /// After so many equal ones that were taken the further ones are held back: the store knows them.
    package static let tolerated = 10
    /// One in so many seconds passes all the same: the store may have been told to forget them since.
    private static let passing = 60.0
    /// Longer payloads are not compared.
    private static let longest = 4096

    private var digest: UInt64 = 0
    private var first: Timestamp?
    /// The number of repetitions that followed the first one unchanged.
    package private(set) var count = 0
    /// The time when one was taken last.
    private var passed: Timestamp?

    package init() {}

    /// Returns whether a message is to be held back, by its payload and its first reading's time; counts it if so.
    package mutating func isFlood(_ payload: [UInt8], first time: Timestamp?, at received: Timestamp) -> Bool {
        guard isSame(payload, time), count + 1 >= DuplicateFilter.tolerated else { return false }
        let wait = passed.map { received.seconds - $0.seconds } ?? .infinity
        guard (0..<Self.passing).contains(wait) else { return false }
        count += 1
        return true
    }

    /// Notes a message that was taken.
    /// - Parameter time: Of its first reading; nil where it has none of its own, and where not all of it was good.
    package mutating func note(_ payload: [UInt8], first time: Timestamp?, at received: Timestamp) {
        guard let time, payload.count <= DuplicateFilter.longest else { return first = nil }
        passed = received
        if isSame(payload, time) {
            count += 1
        } else {
            (digest, first, count) = (DuplicateFilter.digest(payload), time, 0)
        }
    }

    private func isSame(_ payload: [UInt8], _ time: Timestamp?) -> Bool {
        guard let time, time == first, payload.count <= DuplicateFilter.longest else { return false }
        return DuplicateFilter.digest(payload) == digest
    }

    /// FNV-1a.
    private static func digest(_ bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
}
