import Foundation
package import Observability
import Synchronization

/// The announcements of sensors on disk, so that a restart knows from its first message on what they say.
///
/// What waits in the broker's session for a stopped process comes before the broker tells again what it has retained. The file is a JSON object of
/// payloads by topic, replaced as a whole. Threading: from anywhere.
package final class KeptAnnouncements: Sendable {
    /// A larger file is none of ours.
    private static let largest = 8 * DiscoveredSensors.maximumBytes

    private let path: String
    private let log: Logger
    /// Held while the file is written, so that the newest is what stays.
    private let writing = Mutex(())

    package init(path: String, log: Logger) {
        self.path = path
        self.log = log
    }

    /// The announcements of the process before; none where there is no file, or it cannot be read, which is told.
    func load() -> [(topic: String, payload: [UInt8])] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        do {
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
            guard size <= Self.largest else { throw CocoaError(.fileReadTooLarge) }
            let found = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: URL(filePath: path)))
            return found.sorted { $0.key < $1.key }.map { ($0.key, Array($0.value.utf8)) }
        } catch {
            log.warning(
                "the kept announcements of sensors cannot be read; until the broker tells them again, what those sensors have sent is refused",
                ["file": path, "error": "\(error)"])
            return []
        }
    }

    /// Replaces the file.
    /// - Parameter announcements: Asked while no other change is being written.
    func keep(_ announcements: () -> [String: [UInt8]]) {
        writing.withLock { _ in
            do {
                let texts = announcements().mapValues { String(decoding: $0, as: UTF8.self) }
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                try encoder.encode(texts).write(to: URL(filePath: path), options: .atomic)
            } catch {
                log.warning(
                    "announcements of sensors cannot be kept; what those sensors send while ingest restarts may be refused",
                    ["file": path, "error": "\(error)"])
            }
        }
    }

    /// Removes the file: nobody listens to announcements, and they may name somebody.
    func remove() {
        writing.withLock { _ in try? FileManager.default.removeItem(atPath: path) }
    }
}
