package import VigilSchema

/// One of the shares that a deployment's participants are spread over, so that several replicas of a service divide the work.
///
/// A partition belongs to the share of its number modulo the number of shares, which is fixed for a deployment. Every program computes the same.
package struct Share: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The numbers of shares that a deployment may have: the participants of each share are one filter of the bus.
    package static let counts = [1, 4, 16, 64]

    /// 0 and up.
    package let number: Int
    /// The number of shares that there are.
    package let count: Int

    /// Nil for a number that is none of so many.
    package init?(_ number: Int, of count: Int) {
        guard Self.counts.contains(count), (0..<count).contains(number) else { return nil }
        (self.number, self.count) = (number, count)
    }

    /// All of so many; none for a number that no deployment may have.
    package static func all(of count: Int) -> [Share] { counts.contains(count) ? (0..<count).compactMap { Share($0, of: count) } : [] }

    /// The partitions whose participants are this share's.
    package var partitions: [Partition] { Partition.all.filter { Int($0.number) % count == number } }

    /// The levels of a topic that stand for the share's partitions, in the form that names shares.
    private var levels: String {
        switch count {
        case 1: "+/+/+"
        case 4: "\(number)/+/+"
        case 16: "+/\(String(number, radix: 16))/+"
        default: "+/+/\(partitions[0])"
        }
    }

    /// The live observations of the share's participants. Four levels, rather than a `#`, which is two filters to some brokers.
    package var observations: String { "\(Topic.prefix)observations/\(levels)/+" }
    /// Their numbers and texts.
    package var readings: String { "\(Topic.prefix)observations/\(levels)/readings" }
    /// Their blocks of samples.
    package var waveforms: String { "\(Topic.prefix)observations/\(levels)/waveforms" }
    /// All that is derived from their observations.
    package var derived: String { "\(Topic.prefix)observations/\(levels)/derived" }
    /// Their imported observations.
    package var history: String { "\(Topic.prefix)history/\(levels)" }

    /// For people and client identifiers: `s07`.
    package var description: String { Self.name(of: number) }

    /// The name of the share with a number, however many there are.
    package static func name(of number: Int) -> String { number < 10 ? "s0\(number)" : "s\(number)" }

    /// By number.
    package static func < (left: Share, right: Share) -> Bool { left.number < right.number }
}
