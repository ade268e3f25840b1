import Foundation

/// The room on a disk.
package struct DiskSpace: Sendable, Hashable {
    /// How much of it is left, as operators and rules know it.
    package enum Level: String, Sendable, Hashable, CaseIterable {
        /// More than a tenth.
        case ample
        /// Less than a tenth.
        case short
        /// Less than a gigabyte, or than a twentieth of a small disk: hours or days, at the usual rate.
        case almostFull = "almost-full"

        /// The larger, the less room.
        fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// Bytes that services may still write.
    package let free: Double
    /// Bytes in all.
    package let size: Double

    package init(free: Double, size: Double) { (self.free, self.size) = (free, size) }

    /// The room where a folder lies; nil where the system does not say.
    package init?(folder: String) {
        guard let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder),
            let free = (attributes[.systemFreeSize] as? NSNumber)?.doubleValue,
            let size = (attributes[.systemSize] as? NSNumber)?.doubleValue, size > 0
        else { return nil }
        self.init(free: free, size: size)
    }

    package var level: Level { level(margin: 1) }

    /// The level after another one. A better one needs a tenth more room, so that a disk at a limit is not told of again and again.
    package func level(after former: Level?) -> Level {
        let now = level
        guard let former, now.rank < former.rank else { return now }
        return level(margin: 1.1)
    }

    private func level(margin: Double) -> Level {
        free < margin * min(1e9, size / 20) ? .almostFull : free < margin * size / 10 ? .short : .ample
    }

    /// The room in words.
    package var description: String { "\(Self.gigabytes(free)) of \(Self.gigabytes(size)) GB are free" }

    /// For people: what is left, and the next step where that is little.
    package var remark: String {
        guard level != .ample else { return "" }
        return "\(description); delete or move what else is on this disk, or shorten the retention"
    }

    private static func gigabytes(_ bytes: Double) -> String { String(format: "%.1f", bytes / 1e9) }
}
