import Synchronization

/// The recipients that have already accepted a notification that others still wait for, so that a retry skips them.
/// Threading: callable from any task.
final class ReceivedCopies: Sendable {
    /// The most notifications that are remembered. The oldest is dropped first and would be repeated under the same id.
    private static let capacity = 256
    private let copies = Mutex<(recipients: [String: Set<String>], order: [String])>(([:], []))

    func recipients(of notification: String) -> Set<String> { copies.withLock { $0.recipients[notification] ?? [] } }

    /// Notes who has accepted the notification.
    /// - Parameter recipients: nil if nobody is waiting any more.
    func note(_ notification: String, _ recipients: [String]?) {
        copies.withLock { copies in
            guard let recipients else {
                if copies.recipients.removeValue(forKey: notification) != nil { copies.order.removeAll { $0 == notification } }
                return
            }
            if copies.recipients[notification] == nil { copies.order.append(notification) }
            copies.recipients[notification, default: []].formUnion(recipients)
            if copies.order.count > Self.capacity { copies.recipients[copies.order.removeFirst()] = nil }
        }
    }
}
