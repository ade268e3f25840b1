package import VigilSchema

/// One of the shares that a deployment's participants are spread over, so that several replicas of a service divide the work.
///
/// A partition belongs to the share of its number modulo the number of shares, which is fixed for a deployment. Every program computes the same.
package struct Share: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The numbers of shares that a deployment may have: every share has at least one partition.
    package static let counts = 1...Partition.count

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

    /// For people and client identifiers: `s07`.
    package var description: String { number < 10 ? "s0\(number)" : "s\(number)" }

    /// By number.
    package static func < (left: Share, right: Share) -> Bool { left.number < right.number }
}
