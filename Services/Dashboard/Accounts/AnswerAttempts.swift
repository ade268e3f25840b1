import Synchronization

/// Bounds how often a link in a message is answered in vain: each attempt is a command and a line of the audit.
/// Threading: from anywhere.
final class AnswerAttempts: Sendable {
    static let most = 5
    private static let capacity = 4096
    private let refusals = Mutex<[String: (count: Int, expires: Double)]>([:])

    func mayAnswer(_ token: String) -> Bool { refusals.withLock { $0[token]?.count ?? 0 } < Self.most }

    /// Notes an attempt that was refused.
    /// - Parameter expires: the end of the link, in Unix seconds.
    func noteRefusal(of token: String, until expires: Double, now: Double) {
        refusals.withLock { refusals in
            refusals[token] = ((refusals[token]?.count ?? 0) + 1, expires)
            guard refusals.count > Self.capacity else { return }
            refusals = refusals.filter { $0.value.expires > now }
            if refusals.count > Self.capacity, let first = refusals.min(by: { $0.value.expires < $1.value.expires }) {
                refusals[first.key] = nil
            }
        }
    }
}
