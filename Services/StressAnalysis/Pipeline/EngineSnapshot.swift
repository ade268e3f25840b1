import Foundation

/// What an engine keeps of the people in memory, each as bytes, for the engine that goes on in its place.
///
/// It is a copy of every detector's inside, so it is read only by a program whose detectors are the same (`layout`), and only whole (a checksum).
package struct EngineSnapshot: Sendable, Hashable {
    /// Rises with every change to what a detector, a track or a participant keeps, but for an optional that is nil where it is missing: then the
    /// former version's snapshots are no longer read.
    static let layout: UInt8 = 2

    /// By participant.
    package var people: [String: [UInt8]]

    /// - Parameter people: as `StressEngine.snapshot()` made them.
    package init(people: [String: [UInt8]] = [:]) { self.people = people }

    static func encode(_ person: Participant) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "+", negativeInfinity: "-", nan: "nan")
        let content = [UInt8](try encoder.encode(person))
        return [layout] + checksum(content) + content
    }

    /// The person; nil for what another version wrote, or what is damaged.
    static func decode(_ bytes: [UInt8]) -> Participant? {
        let content = bytes.dropFirst(9)
        guard bytes.first == layout, !content.isEmpty, checksum(content) == Array(bytes[1..<9]) else { return nil }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(positiveInfinity: "+", negativeInfinity: "-", nan: "nan")
        return try? decoder.decode(Participant.self, from: Data(content))
    }

    /// FNV-1a-64.
    private static func checksum(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return (0..<8).map { UInt8(truncatingIfNeeded: hash >> ($0 * 8)) }
    }
}

extension StressEngine {
    /// Everybody in memory; nil while something waits to be published or kept, which a snapshot would lose.
    package func snapshot() throws -> EngineSnapshot? {
        guard pending.isEmpty, unsaved.isEmpty, erased.isEmpty else { return nil }
        return EngineSnapshot(people: try mapPeople(EngineSnapshot.encode))
    }

    /// Goes on where another engine stopped.
    /// - Returns: the number of people of whom the snapshot could not be read; they begin as after a crash.
    package mutating func resume(_ snapshot: EngineSnapshot) -> Int {
        var unread = 0
        for (name, bytes) in snapshot.people {
            guard let person = EngineSnapshot.decode(bytes) else {
                unread += 1
                continue
            }
            take(over: person, named: name)
        }
        return unread
    }
}
