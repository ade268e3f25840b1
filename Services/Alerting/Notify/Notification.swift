import Foundation
package import VigilSchema

/// What a notifier tells people at once: the alerts of one group.
package struct Notification: Codable, Hashable, Sendable {
    package var schema = "vigil-notification/1"
    /// The same when it is tried or told again after a crash: whoever gets it can drop repeats.
    package var id: String
    package var notifier: String
    /// For example `participant=12`.
    package var group: String
    /// `firing` while any alert is, else `resolved`.
    package var status: String
    /// Unix seconds.
    package var time: Double
    /// The alerts that fire, the worst first.
    package var alerts: [AlertMessage]
    /// Those that have ended since the last notification.
    package var resolved: [AlertMessage]
    /// Whether nothing is new: a reminder.
    package var isReminder: Bool

    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(self))
    }
}
