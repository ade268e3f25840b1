import Foundation

/// The room on a disk.
package struct DiskSpace: Sendable, Hashable {
    /// How much of it is left, as operators and rules know it.
    package enum Level: String, Sendable, Hashable {
        /// More than a tenth.
        case ample
        /// Less than a tenth.
        case short
        /// Less than a gigabyte, or than a twentieth of a small disk: hours or days, at the usual rate.
        case almostFull = "almost-full"
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

    package var level: Level { free < min(1e9, size / 20) ? .almostFull : free < size / 10 ? .short : .ample }

    /// For people: what is left, and the next step where that is little.
    package var remark: String {
        guard level != .ample else { return "" }
        let (left, all) = (Self.gigabytes(free), Self.gigabytes(size))
        return "\(left) of \(all) GB are free; delete or move what else is on this disk, or shorten the retention"
    }

    private static func gigabytes(_ bytes: Double) -> String { String(format: "%.1f", bytes / 1e9) }
}
