import Foundation

/// The answer to a command that carries a response topic.
package struct StressReply: Codable, Hashable, Sendable {
    /// Whose analysis was meant.
    package var participant: String
    /// Whether the command was taken.
    package var ok: Bool
    /// What was wrong with it.
    package var error: String?
    /// The mode from now on.
    package var mode: String?
    /// Whether there is a baseline.
    package var calibrated: Bool?
    /// Whether guided quiet minutes are under way.
    package var calibrating: Bool?

    /// As JSON.
    package func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return Array(try encoder.encode(self))
    }
}
