/// A way to people.
package protocol NotificationChannel: Sendable {
    /// Delivers; returns when the other side has accepted.
    func send(_ notification: Notification) async throws(ChannelError)
}

/// Why a notification was not delivered, without its content.
package struct ChannelError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
